from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_choices as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.answers.rules.vlmevalkit import longvideobench_letter
from fastvbench.answers.rules.vlmevalkit_choices import (
    mlvu_score,
    mvbench_accepts,
    mvbench_is_right,
)

COLOURS = ["red", "blue", "green", "blue"]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("D) blue", 1),  # the first look takes the last blue,
        ("It is B", 1),  # and the inference the first
        ("B", 1),
        ("D", 1),
        ("It is D", 0),
        ("blue", 0),  # found twice
        ("C", 0),
        ("Failed to obtain answer via API.", -1),
        ("Failed to obtain answer via API", 0),
    ],
)
def test_mlvu_score(text, score):
    assert mlvu_score(text, COLOURS, "blue") == score


def test_mlvu_score_without_a_right_candidate():
    assert [mlvu_score(text, COLOURS, "navy") for text in [*"ABCD", "navy", "@"]] == [0] * 5 + [1]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("(c) green", True),
        ("C. green", True),
        ("It is green", True),
        ("C: green", True),  # by inference
        ("A", False),
        ("", True),
        (" A", True),
        (".", True),
        ("( A )", True),
        ("NA", True),
        ("Failed to obtain answer via API.", True),
    ],
)
def test_mvbench_is_right(text, right):
    assert mvbench_is_right(text, COLOURS, "green") is right


def test_mvbench_stops_at_an_empty_answer():
    with pytest.raises(PublicScriptAborts, match="IndexError"):
        mvbench_is_right("A", ["", "x"], "")


@differential
@given(choice_texts, st.sampled_from("ABCD@"))
def test_mvbench_accepts_equals_the_original(text, gold):
    assert mvbench_accepts(text, gold) == original.vlmevalkit_mvbench(text, gold)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Best option: E", "B"),
        ("Failed to obtain answer via API.", "A"),
        ("E", "E"),
        ("NA", "Z"),
        ("it is d", "Z"),
    ],
)
def test_longvideobench_letter(text, expected):
    assert longvideobench_letter(text) == expected
