from __future__ import annotations

import pytest
from hypothesis import given
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules.vnbench_official import letter


def original(text):
    text = text.split(".")[0]
    if "A" in text:
        return "A"
    if "B" in text:
        return "B"
    if "C" in text:
        return "C"
    return "D" if "D" in text else ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [("B", "B"), ("B.", "B"), ("D, not B", "B"), ("1. C", ""), ("All", "A"), ("b", ""), ("", "")],
)
def test_letter(text, expected):
    assert letter(text) == expected


@differential
@given(choice_texts)
def test_letter_equals_the_original(text):
    assert letter(text) == original(text)
