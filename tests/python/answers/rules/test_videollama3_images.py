from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_short_answers as original
from tests.python.answers.rules.fuzzed_texts import differential, short_texts

from fastvbench.answers.rules import PublicScriptAborts, videollama3_images


def test_docvqa_has_no_threshold():
    assert videollama3_images.docvqa_similarity("abc", ["xyc"]) == pytest.approx(1 / 3)
    assert videollama3_images.docvqa_similarity("wrong", ["42"]) == 0.0


@differential
@given(short_texts, st.lists(short_texts, min_size=1, max_size=3))
def test_docvqa_equals_the_original(text, answers):
    expected = original.videollama3_docvqa(text, answers)
    assert videollama3_images.docvqa_similarity(text, answers) == expected


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("95", "100", True),
        ("94.9", "100", False),
        ("5000", "50", True),  # 100 times too large
        ("0.5", "50", True),  # 100 times too small
        ("50%", "50", True),
        ("50", "50%", True),
        (" Blue ", "blue", True),
        ("dark blue", "blue", None),
        ("12 apples", "12", None),
        ("0.0", "0", None),  # a gold of zero is text
        ("0", "0", True),
        ("", "blue", None),
        ("nan", "5", False),
        ("inf", "inf", False),
    ],
)
def test_chartqa(text, answer, expected):
    assert videollama3_images.chartqa_match(text, [answer]) is expected


def test_one_matching_answer_needs_no_judge():
    assert videollama3_images.chartqa_match("blue", ["red", "blue"]) is True
    assert videollama3_images.chartqa_match("7", ["red", "9"]) is None
    assert videollama3_images.chartqa_match("7", ["8", "9"]) is False


def test_a_tiny_gold_number_stops_the_script():
    with pytest.raises(PublicScriptAborts, match="ZeroDivisionError"):
        videollama3_images.chartqa_match("1", ["5e-324"])


@differential
@given(short_texts, st.lists(short_texts, min_size=1, max_size=3))
def test_chartqa_equals_the_original(text, answers):
    """None stands for an outcome that hangs on what the judge says."""
    outcomes = {
        max(
            original.videollama3_relaxed(answer, text.strip(), lambda said=said: said)
            for answer in answers
        )
        for said in (False, True)
    }
    expected = outcomes.pop() if len(outcomes) == 1 else None
    assert videollama3_images.chartqa_match(text, answers) is expected
