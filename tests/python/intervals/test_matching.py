from __future__ import annotations

import itertools
import math
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.intervals import columns
from tests.reference import matching as twin

from fastvbench.intervals import Intervals, Matches, match_intervals

min_ious = st.sampled_from([0.0, -1.0, 1e-9, 0.3, 0.5, 1.0, 1.5])


def per_row(matches):
    bounds = matches.offsets.tolist()
    pairs = list(
        zip(
            matches.pred_index.tolist(),
            matches.gold_index.tolist(),
            matches.iou.tolist(),
            strict=True,
        )
    )
    return [pairs[begin:end] for begin, end in itertools.pairwise(bounds)]


def tuples(pairs):
    return [tuple(pair) for pair in pairs]


@columns.without_deadline
@given(columns.columns(most=5), min_ious)
def test_optimal_is_its_twin(both, min_iou):
    expected = [tuples(twin.optimal(p, g, min_iou)) for p, g in zip(*both, strict=True)]
    for threads in columns.every_run():
        assert per_row(match_intervals(*both, min_iou=min_iou, threads=threads)) == expected


@columns.without_deadline
@given(columns.columns(most=14, max_rows=3, times=columns.grid_times), min_ious)
def test_optimal_of_many_is_its_twin(both, min_iou):
    expected = [tuples(twin.optimal_of_many(p, g, min_iou)) for p, g in zip(*both, strict=True)]
    for threads in columns.every_run():
        assert per_row(match_intervals(*both, min_iou=min_iou, threads=threads)) == expected


@columns.without_deadline
@given(columns.columns(most=6, max_rows=2, times=columns.grid_times), min_ious)
def test_the_twin_for_many_tries_everything_in_effect(both, min_iou):
    for p, g in zip(*both, strict=True):
        assert twin.optimal_of_many(p, g, min_iou) == twin.optimal(p, g, min_iou)


@columns.without_deadline
@given(columns.columns(most=12), min_ious)
def test_greedy_is_its_twin(both, min_iou):
    expected = [tuples(twin.greedy(p, g, min_iou)) for p, g in zip(*both, strict=True)]
    for threads in columns.every_run():
        matches = match_intervals(*both, method="greedy", min_iou=min_iou, threads=threads)
        assert per_row(matches) == expected


@columns.without_deadline
@given(columns.columns(most=12), min_ious, st.sampled_from(["optimal", "greedy"]))
def test_what_every_matching_is(both, min_iou, method):
    matches = match_intervals(*both, method=method, min_iou=min_iou)
    assert isinstance(matches, Matches)
    for pairs, p, g in zip(per_row(matches), *both, strict=True):
        assert [pair[0] for pair in pairs] == sorted({pair[0] for pair in pairs})
        assert len({pair[1] for pair in pairs}) == len(pairs)
        for i, j, iou in pairs:
            assert iou == twin.iou_matrix([p[i]], [g[j]])[0][0]
            assert iou > 0.0
            assert iou >= min_iou


@pytest.mark.parametrize("sides", [(1, 40), (40, 1), (2, 30), (30, 2), (7, 7), (6, 9), (33, 33)])
@pytest.mark.parametrize("kind", ["equal", "ladder", "random"])
def test_shapes_and_ties(sides, kind):
    generator = np.random.default_rng(sum(sides))
    if kind == "equal":
        pred, gold = [(0.0, 4.0)] * sides[0], [(1.0, 5.0)] * sides[1]
    elif kind == "ladder":
        pred = [(float(i % 5), float(i % 5 + 3)) for i in range(sides[0])]
        gold = [(float(j % 7), float(j % 7 + 3)) for j in range(sides[1])]
    else:
        pred, gold = (np.sort(generator.integers(0, 20, (n, 2)), axis=1).tolist() for n in sides)
    expected = tuples(twin.optimal_of_many(pred, gold))
    for threads in columns.every_run():
        rows = [pred, [], pred], [gold, gold, gold]
        assert per_row(match_intervals(*rows, threads=threads)) == [expected, [], expected]


def by_hand(pred, gold, **options):
    return [pair[:2] for pair in per_row(match_intervals([pred], [gold], **options))[0]]


def test_by_hand():
    # The best pair first would leave 0.4 for the rest: 1.0 + 0 against 0.6 + 0.6.
    pred, gold = [(0, 10), (0, 6)], [(0, 10), (4, 10)]
    assert by_hand(pred, gold, method="greedy") == [(0, 0), (1, 1)]
    assert by_hand(pred, gold) == [(0, 1), (1, 0)]
    assert by_hand([], gold) == []
    assert by_hand(pred, []) == []
    assert by_hand([(0, 4)], [(4, 8)]) == []  # touching
    assert by_hand([(2, 2)], [(2, 2)]) == []  # no length
    assert by_hand([(0, 4)] * 3, [(0, 4)] * 2) == [(0, 0), (1, 1)]
    assert by_hand([(0, 4)] * 2, [(0, 4)] * 3) == [(0, 0), (1, 1)]
    assert by_hand([(0, 4)], [(0, 8)], min_iou=0.5) == [(0, 0)]
    assert by_hand([(0, 4)], [(0, 8)], min_iou=math.nextafter(0.5, 1)) == []


