"""What interval overlap means, in plain Python: the compiled kernels equal this bit for bit.

An interval is ``(start, end)`` in seconds. It must be finite with ``start <= end`` and at most
``LONGEST_SECONDS`` long (so that sums of lengths cannot overflow); everything else is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Interval = tuple[float, float]
    Row = Sequence[Interval]

LONGEST_SECONDS = 1e300
BLOCK_ROWS = 1024


def is_valid(interval: Interval) -> bool:
    """One comparison covers NaN, infinity and reversed pairs: they make the length fail it."""
    start, end = interval
    return 0.0 <= end - start <= LONGEST_SECONDS


def first_invalid(rows: Sequence[Row]) -> tuple[int, int] | None:
    """The (row, place in the row) of the first interval that is refused."""
    for row_index, row in enumerate(rows):
        for place, interval in enumerate(row):
            if not is_valid(interval):
                return row_index, place
    return None


def overlap(a: Interval, b: Interval) -> float:
    seconds = min(a[1], b[1]) - max(a[0], b[0])
    return max(0.0, seconds)


def ratio(intersection: float, union: float) -> float:
    """0 where nothing has any length; never above 1, whatever the rounding of long sums."""
    if not union > 0.0:
        return 0.0
    return min(1.0, intersection / union)


def pair_iou(pred: Interval, gold: Interval) -> float:
    """|intersection| / |union|; touching, disjoint and two zero-length intervals give 0."""
    intersection = overlap(pred, gold)
    return ratio(intersection, ((pred[1] - pred[0]) + (gold[1] - gold[0])) - intersection)


def temporal_iou(pred: Row, gold: Row) -> list[float]:
    return [pair_iou(p, g) for p, g in zip(pred, gold, strict=True)]


def merge(row: Row) -> list[Interval]:
    """The same points of time as disjoint intervals in order; touching intervals become one."""
    merged: list[Interval] = []
    for start, end in sorted(row):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def length(merged: Row) -> float:
    seconds = 0.0
    for start, end in merged:
        seconds += end - start
    return seconds


def set_iou(pred: Row, gold: Row) -> float:
    """Both sides merged, then |intersection| / |union|; 0 where either side is empty."""
    pred_merged, gold_merged = merge(pred), merge(gold)
    intersection = 0.0
    for p in pred_merged:
        for g in gold_merged:
            intersection += overlap(p, g)
    return ratio(intersection, (length(pred_merged) + length(gold_merged)) - intersection)


def first_iou(pred: Row, gold: Row) -> float:
    """The first listed prediction against the gold interval that it overlaps most."""
    return max((pair_iou(pred[0], g) for g in gold), default=0.0) if pred else 0.0


def best_iou(pred: Row, gold: Row) -> float:
    """The best of all pairs: an oracle picks the prediction."""
    return max((pair_iou(p, g) for p in pred for g in gold), default=0.0)


def mean(values: Sequence[float]) -> float:
    """Left to right within blocks of 1024 rows, then left to right over the blocks' sums."""
    total = 0.0
    for begin in range(0, len(values), BLOCK_ROWS):
        block = 0.0
        for value in values[begin : begin + BLOCK_ROWS]:
            block += value
        total += block
    return total / len(values)


def row_ious(pred: Sequence[Row], gold: Sequence[Row], convention: str) -> list[float]:
    """One IoU per row that has gold; the others leave the denominator."""
    row_iou = {"first": first_iou, "best": best_iou, "union": set_iou}[convention]
    return [row_iou(p, g) for p, g in zip(pred, gold, strict=True) if g]


def mean_iou(pred: Sequence[Row], gold: Sequence[Row], convention: str) -> float:
    return mean(row_ious(pred, gold, convention))


def recall_at_iou(
    pred: Sequence[Row],
    gold: Sequence[Row],
    threshold: float,
    convention: str,
    strict: bool = False,
) -> float:
    """Share of the rows with gold that reach the threshold; a row without prediction never does."""
    predicted = [bool(p) for p, g in zip(pred, gold, strict=True) if g]
    ious = row_ious(pred, gold, convention)
    hits = sum(
        answered and (iou > threshold if strict else iou >= threshold)
        for answered, iou in zip(predicted, ious, strict=True)
    )
    return hits / len(ious)
