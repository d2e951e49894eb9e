from __future__ import annotations

import pytest

from fastvbench.answers.rules import videollama3_card as card


@pytest.mark.parametrize(
    ("text", "expected"),
    [("B", True), (" b\n", True), ("B.", False), ("(B)", False), ("", False), ("A B", False)],
)
def test_letters(text, expected):
    assert card.is_letter_match(text, "B") is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("New  York", True), ("new york", True), ("new york.", False), ("newyork", False)],
)
def test_short_answers(text, expected):
    assert card.is_short_answer_match(text, ["NYC", "New York"]) is expected