def test_a_weight_of_zero_still_matches():
    # IoU below 2**-41: it adds nothing to the sum, and being matched comes before not.
    for count in (1, 9):
        pred, gold = [(0.0, 1e-15)] * count, [(0.0, 1.0)] * count
        expected = [(i, i) for i in range(count)]
        for threads in columns.every_run():
            assert by_hand(pred, gold, threads=threads) == expected
        assert [pair[:2] for pair in twin.optimal_of_many(pred, gold)] == expected


def test_no_rows():
    matches = match_intervals([], [])
    assert [array.tolist() for array in matches] == [[], [], [], [0]]


def test_many_rows():
    generator = np.random.default_rng(7)
    pred = columns.random_rows(generator, 9_000, most=6)
    gold = columns.random_rows(generator, 9_000, most=6)
    expected = [tuples(twin.optimal_of_many(p, g)) for p, g in zip(pred, gold, strict=True)]
    pred_column, gold_column = Intervals.from_rows(pred), Intervals.from_rows(gold)
    for threads in columns.every_run():
        assert per_row(match_intervals(pred_column, gold_column, threads=threads)) == expected


def test_a_row_of_500_by_500():
    scipy_optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed")
    generator = np.random.default_rng(8)
    pred, gold = np.sort(generator.uniform(0, 999, (2, 500, 2)), axis=2)
    iou = np.array(twin.iou_matrix(pred.tolist(), gold.tolist()))
    weights = np.floor(iou * 2.0**40 + 0.5)
    best = weights[scipy_optimize.linear_sum_assignment(weights, maximize=True)].sum()
    for threads in columns.every_run():
        started = time.monotonic()
        matches = match_intervals([pred], [gold], threads=threads)
        assert time.monotonic() - started < 20
        assert weights[matches.pred_index, matches.gold_index].sum() == best
        assert (matches.iou == iou[matches.pred_index, matches.gold_index]).all()


def test_500_equal_by_500_equal():
    row = [(0.0, 1.0)] * 500
    matches = match_intervals([row], [row])
    assert matches.gold_index.tolist() == list(range(500))


def test_a_row_past_a_million_pairs_agrees_with_small_steps():
    # Disjoint groups of twins: what is best within each group is best overall.
    group_pred, group_gold = [(0.0, 10.0), (0.0, 6.0)], [(0.0, 10.0), (4.0, 10.0)]
    pred = [(s + 20.0 * k, e + 20.0 * k) for k in range(530) for s, e in group_pred]
    gold = [(s + 20.0 * k, e + 20.0 * k) for k in range(530) for s, e in group_gold]
    matches = match_intervals([group_pred, pred, []], [group_gold, gold, gold])
    assert matches.offsets.tolist() == [0, 2, 1062, 1062]
    expected = [1, 0] + [index for k in range(530) for index in (2 * k + 1, 2 * k)]
    assert matches.gold_index.tolist() == expected


def interrupted_seconds(call):
    """Runs `call` and sends this process the signal of Ctrl-C after 0.2 s."""
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    started = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.cancel()
    return time.monotonic() - started


@pytest.mark.parametrize("threads", [1, 2])
def test_one_huge_row_can_be_interrupted(threads):
    times = np.sort(np.random.default_rng(9).uniform(0, 1e6, (6000, 2)), axis=1)
    pred, gold = Intervals(times, [0, 6000]), Intervals(times[::-1] + 1.0, [0, 6000])
    assert interrupted_seconds(lambda: match_intervals(pred, gold, threads=threads)) < 30


@pytest.mark.parametrize("threads", [1, 2])
def test_many_rows_can_be_interrupted(threads):
    generator = np.random.default_rng(10)
    times = np.sort(generator.uniform(0, 100, (3_000_000, 2)), axis=1)
    offsets = np.arange(0, 3_000_001, 100)
    pred, gold = Intervals(times, offsets), Intervals(times[::-1].copy(), offsets)
    assert interrupted_seconds(lambda: match_intervals(pred, gold, threads=threads)) < 10
    # The next call is none the worse for it.
    assert match_intervals([[(0, 1)]], [[(0, 1)]]).iou.tolist() == [1.0]


def test_unknown_methods_and_nan_are_refused():
    with pytest.raises(ValueError, match="method='best'; expected 'optimal' or 'greedy'"):
        match_intervals([[]], [[]], method="best")
    with pytest.raises(ValueError, match="min_iou=nan"):
        match_intervals([[]], [[]], min_iou=math.nan)


@pytest.mark.parametrize("method", ["optimal", "greedy"])
@pytest.mark.parametrize("others", [0, 3, 12])
def test_refused_intervals_are_named(method, others):
    good = [[(1.0, 2.0)]] * 3
    broken = [[(1.0, 2.0)], [(3.0, 4.0)] * others + [(math.nan, 1.0)], [(2.0, 1.0)]]
    for threads in columns.every_run():
        with pytest.raises(ValueError, match=rf"gold row 1: interval {others} is \[nan, 1.0\]"):
            match_intervals(good, broken, method=method, threads=threads)
