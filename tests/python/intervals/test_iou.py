from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from tests.python.intervals import columns
from tests.reference import intervals as twin
from tests.reference import matching as matching_twin

from fastvbench import _core
from fastvbench.intervals import Intervals, interval_set_iou, mean_iou, temporal_iou


def same_bits(ours, theirs):
    return np.asarray(ours).tobytes() == np.array(theirs, np.float64).tobytes()


@columns.without_deadline
@given(columns.columns(most=1, max_rows=20))
def test_pair_iou_is_its_twin(both):
    together = [(p[0], g[0]) for p, g in zip(*both, strict=True) if p and g]
    pred = np.array([p for p, _ in together]).reshape(-1, 2)
    gold = np.array([g for _, g in together]).reshape(-1, 2)
    expected = twin.temporal_iou([p for p, _ in together], [g for _, g in together])
    for threads in columns.every_run():
        assert same_bits(temporal_iou(pred, gold, threads=threads), expected)


@columns.without_deadline
@given(columns.columns(most=10))
def test_row_iou_is_its_twin(both):
    pred, gold = map(Intervals.from_rows, both)
    for convention, number in (("union", 0), ("first", 1), ("best", 2)):
        row_iou = {"union": twin.set_iou, "first": twin.first_iou, "best": twin.best_iou}
        expected = [row_iou[convention](p, g) for p, g in zip(*both, strict=True)]
        for threads in columns.every_run():
            ours = _core.row_iou(
                pred.values, pred.offsets, gold.values, gold.offsets, number, None, threads
            )
            assert same_bits(ours, expected), convention


@columns.without_deadline
@given(columns.columns())
def test_mean_iou_is_its_twin(both):
    if not any(both[1]):
        return
    for threads in columns.every_run():
        for convention in ("union", "first", "best"):
            expected = twin.mean_iou(*both, convention)
            assert mean_iou(*both, convention=convention, threads=threads) == expected
        expected = matching_twin.one_to_one_mean_iou(*both)
        assert mean_iou(*both, convention="one_to_one", threads=threads) == expected


@columns.without_deadline
@given(columns.columns(most=10))
def test_set_iou_is_a_share_and_has_no_direction(both):
    values = interval_set_iou(*both)
    assert ((values >= 0.0) & (values <= 1.0)).all()
    np.testing.assert_allclose(values, interval_set_iou(both[1], both[0]), rtol=1e-12)


@columns.without_deadline
@given(columns.rows(most=6))
def test_order_and_repeats_change_no_set(row):
    gold = [(0.0, 3.0), (5.0, 6.0)]
    forms = [row, row[::-1], row + row, sorted(row)]
    assert len(set(interval_set_iou(forms, [gold] * 4).tolist())) == 1


# Each by hand: |intersection| / |union|.
PAIRS = [
    ((0, 10), (5, 10), 0.5),
    ((0, 10), (0, 10), 1.0),
    ((0, 10), (2, 4), 0.2),
    ((0, 4), (2, 6), 2 / 6),
    ((0, 4), (4, 8), 0.0),  # touching
    ((0, 4), (5, 8), 0.0),
    ((3, 3), (3, 3), 0.0),  # equal, without length
    ((3, 3), (0, 8), 0.0),
    ((0, 8), (3, 3), 0.0),
    ((-4, 4), (0, 4), 0.5),
    ((-0.0, 0.0), (0.0, -0.0), 0.0),
    ((0, 5e-324), (0, 5e-324), 1.0),
    ((0, 1e300), (0, 1e300), 1.0),
]


@pytest.mark.parametrize(("pred", "gold", "expected"), PAIRS)
def test_pairs_by_hand(pred, gold, expected):
    for threads in columns.every_run():
        # 19 rows: whole vectors and what is left of one.
        values = temporal_iou([pred] * 19, [gold] * 19, threads=threads)
        assert values.tolist() == [expected] * 19
        assert not np.signbit(values).any()
        as_sets = interval_set_iou([[pred]], [[gold]], threads=threads)
        assert as_sets.tolist() == [expected]
        assert not np.signbit(as_sets).any()
    assert twin.pair_iou(pred, gold) == expected


