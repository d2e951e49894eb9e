from __future__ import annotations

import pytest
from hypothesis import given
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules.videomme_official import letter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: C", "C"),
        ("Best answer: C", "B"),
        ("Best option: D", "B"),
        ("The correct answer: D", "D"),
        ("AnThe correct answerswer:D", "A"),  # "Answer:" has had its turn by then
        ("The correct The answeroption D", "D"),  # an earlier deletion makes a later phrase
        ("Based on the video, C", "B"),
        ("All of them", "A"),
        ("Cannot determine", "C"),
        ("A and C", "A"),
        ("<think>A?..</think><answer>C", "A"),
        ("Answer：C", "A"),
        ("None of the above", ""),
        ("b", ""),
        ("E", ""),
    ],
)
def test_letter(text, expected):
    assert letter(text) == expected


@differential
@given(choice_texts)
def test_letter_equals_the_original(text):
    assert letter(text) == original.first_capital_letter(text, original.VIDEOMME_PHRASES)
