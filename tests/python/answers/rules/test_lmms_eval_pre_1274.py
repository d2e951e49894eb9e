from __future__ import annotations

import pytest
from hypothesis import given
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules.lmms_eval_pre_1274 import letter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: C", "A"),  # not among the phrases of this version
        ("Best option: D", "B"),
        ("Best answer:Best option:D", "D"),  # the two phrases that a missing comma joined
        ("Best The answeranswer:Best option:D", "D"),  # an earlier deletion makes a later phrase
        ("Best answer:Best The answeroption:D", "D"),
        ("Best The answer isanswer:Best option:D", "D"),  # the longer phrase goes first
        ("Best The best option isanswer:Best option:D", "B"),  # never deleted alone
        ("Best answer:Best optionBest answer:Best option::D", "B"),  # but each only once
        ("Based on the video, C", "B"),
        ("Cannot determine", "C"),
        ("b", ""),
        ("E", ""),
        ("Ｃ", ""),
        ("", ""),
    ],
)
def test_letter(text, expected):
    assert letter(text) == expected


@differential
@given(choice_texts)
def test_letter_equals_the_original(text):
    assert letter(text) == original.first_capital_letter(text, original.PRE_1274_PHRASES)
