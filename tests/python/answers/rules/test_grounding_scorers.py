"""Scorers that people quote for more than one grounding benchmark, and their quirks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.answers.rules import original_grounding as original

from fastvbench.answers.rules import (
    PublicScriptAborts,
    cg_bench,
    lmms_eval_2025_02,
    lmms_eval_2025_10,
    omtg,
    qvhighlights_official,
    time_r1,
    timelens,
    videochat_r1,
    vue_tr_official,
)

pieces = st.sampled_from(
    ["1", "2.5", ".5", "30", "12:30", "1:02:03.5", "00:24.5", "5.", "7s", "٣", "-", " - ", " to ",
     " and ", " ", "  ", "\n", ".", ",", ":", "[", "]", ", ", "<time>", "</time>", " seconds",
     "second", "seconds</time>", "starts at ", " ends at ", "start is at ", "the end is at ", "x",
     "_", "S", "TO", "ſ"]
)  # fmt: skip
texts = st.lists(pieces, max_size=14).map("".join)


@settings(max_examples=2_000, deadline=None)
@given(texts)
def test_rewritten_patterns_find_what_the_published_ones_do(text):
    assert timelens.intervals(text) == original.timelens(text)
    assert videochat_r1.interval(text) == original.videochat_r1(text)
    assert omtg.intervals(text) == original.omtg(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24.3s and 30.4s", [(24.0, 30.0)]),  # a unit cuts the decimals
        ("30.4 - 24.3", [(30.4, 24.3)]),
        ("at 12:30", [(12.0, 30.0)]),
        ("1:00, 2:00 and 3:00", [(60.0, 120.0)]),
    ],
)
def test_timelens(text, expected):
    assert timelens.intervals(text) == expected


def test_first_and_last_to():
    assert videochat_r1.interval("3 to 5, no: 6 and 9") == (6.0, 9.0)
    assert videochat_r1.hull_iou((5.0, 5.0), (5.0, 5.0)) is None
    with pytest.raises(PublicScriptAborts, match="NaN"):
        time_r1.hull_iou((5.0, 5.0), (5.0, 5.0))


def test_ranges_need_a_keyword_from_late_2025():
    assert lmms_eval_2025_02.charades_intervals("1 to 2") == [(1.0, 2.0)]
    assert lmms_eval_2025_10.charades_intervals("1 to 2") == []
    assert lmms_eval_2025_10.charades_intervals("It happens from 1 to 2") == [(1.0, 2.0)]
    with pytest.raises(PublicScriptAborts, match="ValueError"):
        lmms_eval_2025_10.charades_intervals("starts 5..6 - 9")


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ('{"result": [[10, 20], [30, 40]]}', [(10.0, 20.0), (30.0, 40.0)]),
        ('{"result": [0.25, 0.5]}', [(25.0, 50.0)]),
        ('{"result": "none"}', None),  # no list: the row leaves the denominator
        ('{"result": null}', None),
        ('{"result": []} 7 9', [(7.0, 9.0)]),  # what fails is read as text
        ('{"answer": [1, 2]}', [(1.0, 2.0)]),
        ('{"result": [[1, "2"]]}', [(1.0, 2.0)]),
    ],
)
def test_cg_bench_reads_its_json_first(block, expected):
    assert cg_bench.intervals(f"```json\n{block}\n```", 100.0) == expected


def test_cg_bench_merges_both_sides():
    assert cg_bench.merged_iou([(0, 10), (5, 10)], [(0, 20), (10, 20)]) == 0.5
    assert cg_bench.merged_iou([(5, 5)], [(5, 5)]) == 0


def test_vue_tr_areas():
    assert vue_tr_official.iou_area(0.5) == pytest.approx(0.495)  # 0.5 itself isn't exceeded
    assert vue_tr_official.reach_area(0.5) == pytest.approx(0.505)
    assert vue_tr_official.iou_area(float("nan")) == vue_tr_official.reach_area(float("nan")) == 0
    assert vue_tr_official.overlap_ratio([], []) == 1.0
    assert vue_tr_official.overlap_ratio([(9.0, 3.0)], [(3.0, 9.0)]) == 0.0
    assert vue_tr_official.precision_and_recall([(9.0, 3.0)], [(3.0, 9.0)]) == (1.0, 1.0)


def test_qvhighlights_saliency():
    average_precision = qvhighlights_official.clip_average_precision
    assert average_precision([0.5] * 4, [True, True, False, False]) == 0.5
    assert average_precision([], [False]) == 0.0
    assert average_precision([], [True]) == 1.0
    for scores in ([float("nan"), 1.0], [float("inf"), 1.0]):
        with pytest.raises(PublicScriptAborts, match="ValueError"):
            average_precision(scores, [True, False])
    with pytest.raises(PublicScriptAborts, match="AssertionError"):
        average_precision([1.0], [])
    assert qvhighlights_official.clip_hit([0.0, 0.0, 9.0], [[True]] * 2) == 0.0  # beyond the video
