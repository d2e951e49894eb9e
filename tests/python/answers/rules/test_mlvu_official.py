from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_choices as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules.mlvu_official import gold_letter, is_right, letter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", "A"),
        ("A.", "A."),
        ("B) two", "B"),
        ("(C) (D)", "C"),
        (") A", ""),
        ("", ""),
        ("A )", " "),
    ],
)
def test_letter(text, expected):
    assert letter(text) == expected


@pytest.mark.parametrize(
    ("answer", "candidates", "expected"),
    [
        ("x", ["x", "y"], "A"),
        ("x", ["x", "y", "x"], "C"),
        ("", ["", "", "", ""], "D"),
        ("X", ["x", "y"], "@"),
        ("x", [], "@"),
    ],
)
def test_gold_letter(answer, candidates, expected):
    assert gold_letter(answer, candidates) == expected


def test_no_letter_is_right_where_no_candidate_is():
    assert not any(is_right(text, "@") for text in "ABCDEF")


@differential
@given(choice_texts, st.sampled_from("ABCD@"))
def test_is_right_equals_the_original(text, gold):
    assert is_right(text, gold) == original.mlvu_official(text, gold)
