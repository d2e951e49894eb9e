"""Scores of rows with any number of predicted and gold intervals, one column per measure."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastvbench.intervals import Intervals, interval_set_iou, match_intervals
from fastvbench.intervals._iou import row_ious
from fastvbench.results._metrics import Metric

__all__ = [
    "CONVENTION_METRICS",
    "best_scored",
    "convention_ious",
    "overlap_shares",
    "with_gold_length",
]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

# An oracle picks the prediction of `best`, so it is no main metric.
CONVENTION_METRICS = (
    Metric("mean_iou", "set mIoU %", unit="iou"),
    Metric("first_mean_iou", "first mIoU %", unit="iou"),
    Metric("one_to_one_mean_iou", "1-to-1 mIoU %", unit="iou"),
    Metric("best_mean_iou", "best mIoU (oracle) %", unit="iou"),
)


def convention_ious(predicted: Intervals, gold: Intervals) -> dict[str, FloatArray]:
    """The IoU of each row by each convention for several intervals.

    ``mean_iou``: both sides merged. ``first_mean_iou``: the first prediction against the gold
    interval that it overlaps most. ``one_to_one_mean_iou``: the mean over the row's gold intervals
    in the optimal matching, 0 where unmatched. ``best_mean_iou``: the best of all pairs.

    Returns:
        A float64[k] each; 0 without a prediction, NaN without gold.
    """
    matches = match_intervals(predicted, gold)
    row_of_pair = np.repeat(np.arange(len(gold)), np.diff(matches.offsets))
    sums = np.bincount(row_of_pair, weights=matches.iou, minlength=len(gold))
    counts = np.diff(gold.offsets)
    columns = {
        "mean_iou": row_ious(predicted, gold, "union"),
        "first_mean_iou": row_ious(predicted, gold, "first"),
        "one_to_one_mean_iou": sums / np.maximum(counts, 1),
        "best_mean_iou": row_ious(predicted, gold, "best"),
    }
    for column in columns.values():
        column[counts == 0] = np.nan
    return columns


def overlap_shares(
    predicted: Intervals, gold: Intervals, set_ious: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Precision and recall of each row: overlap over predicted and over gold length, both merged.

    The set IoU of one side with both sides together is that side's share of the union, so three
    set IoUs give both ratios.

    Args:
        predicted: k rows.
        gold: k rows.
        set_ious: float64[k], the set IoU of the two.

    Returns:
        Two float64[k]; 0 without a prediction, NaN without gold.
    """
    together = _joined(predicted, gold)
    shares = []
    for side in (predicted, gold):
        of_union = interval_set_iou(side, together)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(of_union > 0, np.minimum(set_ious / of_union, 1.0), 0.0)
        share[np.diff(gold.offsets) == 0] = np.nan
        shares.append(share)
    return shares[0], shares[1]


def _joined(a: Intervals, b: Intervals) -> Intervals:
    """The intervals of both columns, row by row."""
    a_counts, b_counts = np.diff(a.offsets), np.diff(b.offsets)
    offsets = np.concatenate([[0], np.cumsum(a_counts + b_counts)]).astype(np.int64)
    values = np.empty((offsets[-1], 2))
    a_places = np.arange(len(a.values)) + np.repeat(offsets[:-1] - a.offsets[:-1], a_counts)
    b_start = offsets[:-1] + a_counts
    b_places = np.arange(len(b.values)) + np.repeat(b_start - b.offsets[:-1], b_counts)
    values[a_places], values[b_places] = a.values, b.values
    return Intervals(values, offsets)


def best_scored(
    intervals: Intervals, scores: FloatArray, most: int
) -> tuple[Intervals, FloatArray]:
    """The highest-scored intervals of each row, best first; equal scores keep their order.

    Args:
        intervals: k rows, m intervals.
        scores: float64[m], never NaN.
        most: intervals a row that are kept.
    """
    counts = np.diff(intervals.offsets)
    row_of = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-scores, row_of))  # stable
    rank = np.arange(len(order)) - np.repeat(intervals.offsets[:-1], counts)
    kept = order[rank < most]
    offsets = np.concatenate([[0], np.cumsum(np.minimum(counts, most))]).astype(np.int64)
    return Intervals(intervals.values[kept], offsets), scores[kept]


def with_gold_length(gold: Intervals, above: float, up_to: float) -> Intervals:
    """Each row's intervals whose length is above the one limit and at most the other."""
    lengths = gold.values[:, 1] - gold.values[:, 0]
    return _kept(gold, (lengths > above) & (lengths <= up_to))


def _kept(column: Intervals, keep: BoolArray) -> Intervals:
    kept_before = np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)
    return Intervals(column.values[keep], kept_before[column.offsets])
