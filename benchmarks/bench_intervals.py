"""Interval kernels against what people use instead, on two threads."""

from __future__ import annotations

import numpy as np
from benchmarks.rivals import (
    intervals_data,
    intervals_numpy_rival,
    intervals_python_rival,
    intervals_scipy_rival,
)
from benchmarks.rivals.intervals_numba_rival import prepare_pair_iou
from benchmarks.rules import Isolated
from tests.reference import intervals as twin
from tests.reference import matching as matching_twin

from fastvbench.intervals import Intervals, interval_set_iou, match_intervals, temporal_iou

PAIR_ROWS = 10_000_000
RAGGED_ROWS = 1_000_000
SEED = 0


def close(name, ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-13, err_msg=name)


def numba(fresh):
    return Isolated(prepare_pair_iou, {"rows": PAIR_ROWS, "seed": SEED, "fresh": fresh})


def bench_pair_iou_into_out(compare):
    pred, gold = intervals_data.pairs(PAIR_ROWS, SEED)
    out = np.empty(PAIR_ROWS)
    compare(
        lambda: temporal_iou(pred, gold, out=out, threads=2),
        {
            "numpy": lambda: intervals_numpy_rival.pair_iou(pred, gold),
            "numba": numba(fresh=False),
        },
        close,
        case="intervals/pair iou into out",
    )


def bench_pair_iou_fresh(compare):
    pred, gold = intervals_data.pairs(PAIR_ROWS, SEED)
    compare(
        lambda: temporal_iou(pred, gold, threads=2),
        {"numba": numba(fresh=True)},
        close,
        case="intervals/pair iou fresh",
        rounds=15,
    )


def bench_set_iou(compare):
    data = intervals_data.ragged(RAGGED_ROWS, SEED)
    pred = Intervals(data.pred_values, data.pred_offsets)
    gold = Intervals(data.gold_values, data.gold_offsets)
    pred_rows, gold_rows = data.rows()
    compare(
        lambda: interval_set_iou(pred, gold, threads=2),
        {
            "python": lambda: intervals_python_rival.set_ious(pred_rows, gold_rows),
            "twin": lambda: list(map(twin.set_iou, pred_rows, gold_rows)),
        },
        close,
        case="intervals/set iou",
        rounds=3,
        warmup=1,
    )


def bench_matching(compare):
    data = intervals_data.ragged(RAGGED_ROWS, SEED)
    pred = Intervals(data.pred_values, data.pred_offsets)
    gold = Intervals(data.gold_values, data.gold_offsets)
    pred_rows, gold_rows = data.rows()
    matrices = intervals_scipy_rival.matrices(pred_rows, gold_rows)

    def same_sums(name, ours, theirs):
        row_of_pair = np.repeat(np.arange(RAGGED_ROWS), np.diff(ours.offsets))
        our_sums = np.bincount(row_of_pair, weights=ours.iou, minlength=RAGGED_ROWS)
        if name == "scipy-assignment":
            sums = [m[index].sum() for m, index in zip(matrices, theirs, strict=True)]
        else:
            sums = [sum(pair[2] for pair in row) for row in theirs]
        # Sums are maximal to the last of 2^40 steps of an IoU.
        np.testing.assert_allclose(our_sums, sums, atol=1e-11, err_msg=name)

    compare(
        lambda: match_intervals(pred, gold, threads=2),
        {
            # Its own search tries everything and would take minutes, so scipy solves its matrices.
            "twin": lambda: intervals_scipy_rival.match_rows(
                pred_rows, gold_rows, matching_twin.iou_matrix
            ),
            "python": lambda: intervals_scipy_rival.match_rows(
                pred_rows, gold_rows, intervals_python_rival.iou_matrix
            ),
            "scipy-assignment": lambda: intervals_scipy_rival.assignments(matrices),
        },
        same_sums,
        case="intervals/matching",
        rounds=3,
        warmup=1,
    )
