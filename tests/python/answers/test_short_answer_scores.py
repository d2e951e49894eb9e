"""The public functions: rules by name, absent answers, and what they refuse."""

from __future__ import annotations

import math

import pytest

import fastvbench as fvb
from fastvbench.answers.rules import docvqa_official, pix2struct, videollama3_images

RULES = {
    "anls": ["official", "videollama3", "lmms-eval-2026-08", "vlmevalkit", "pix2struct"],
    "relaxed_accuracy": [
        *("official", "videollama3", "lmms-eval-2026-08", "vlmevalkit", "vlmevalkit-pre-1204")
    ],
}


@pytest.mark.parametrize(
    ("function", "rule"), [(name, rule) for name, rules in RULES.items() for rule in rules]
)
def test_a_rule_scores_the_right_answer_and_not_an_absent_one(function, rule):
    scores = getattr(fvb, function)(["12", None, "x"], ["12", ["12"], []], rule=rule)
    assert scores[:2].tolist() == [1.0, 0.0]
    assert math.isnan(scores[2])


def test_rules_are_the_published_ones():
    texts, golds = ["ab", "abc", "ITC"], [["ac"], ["xyc"], ["itc ltd", "itc"]]
    pairs = list(zip(texts, golds, strict=True))
    assert fvb.anls(texts, golds).tolist() == [docvqa_official.anls(*pair) for pair in pairs]
    assert fvb.anls(texts, golds, rule="videollama3").tolist() == [
        videollama3_images.docvqa_similarity(*pair) for pair in pairs
    ]
    assert fvb.anls(texts, golds, rule="pix2struct-2024").tolist() == [
        pix2struct.anls_2024(*pair) for pair in pairs
    ]
    assert fvb.relaxed_accuracy(["5000"], ["50"], rule="videollama3").tolist() == [1.0]
    assert fvb.relaxed_accuracy(["some blue"], ["blue"], rule="videollama3").tolist() == [0.0]


def test_a_row_on_which_the_script_would_stop_scores_nothing():
    assert fvb.anls(["", "a"], ["", "a"], rule="pix2struct").tolist() == [0.0, 1.0]


def test_normalisations():
    texts, golds = ["The Two dogs.", "a  B ", "x", "It is **x**."], ["2 dogs", "A b", "x", "x"]
    expected = {
        "none": [0, 0, 1, 0], "paper": [0, 1, 1, 0], "vqa": [1, 1, 1, 0], "robust": [1, 1, 1, 1]
    }  # fmt: skip
    for normalize, scores in expected.items():
        assert fvb.exact_match(texts, golds, normalize=normalize).tolist() == scores, normalize
    assert fvb.exact_match(["AB"], [["x", "ab"]], normalize=str.lower).tolist() == [1]
    assert fvb.exact_match([None], ["none"]).tolist() == [0]


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="rule='exact': expected one of robust, official"):
        fvb.anls(["a"], ["a"], rule="exact")
    with pytest.raises(ValueError, match="normalize='x': expected one of robust, paper, vqa"):
        fvb.exact_match(["a"], ["a"], normalize="x")
    with pytest.raises(ValueError, match="gold has 2 rows; expected 1"):
        fvb.relaxed_accuracy(["a"], ["a", "b"])
    with pytest.raises(TypeError, match=r"pred\[1\]: expected str or None, got int"):
        fvb.anls(["a", 5], ["a", "5"])
    with pytest.raises(TypeError, match=r"gold\[0\]: expected a text or a list of texts"):
        fvb.anls(["a"], [[5]])
