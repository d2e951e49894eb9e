from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules.vlmevalkit import can_infer, videomme_letter

COLOURS = ["red", "blue", "green", "white"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Failed to obtain answer via API.", "A"),
        ("Best answer: C", "B"),
        ("Answer: B", "B"),
        ("The correct answer: D", "D"),
        ("blue", "Z"),
        ("", "Z"),
        ("nan", "Z"),
        *((text, "Z") for text in ("NA", "N/A", "#N/A", "<NA>", "-1.#IND", "1.#QNAN", "None")),
        ("N/A.", "A"),  # no cell that pandas takes for an empty one
        (" NA", "A"),
    ],
)
def test_videomme_letter(text, expected):
    assert videomme_letter(text) == expected


@differential
@given(choice_texts)
def test_videomme_letter_equals_the_original(text):
    expected = original.first_capital_letter(text, original.VLMEVALKIT_PHRASES)
    assert videomme_letter(text) == (expected or "Z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", "B"),
        ("(B)", "B"),
        ("A man walks in. So C", ""),  # two letters among the words
        ("B is what it says on the tin", ""),  # a letter, too early
        ("B says it on tin", ""),  # five words: still too early
        ("B says it here", "B"),
        ("a man holds the A thing he found there", ""),
        ("the correct answer is black", "B"),  # no boundary after the letter
        ("the AnSwEr  is **c**, because of it all", "C"),
        ("answer is E", ""),
        ("Cannot determine the answer, but B", "Z"),
        ("Failed to obtain answer via API. B", ""),
        ("Z", "Z"),
        ("it was blue", "B"),
        ("blue or red", ""),
        ("it was blue, " + "and it was there for a while", ""),  # longer than twice all options
        ("答案：C", ""),
    ],
)
def test_can_infer(text, expected):
    assert can_infer(text, COLOURS) == expected


def test_only_the_options_of_the_row_are_letters():
    assert can_infer("The answer is C", ["yes", "no"]) == ""
    assert can_infer("F", list("uvwxyz")) == "F"


@differential
@given(
    choice_texts, st.sampled_from([COLOURS, ["3", "Three"], ["", "x"], ["a", "B", "c", "d", "e"]])
)
def test_can_infer_equals_the_original(text, options):
    choices = dict(zip("ABCDE", options, strict=False))
    assert can_infer(text, options) == (original.vlmevalkit_can_infer(text, choices) or "")
