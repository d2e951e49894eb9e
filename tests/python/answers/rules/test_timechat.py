from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import differential, interval_texts

from fastvbench.answers.rules import PublicScriptAborts, timechat


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24.3 – 30.4", []),  # an en dash is no range here
        ("A specific example is : 20.8 - 30.0 seconds", [(20.8, 30.0)]),  # the echo is scored
        ("Starts at 9. It is over\nEnds at 5 or 12", [(5.0, 9.0)]),
        ("starts at 00:00:18\nends at 00:00:23", [(0.0, 0.0)]),
        ("start 1\nend 2\nstart 3", [(1.0, 2.0)]),
        ("start 1.5a\nend 2", [(1.0, 2.0)]),
        ("1-2.5.7-3", [(1.0, 2.5)]),
        ("٣ - ٩", [(3.0, 9.0)]),
        ("1 - " + "9" * 400, [(1.0, math.inf)]),
    ],
)
def test_intervals(text, expected):
    assert timechat.intervals(text) == expected


@pytest.mark.parametrize("text", ["5..6 - 9", "1 - 2, 3 - 5..6", "5..-9", "7 - 1" + "." * 99])
def test_a_number_with_many_points_aborts_wherever_it_stands(text):
    with pytest.raises(PublicScriptAborts, match="ValueError") as caught:
        timechat.intervals(text)
    assert len(caught.value.reason) < 120


@differential
@given(interval_texts)
def test_rewritten_patterns_find_what_the_originals_find(text):
    assert timechat._RANGE.findall(text) == re.findall(original.TIMECHAT_RANGE, text)
    assert timechat._NUMBER.findall(text) == re.findall(original.TIMECHAT_NUMBER, text)


clock_sentences = st.lists(
    st.sampled_from(["start ", "end", " 00:00:1", "00:12:34", "2", "a", "\n", "!", " ", "."]),
    max_size=16,
).map("".join)


@differential
@given(st.one_of(interval_texts, clock_sentences))
def test_intervals_equal_the_original_with_its_dead_third_stage(text):
    try:
        expected = original.timechat_intervals(text.lower())
    except ValueError:
        with pytest.raises(PublicScriptAborts, match="ValueError"):
            timechat.intervals(text)
    else:
        assert timechat.intervals(text) == expected


def test_hull_iou():
    assert timechat.hull_iou((0.0, 10.0), (5.0, 20.0)) == 0.25
    assert timechat.hull_iou((0.0, 1.0), (5.0, 20.0)) == 0.0
    assert timechat.hull_iou((5.0, 5.0), (5.0, 20.0)) == 0.0
    assert timechat.hull_iou((1.0, math.inf), (5.0, 20.0)) == 0.0
    with pytest.raises(PublicScriptAborts, match="ZeroDivisionError"):
        timechat.hull_iou((5.0, 5.0), (5.0, 5.0))
