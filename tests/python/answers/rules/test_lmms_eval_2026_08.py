from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential, interval_texts

from fastvbench.answers.rules import lmms_eval_2026_08 as rule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is B because the Dog barks.", "D"),
        ("I think it is (C), not (A).", "A"),
        ("ABCD", "D"),
        ("USA x (B) and C. so", "B"),
        ("USA x", "A"),
        ("A. no wait, C", "A"),
        ("Answer: A … Answer: C", "C"),
        ("c", ""),
        ("Ｃ", ""),
        ('"C."', "C"),
        ("(A) B.,", "B"),  # commas go before full stops, so B ends the text here
        ("(A) B,.", "A"),  # and here it doesn't
        ("so (B) and A.x", "B"),  # each form beats the next
        ("so B. and A:x", "B"),
        ("so B: and A)x", "B"),
        ("so B) and A x", "B"),
        ("so B and xAx", "B"),
        ('so ".C".', "C"),
        ("'.", ""),
        ("答案为C吗", "C"),
        ("İİ the answer is B x", "B"),
        # Each İ grows by one when lowered: the search starts four places late, past the B.
        ("İİİİ the answer is Bx, Cx", "C"),
    ],
)
def test_letter(text, expected):
    assert rule.letter(text) == expected


@differential
@given(choice_texts, st.sampled_from(["ABCD", "ABCDE", "DCBA", "AB", ""]))
def test_letter_equals_the_original(text, letters):
    assert rule.letter(text, letters) == original.lmms_2026_letter(
        text, letters, rule._ANSWER_PHRASES
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12.5s to 20.3s", [(12.5, 20.3)]),
        ("[00:12, 00:20]", [(12.0, 20.0)]),
        ("1:02:03.5 - 1:02:10", [(1.0, 3.5)]),
        ("12,5 - 20,3", [(5.0, 20.0)]),
        ("between 12.5 and 20.3", []),
        ("A specific example is : 20.8 - 30.0 seconds\n3 - 4", [(3.0, 4.0)]),
        ("A specific example is : 20.8 to 30.0 seconds", [(20.8, 30.0)]),  # not the prompt's words
        ("1 - 2! It ends within 5 - 6", [(5.0, 6.0)]),  # only the sentence with a keyword
        ("99:99 - 00:01", [(1.0, 6039.0)]),
        ("24秒", []),
    ],
)
def test_intervals(text, expected):
    assert rule.charades_intervals(text) == expected


@differential
@given(interval_texts)
def test_rewritten_patterns_find_what_the_originals_find(text):
    pairs = (
        (rule._CLOCK_RANGE, original.LMMS_CLOCK_RANGE),
        (rule._NUMBER_RANGE, original.LMMS_RANGE),
        (rule._CLOCK_TIME, original.LMMS_CLOCK),
        (rule._NUMBER, original.LMMS_NUMBER),
        (rule._SECONDS_RANGE, original.LMMS_SECONDS_RANGE),
    )
    for rewritten, published in pairs:
        assert rewritten.findall(text) == re.findall(published, text)


@differential
@given(interval_texts)
def test_intervals_equal_the_original(text):
    assert rule.charades_intervals(text) == original.lmms_2026_intervals(text)


def test_iou():
    assert rule.charades_iou((0.0, 10.0), (5.0, 20.0)) == 0.25
    assert rule.charades_iou((0.0, 1.0), (5.0, 20.0)) == 0.0
    assert rule.charades_iou((5.0, 5.0), (5.0, 5.0)) == 0.0
    assert rule.charades_iou((5.0, math.inf), (0.0, 10.0)) == 0.0
    assert rule.charades_iou((math.inf, math.inf), (0.0, 10.0)) == 0.0