SETS = [
    ([], [], 0.0),
    ([], [(0, 4)], 0.0),
    ([(0, 4)], [], 0.0),
    ([(1, 1)], [(1, 1)], 0.0),
    ([(1, 1)], [(0, 4)], 0.0),
    ([(0, 2), (2, 4)], [(0, 4)], 1.0),  # touching intervals are one
    ([(0, 3), (1, 4), (0, 4)], [(0, 4)], 1.0),  # repeats gain nothing
    ([(2, 4), (0, 1)], [(0, 4)], 0.75),  # any order
    ([(0, 1), (3, 3), (2, 3)], [(0, 4)], 0.5),
    ([(0, 2), (4, 6)], [(1, 5)], 2 / 6),
    ([(0, 10)], [(i, i + 0.5) for i in range(10)], 0.5),
    ([(i, i + 1) for i in range(0, 40, 2)], [(0, 39)], 20 / 39),  # many
    ([(i, i + 1) for i in range(9)], [(i, i + 1) for i in range(9)][::-1], 1.0),
]


@pytest.mark.parametrize(("pred", "gold", "expected"), SETS)
def test_sets_by_hand(pred, gold, expected):
    for threads in columns.every_run():
        values = interval_set_iou([pred, [], pred], [gold, [], gold], threads=threads)
        assert values.tolist() == [expected, 0.0, expected]
    assert twin.set_iou(pred, gold) == expected


def test_rounding_never_passes_one():
    # Tiny gaps: the parts' lengths add to more than the whole's, by rounding.
    parts = [(i * 0.1, (i + 1) * 0.1 - 1e-17) for i in range(8)]
    for threads in columns.every_run():
        value = interval_set_iou([parts], [[(0.0, 0.8)]], threads=threads)[0]
        assert value <= 1.0
        assert value == twin.set_iou(parts, [(0.0, 0.8)])


REFUSED = [(math.nan, 1.0), (1.0, math.nan), (0.0, math.inf), (-math.inf, 0.0), (5.0, 2.0)]


@pytest.mark.parametrize("bad", [*REFUSED, (0.0, 1e301), (math.inf, math.inf)])
@pytest.mark.parametrize("row", [0, 7, 8, 18])
def test_refused_pairs_are_named(bad, row):
    good = np.tile([1.0, 2.0], (19, 1))
    broken = good.copy()
    broken[row] = bad
    shown = f"row {row}: interval 0 is [{bad[0]!r}, {bad[1]!r}]; expected finite seconds"
    for threads in columns.every_run():
        with pytest.raises(ValueError) as caught:
            temporal_iou(broken, good, threads=threads)
        assert str(caught.value).startswith(f"pred {shown}")
        with pytest.raises(ValueError) as caught:
            temporal_iou(good, broken, threads=threads)
        assert str(caught.value).startswith(f"gold {shown}")


@pytest.mark.parametrize("bad", REFUSED)
@pytest.mark.parametrize("others", [0, 2, 12])
def test_refused_intervals_in_sets_are_named(bad, others):
    good = [[(1.0, 2.0)]] * 3
    broken = [[(1.0, 2.0)], [(3.0, 4.0)] * others + [bad], [(math.nan, 1.0)]]
    for threads in columns.every_run():
        with pytest.raises(ValueError, match=f"pred row 1: interval {others} is "):
            interval_set_iou(broken, good, threads=threads)
        for convention in ("first", "best", "one_to_one"):
            with pytest.raises(ValueError, match=f"gold row 1: interval {others} is "):
                mean_iou(good, broken, convention=convention, threads=threads)


def test_a_refused_interval_opposite_an_empty_side_is_named():
    for threads in columns.every_run():
        with pytest.raises(ValueError, match="gold row 1: interval 0"):
            interval_set_iou([[], []], [[(0, 1)], [(2, 1)]], threads=threads)
        with pytest.raises(ValueError, match="gold row 0: interval 9"):
            interval_set_iou([[]], [[(0, 1)] * 9 + [(2, 1)]], threads=threads)


def test_the_lowest_row_is_named_on_any_number_of_threads():
    pred = np.tile([1.0, 2.0], (300_000, 1))
    pred[[70_001, 290_000]] = (2.0, 1.0)
    for threads in columns.every_run():
        with pytest.raises(ValueError, match="pred row 70001:"):
            temporal_iou(pred, pred, threads=threads)
        with pytest.raises(ValueError, match="pred row 70001:"):
            interval_set_iou(pred, pred, threads=threads)


