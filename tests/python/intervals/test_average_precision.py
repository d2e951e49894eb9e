from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.intervals import columns
from tests.reference import average_precision as twin
from tests.reference import intervals as interval_twin

from fastvbench.intervals import Intervals, average_precision

few_scores = st.sampled_from([0.1, 0.5, 0.5, 0.9, -1.0, math.inf, -math.inf, 0.0, -0.0])


@st.composite
def scored(draw, most=6):
    pred, gold = draw(columns.columns(most=most, times=columns.grid_times))
    scores = [draw(st.lists(few_scores, min_size=len(p), max_size=len(p))) for p in pred]
    return pred, scores, gold


@columns.without_deadline
@given(scored(), st.sampled_from([1e-9, 0.3, 0.5, 1.0]))
def test_average_precision_is_its_twin(case, threshold):
    pred, scores, gold = case
    if not any(gold):
        return
    expected = {threshold: twin.average_precision(pred, scores, gold, threshold)}
    for threads in columns.every_run():
        assert average_precision(*case, thresholds=threshold, threads=threads) == expected


def interpolated(precision, recall):
    """VOC's area under the interpolated curve, from its definition."""
    points = np.concatenate([[0.0], recall, [1.0]])
    heights = np.concatenate([[0.0], precision, [0.0]])
    heights = np.maximum.accumulate(heights[::-1])[::-1]
    return float(np.sum(np.diff(points) * heights[1:]))


@columns.without_deadline
@given(scored())
def test_the_twin_is_the_area_under_the_interpolated_curve(case):
    for pred, scores, gold in zip(*case, strict=True):
        if not gold or not pred:
            continue
        free, hits = set(range(len(gold))), []
        for i in sorted(range(len(pred)), key=lambda i: -scores[i]):
            ious = {j: interval_twin.pair_iou(pred[i], gold[j]) for j in sorted(free)}
            best = max(ious, key=ious.get, default=None)
            hits.append(best is not None and ious[best] >= 0.5)
            if hits[-1]:
                free.discard(best)
        found = np.cumsum(hits)
        area = interpolated(found / np.arange(1, len(hits) + 1), found / len(gold))
        assert twin.query_average_precision(pred, scores, gold, 0.5) == pytest.approx(area)


def test_by_hand():
    gold = [[(0, 10), (20, 30)]]
    pred = [[(0, 10), (50, 60), (20, 30)]]
    # Hit, miss, hit: precisions 1 and 2/3.
    assert average_precision(pred, [[0.9, 0.8, 0.7]], gold, thresholds=0.5) == {
        0.5: (2 / 3 + 1) / 2
    }
    # The miss first: 1/2 and 2/3, raised to 2/3 and 2/3.
    assert average_precision(pred, [[0.8, 0.9, 0.7]], gold, thresholds=0.5) == {
        0.5: (2 / 3 + 2 / 3) / 2
    }
    # A second hit on a moment that is taken is a miss.
    assert average_precision([[(0, 10), (0, 10)]], [[1, 2]], gold, thresholds=0.5) == {0.5: 0.5}


def test_equal_scores_keep_their_order():
    pred, gold = [[(50, 60), (0, 10)]], [[(0, 10)]]
    assert average_precision(pred, [[0.5, 0.5]], gold, thresholds=0.5) == {0.5: 0.5}


def test_default_thresholds_are_those_of_qvhighlights():
    values = average_precision([[(0, 8)]], [[1.0]], [[(0, 10)]])
    assert list(values) == [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
    assert [t for t, value in values.items() if value == 1.0] == list(values)[:7]


def test_queries_without_predictions_or_gold():
    pred = [[(0, 1)], [], [(0, 1)]]
    gold = [[(0, 1)], [(0, 1)], []]
    assert average_precision(pred, [[1.0], [], [1.0]], gold, thresholds=0.5) == {0.5: 0.5}
    with pytest.raises(ValueError, match="gold has no interval"):
        average_precision([[]], [[]], [[]])
    assert average_precision([[]], [[]], [[(0, 1)]], thresholds=0.5) == {0.5: 0.0}


def test_every_form_of_scores():
    pred, gold = [[(0, 1), (5, 6)], [(0, 1)]], [[(0, 1)], [(0, 1)]]
    expected = {0.5: 0.75}
    for scores in (
        [[0.1, 0.9], [0.5]],
        [0.1, 0.9, 0.5],
        ([0.1, 0.9], (0.5,)),
        [np.array([0.1, 0.9]), np.array([0.5])],
        np.array([0.1, 0.9, 0.5], np.float32),
        np.array([1, 9, 5]),
    ):
        assert average_precision(pred, scores, gold, thresholds=0.5) == expected


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ([0.1], ValueError, r"scores has shape \[1\]; expected \[3\], one per prediction"),
        (np.zeros((3, 1)), ValueError, r"scores has shape \[3, 1\]"),
        ([[0.1, 0.2]], ValueError, "scores has 1 rows and pred has 2"),
        ([[0.1], [0.2, 0.3]], ValueError, r"scores\[0\] is \[0.1\]; expected 2 numbers"),
        ([[0.1, 0.2], 0.3], ValueError, r"scores\[1\] is 0.3; expected 1 numbers"),
        ([[0.1, 0.2], [math.nan]], ValueError, "scores row 1: score 0 is nan"),
        ([["a", "b"], ["c"]], TypeError, "scores has dtype"),
        (None, TypeError, "scores is NoneType"),
    ],
)
def test_other_scores_are_refused(scores, error, message):
    pred, gold = [[(0, 1), (5, 6)], [(0, 1)]], [[(0, 1)], [(0, 1)]]
    with pytest.raises(error, match=message):
        average_precision(pred, scores, gold)


def test_thresholds_of_zero_are_refused():
    with pytest.raises(ValueError, match=r"thresholds\[0\]=0.0; expected an IoU above 0"):
        average_precision([[(0, 1)]], [[1.0]], [[(0, 1)]], thresholds=0.0)


def test_refused_intervals_are_named():
    for threads in columns.every_run():
        with pytest.raises(ValueError, match=r"pred row 1: interval 0 is \[2.0, 1.0\]"):
            average_precision([[], [(2, 1)]], [[], [1]], [[], [(0, 1)]], threads=threads)


def test_many_queries():
    generator = np.random.default_rng(11)
    pred = columns.random_rows(generator, 3_000, most=12)
    gold = columns.random_rows(generator, 3_000, most=9)
    scores = [generator.integers(0, 9, len(p)).tolist() for p in pred]
    columns_of = Intervals.from_rows(pred), scores, Intervals.from_rows(gold)
    expected = {t: twin.average_precision(pred, scores, gold, t) for t in (0.3, 0.7)}
    for threads in columns.every_run():
        assert average_precision(*columns_of, thresholds=(0.3, 0.7), threads=threads) == expected
