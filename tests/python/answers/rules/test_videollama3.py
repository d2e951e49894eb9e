from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential, interval_texts

from fastvbench.answers.rules import PublicScriptAborts, videollama3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'd pick B", "D"),
        ("a man holds a ball. C", "A"),
        ("<think>A or B?</think>C", "A"),
        ("\\boxed{c}", "C"),
        ("ẚ C", "C"),  # upper-cased to two word characters, the first an A: not alone
    ],
)
def test_letter(text, expected):
    assert videollama3.lvbench_letter(text) == expected


def test_letter_with_another_alphabet():
    assert videollama3.lvbench_letter("e", "ABCDE") == "E"
    with pytest.raises(PublicScriptAborts, match="ValueError"):
        videollama3.lvbench_letter("e", "ABCD")
    with pytest.raises(PublicScriptAborts):
        videollama3.lvbench_letter("B", "^-A")  # the alphabet is characters, no range


@differential
@given(choice_texts)
def test_letter_equals_the_original(text):
    letters = re.findall(original.VIDEOLLAMA3_LETTER, text.upper())
    if letters:
        assert videollama3.lvbench_letter(text) == letters[0]
    else:
        with pytest.raises(PublicScriptAborts):
            videollama3.lvbench_letter(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12.5s - 20.3s", [(12.5, 20.3)]),
        ("24 – 30", [(24.0, 30.0)]),
        ("00:24 - 00:30", [(24.0, 0.0)]),
        ("[00:12, 00:20]", [(0.0, 12.0), (0.0, 20.0)]),
        ("from 12.5 to end", []),
        ("1-2.5.7-3", [(1.0, 2.5), (0.7, 3.0)]),
        ("٣ - ٩", [(3.0, 9.0)]),  # digits of any script
    ],
)
def test_intervals(text, expected):
    assert videollama3.charades_intervals(text) == expected


@differential
@given(interval_texts)
def test_rewritten_patterns_find_what_the_originals_find(text):
    assert videollama3._RANGE.findall(text) == re.findall(original.VIDEOLLAMA3_RANGE, text)
    assert videollama3._NUMBER.findall(text) == re.findall(original.VIDEOLLAMA3_NUMBER, text)


@differential
@given(interval_texts)
def test_intervals_equal_the_original(text):
    assert videollama3.charades_intervals(text) == original.videollama3_intervals(text)


def test_summed_iou_counts_repeats_and_overlaps_twice():
    gold = (10.0, 20.0)
    assert videollama3.summed_iou([gold, gold], gold) == 2.0
    assert videollama3.summed_iou([(8.0, 18.0), (12.0, 22.0)], gold) == 16 / 14
    assert videollama3.summed_iou([(22.0, 15.0)], gold) == 5 / 12  # reversed: put in order
    assert videollama3.summed_iou([], gold) == 0.0


def test_summed_iou_without_any_length_aborts():
    with pytest.raises(PublicScriptAborts, match="ZeroDivisionError"):
        videollama3.summed_iou([], (5.0, 5.0))
    with pytest.raises(PublicScriptAborts, match="ZeroDivisionError"):
        videollama3.summed_iou([(3.0, 3.0)], (5.0, 5.0))
    assert videollama3.summed_iou([(3.0, 4.0)], (5.0, 5.0)) == 0.0


def test_a_number_beyond_double_range_is_infinite():
    huge = "9" * 400
    assert videollama3.charades_intervals(f"1 - {huge}") == [(1.0, math.inf)]
    assert videollama3.summed_iou([(1.0, math.inf)], (0.0, 5.0)) == 0.0
    assert math.isnan(videollama3.summed_iou([(math.inf, math.inf)], (0.0, 5.0)))
