from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.intervals import columns
from tests.reference import intervals as twin
from tests.reference import matching as matching_twin

from fastvbench.intervals import recall_at_iou

CONVENTIONS = ("first", "best", "union", "one_to_one")
thresholds = st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0]) | st.floats(0, 1)


@columns.without_deadline
@given(columns.columns(most=4), st.lists(thresholds, min_size=1, max_size=3), st.booleans())
def test_recall_is_its_twin(both, levels, strict):
    if not any(both[1]):
        return
    expected = {
        convention: {t: twin.recall_at_iou(*both, t, convention, strict) for t in levels}
        for convention in ("first", "best", "union")
    }
    expected["one_to_one"] = {t: matching_twin.one_to_one_recall(*both, t, strict) for t in levels}
    for threads in columns.every_run():
        for convention in CONVENTIONS:
            ours = recall_at_iou(
                *both, thresholds=levels, convention=convention, strict=strict, threads=threads
            )
            assert ours == expected[convention], convention


def test_first_is_against_the_gold_that_it_overlaps_most():
    pred = [[(4, 8), (0, 2)]]
    gold = [[(0, 2), (4, 9)]]
    assert recall_at_iou(pred, gold) == {0.3: 1.0, 0.5: 1.0, 0.7: 1.0}
    assert recall_at_iou([[(2.5, 3), (0, 2)]], gold) == {0.3: 0.0, 0.5: 0.0, 0.7: 0.0}


def test_conventions_by_hand():
    pred, gold = [[(0, 1), (4, 8)]], [[(4, 8), (0, 2)]]
    half = {"first": 1.0, "best": 1.0, "union": 1.0, "one_to_one": 1.0}
    most = {"first": 0.0, "best": 1.0, "union": 0.0, "one_to_one": 0.5}
    for convention in CONVENTIONS:
        recalls = recall_at_iou(pred, gold, thresholds=(0.5, 0.9), convention=convention)
        assert recalls == {0.5: half[convention], 0.9: most[convention]}


def test_only_pairs_that_reach_the_threshold_compete():
    # The best sum pairs 0.6 with 0.6; at 0.9 the pair of 1.0 counts, and it alone.
    pred, gold = [[(0, 10), (0, 6)]], [[(0, 10), (4, 10)]]
    recalls = recall_at_iou(pred, gold, thresholds=(0.5, 0.9), convention="one_to_one")
    assert recalls == {0.5: 1.0, 0.9: 0.5}


def test_the_threshold_itself():
    for convention in CONVENTIONS:
        recall = recall_at_iou([[(0, 4)]], [[(0, 8)]], thresholds=0.5, convention=convention)
        assert recall == {0.5: 1.0}
        recall = recall_at_iou(
            [[(0, 4)]], [[(0, 8)]], thresholds=0.5, convention=convention, strict=True
        )
        assert recall == {0.5: 0.0}


def test_silence_never_reaches_a_threshold():
    for convention in CONVENTIONS:
        pred, gold = [[], [(0, 1)]], [[(0, 1)], [(0, 1)]]
        assert recall_at_iou(pred, gold, thresholds=[0.0], convention=convention) == {0.0: 0.5}


def test_rows_without_gold_leave_the_denominator():
    for convention in CONVENTIONS:
        pred, gold = [[(0, 1)], [(0, 1)]], [[(0, 1)], []]
        assert recall_at_iou(pred, gold, convention=convention)[0.7] == 1.0


def test_one_number_per_row_and_arrays():
    recalls = recall_at_iou([(0, 4), (0, 1)], [(0, 8), (0, 1)], thresholds=(0.5, 0.75))
    assert recalls == {0.5: 1.0, 0.75: 0.5}


@pytest.mark.parametrize(
    ("levels", "error", "message"),
    [
        ((), ValueError, "thresholds is empty"),
        ((0.5, 1.5), ValueError, r"thresholds\[1\]=1.5; expected an IoU from 0 to 1"),
        (-0.1, ValueError, r"thresholds\[0\]=-0.1"),
        (math.nan, ValueError, r"thresholds\[0\]=nan"),
        ((0.5, "high"), TypeError, r"thresholds\[1\] is 'high'"),
        (None, TypeError, r"thresholds\[0\] is None"),
    ],
)
def test_other_thresholds_are_refused(levels, error, message):
    with pytest.raises(error, match=message):
        recall_at_iou([[(0, 1)]], [[(0, 1)]], thresholds=levels)


def test_unknown_conventions_and_no_gold_are_refused():
    with pytest.raises(ValueError, match="convention='last'"):
        recall_at_iou([[(0, 1)]], [[(0, 1)]], convention="last")
    with pytest.raises(ValueError, match="gold has no interval in any of its 1 rows"):
        recall_at_iou([[(0, 1)]], [[]])
