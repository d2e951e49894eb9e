"""What average precision of moment retrieval means, in plain Python.

As QVHighlights (and ActivityNet detection before it) computes it for one query: predictions in
score order, each takes the free gold interval that it overlaps most if that overlap reaches the
threshold, else it is a false positive; precision is interpolated as in PASCAL VOC (the best
precision at this recall or any higher one). The average precision is the mean of it over all gold
intervals of the query, and mAP the mean over queries. A query without predictions counts 0
(QVHighlights' script drops it); one without gold leaves the denominator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference import intervals

if TYPE_CHECKING:
    from collections.abc import Sequence


def query_average_precision(
    pred: intervals.Row, scores: Sequence[float], gold: intervals.Row, threshold: float
) -> float:
    """Equal scores keep their listed order; equal overlaps go to the gold listed first."""
    order = sorted(range(len(pred)), key=lambda i: -scores[i])
    free = [True] * len(gold)
    precisions = []  # at each true positive
    for rank, i in enumerate(order, start=1):
        best_iou, best_gold = -1.0, -1
        for j, g in enumerate(gold):
            iou = intervals.pair_iou(pred[i], g)
            if free[j] and iou >= threshold and iou > best_iou:
                best_iou, best_gold = iou, j
        if best_gold >= 0:
            free[best_gold] = False
            precisions.append((len(precisions) + 1) / rank)
    total, best = 0.0, 0.0
    for precision in reversed(precisions):
        best = max(best, precision)
        total += best
    return total / len(gold)


def average_precision(
    pred: Sequence[intervals.Row],
    scores: Sequence[Sequence[float]],
    gold: Sequence[intervals.Row],
    threshold: float,
) -> float:
    return intervals.mean(
        [
            query_average_precision(p, s, g, threshold)
            for p, s, g in zip(pred, scores, gold, strict=True)
            if g
        ]
    )
