"""VUE-TR's scoring of time ranges: areas under curves of IoU, precision and recall.

Source: bytedance/vidi, ``VUE_TR/qa_eval.py``, commit fc30c87.

The script takes parsed ranges and reads no text. A score of all queries is the area, by the
trapezoid rule over 101 thresholds from 0 to 1, under the share of queries that pass each threshold.
That is the mean over queries of each query's own area, which is what `iou_area` and `reach_area`
give.

Quirks: predicted starts are rounded down and ends up to whole seconds. For the IoU predictions are
merged, and reversed ones dropped only after that; gold is summed as it stands; the IoU must exceed
a threshold, so that a perfect answer gets 0.995. Precision and recall put reversed ranges in order
but neither merge nor sort them: both lists are walked side by side in the order of the file, so
unsorted predictions lose overlap, and repeated ones lengthen the prediction. They must reach a
threshold. A query whose prediction has no length has no precision at all, and leaves its mean.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Interval

__all__ = ["iou_area", "overlap_ratio", "precision_and_recall", "reach_area", "whole_seconds"]

# numpy.linspace(0, 1, 101): multiples of the double 0.01, and 1 itself at the end.
_THRESHOLDS = [step * 0.01 for step in range(100)] + [1.0]


def whole_seconds(intervals: Sequence[Interval]) -> list[Interval]:
    """Return the intervals with starts rounded down and ends rounded up.

    Args:
        intervals: start and end in seconds; numbers that are not finite stay as they are.

    Example:
        >>> whole_seconds([(1.5, 2.5)])
        [(1.0, 3.0)]
    """
    return [
        (
            float(math.floor(start)) if math.isfinite(start) else start,
            float(math.ceil(end)) if math.isfinite(end) else end,
        )
        for start, end in intervals
    ]


def overlap_ratio(pred: Sequence[Interval], gold: Sequence[Interval]) -> float:
    """Return the IoU of merged predictions with gold, from 0 to 1.

    Args:
        pred: start and end in seconds, in any order, also reversed.
        gold: start and end in seconds; overlapping ones count twice.

    Returns:
        The ratio; 1 where neither side has an interval, 0 where one has none.

    Example:
        >>> overlap_ratio([(0.0, 2.0), (1.0, 4.0)], [(0.0, 8.0)])
        0.5
    """
    if not gold or not pred:
        return float(not gold and not pred)
    merged: list[list[float]] = []
    for start, end in sorted(pred, key=lambda interval: interval[0]):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    kept = [(start, end) for start, end in merged if start <= end]
    intersection = sum(
        max(0.0, min(end, gold_end) - max(start, gold_start))
        for start, end in kept
        for gold_start, gold_end in gold
    )
    both = sum(end - start for start, end in kept) + sum(end - start for start, end in gold)
    return max(min(1.0, intersection / (both - intersection + 1e-16)), 0.0)


def precision_and_recall(
    pred: Sequence[Interval], gold: Sequence[Interval]
) -> tuple[float | None, float | None]:
    """Return the shares of predicted and of gold length that lie in the overlap.

    Args:
        pred: start and end in seconds, in the order of the file.
        gold: the same.

    Returns:
        Precision and recall; None where that side has no length.

    Example:
        >>> precision_and_recall([(0.0, 4.0)], [(2.0, 10.0)])
        (0.5, 0.25)
        >>> precision_and_recall([(5.0, 6.0), (0.0, 1.0)], [(0.0, 1.0), (5.0, 6.0)])
        (0.5, 0.5)
    """
    ordered_pred = [(min(pair), max(pair)) for pair in pred]
    ordered_gold = [(min(pair), max(pair)) for pair in gold]
    overlap = 0.0
    i = j = 0
    while i < len(ordered_gold) and j < len(ordered_pred):
        gold_start, gold_end = ordered_gold[i]
        pred_start, pred_end = ordered_pred[j]
        if gold_start <= pred_end and pred_start <= gold_end:
            overlap += min(gold_end, pred_end) - max(gold_start, pred_start)
        if gold_end < pred_end:
            i += 1
        else:
            j += 1
    pred_length = sum(end - start for start, end in ordered_pred)
    gold_length = sum(end - start for start, end in ordered_gold)
    return (
        overlap / pred_length if pred_length != 0 else None,
        overlap / gold_length if gold_length != 0 else None,
    )


def iou_area(iou: float) -> float:
    """Return one query's area under the curve of IoU: thresholds count that it exceeds.

    Example:
        >>> iou_area(1.0), iou_area(0.0)
        (0.995, 0.0)
    """
    return 0.0 if math.isnan(iou) else _area(bisect_left(_THRESHOLDS, iou))


def reach_area(value: float) -> float:
    """Return one query's area under a curve of precision or recall: thresholds that it reaches.

    Example:
        >>> reach_area(1.0), reach_area(0.0)
        (1.0, 0.005)
    """
    return 0.0 if math.isnan(value) else _area(bisect_right(_THRESHOLDS, value))


def _area(passed: int) -> float:
    """Return the area under 1 at the first `passed` thresholds and 0 at the others."""
    if passed in {0, len(_THRESHOLDS)}:
        return 1.0 if passed else 0.0
    last, following = _THRESHOLDS[passed - 1], _THRESHOLDS[passed]
    return last + (following - last) / 2