def test_many_rows_past_the_cache():
    generator = np.random.default_rng(5)
    pred = np.sort(generator.integers(0, 50, (1_200_003, 2)) / 7, axis=1)
    gold = np.sort(generator.integers(0, 50, (1_200_003, 2)) / 7, axis=1)
    expected = None
    for threads in columns.every_run():
        for shift in (0, 1, 3):  # of the result against a cache line
            out = np.full(len(pred) + 8, -1.0)
            values = temporal_iou(pred, gold, out=out[shift : shift + len(pred)], threads=threads)
            expected = values.copy() if expected is None else expected
            assert same_bits(values, expected)
            assert (out[shift + len(pred) :] == -1.0).all()
    checked = slice(None, None, 997)
    assert same_bits(expected[checked], twin.temporal_iou(pred[checked], gold[checked]))


def test_many_ragged_rows():
    generator = np.random.default_rng(6)
    pred = columns.random_rows(generator, 20_000, most=10)
    gold = columns.random_rows(generator, 20_000, most=10)
    expected = [twin.set_iou(p, g) for p, g in zip(pred, gold, strict=True)]
    pred_column, gold_column = Intervals.from_rows(pred), Intervals.from_rows(gold)
    for threads in columns.every_run():
        assert same_bits(interval_set_iou(pred_column, gold_column, threads=threads), expected)
    assert mean_iou(pred_column, gold_column) == twin.mean_iou(pred, gold, "union")


def test_out_is_written_and_returned():
    out = np.full(2, -1.0)
    assert temporal_iou([(0, 1), (0, 2)], [(0, 1), (0, 1)], out=out) is out
    assert out.tolist() == [1.0, 0.5]
    assert interval_set_iou([[], [(0, 1)]], [[], [(0, 2)]], out=out) is out
    assert out.tolist() == [0.0, 0.5]


def read_only():
    out = np.zeros(2)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize("function", [temporal_iou, interval_set_iou])
@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros(3), ValueError, r"out has shape \[3\]; expected \[2\]"),
        (np.zeros((2, 1)), ValueError, r"out has shape \[2, 1\]; expected \[2\]"),
        (np.zeros(2, np.float32), TypeError, "out has dtype float32; expected float64"),
        (np.zeros(4)[::2], ValueError, "out is not C-contiguous"),
        (read_only(), ValueError, "out is read-only"),
        ([0.0, 0.0], TypeError, "out is list; expected a numpy array of float64"),
    ],
)
def test_other_outs_are_refused(function, out, error, message):
    pairs = np.array([(0.0, 1.0), (0.0, 2.0)])
    with pytest.raises(error, match=message):
        function(pairs, pairs, out=out)


def test_out_apart_from_the_inputs():
    pairs = np.array([(0.0, 1.0), (0.0, 2.0)])
    with pytest.raises(ValueError, match="out shares memory with an input"):
        temporal_iou(pairs, pairs, out=pairs.reshape(-1)[:2])


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="pred has 1 rows and gold has 2"):
        temporal_iou([(0, 1)], [(0, 1), (0, 2)])
    with pytest.raises(ValueError, match="pred has 1 rows and gold has 2"):
        interval_set_iou([[]], [[], []])


def test_no_rows():
    assert temporal_iou(np.empty((0, 2)), np.empty((0, 2))).tolist() == []
    assert interval_set_iou([], []).tolist() == []


@pytest.mark.parametrize("threads", [-1, 2**40])
def test_thread_counts_are_checked(threads):
    with pytest.raises(ValueError, match=f"threads={threads} is not a thread count"):
        temporal_iou([(0, 1)], [(0, 1)], threads=threads)


def test_mean_leaves_rows_without_gold_out_and_counts_silence():
    pred = [[(0, 4)], [], [(0, 1)]]
    gold = [[(0, 8)], [(3, 4)], []]
    assert mean_iou(pred, gold) == 0.25
    assert mean_iou(pred, gold, convention="first") == 0.25
    assert mean_iou(pred, gold, convention="one_to_one") == 0.25


def test_conventions_differ_as_written():
    pred = [[(0, 1), (4, 8)]]
    gold = [[(4, 8), (0, 2)]]
    assert mean_iou(pred, gold, convention="first") == 0.5
    assert mean_iou(pred, gold, convention="best") == 1.0
    assert mean_iou(pred, gold, convention="one_to_one") == 0.75
    assert mean_iou(pred, gold, convention="union") == 5 / 6


def test_no_gold_at_all_is_refused():
    with pytest.raises(ValueError, match="gold has no interval in any of its 2 rows"):
        mean_iou([[(0, 1)], []], [[], []])


def test_unknown_conventions_are_refused():
    with pytest.raises(ValueError, match="convention='hull'; expected one of first, best"):
        mean_iou([(0, 1)], [(0, 1)], convention="hull")
