"""ForeSeaQA's temporal IoU, as the benchmark's evaluation card gives it.

Source: the evaluation card of ForeSeaQA (ForeSea, arXiv:2603.22872, 2026). No scorer and no data
are public, so this is not verified against a published scorer.

Quirks: the denominator is latest end minus earliest start, so for a reversed prediction it may be
too small or negative; the formula's value is kept, and 0 wherever that denominator isn't positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._types import Interval

__all__ = ["interval_iou"]


def interval_iou(pred: Interval, gold: Interval) -> float:
    """Return overlap over (latest end - earliest start), 0 where that isn't positive.

    Args:
        pred: predicted start and end, in seconds, as given (also reversed).
        gold: gold start and end, in seconds, finite.

    Returns:
        The ratio, 0 to 1.

    Example:
        >>> interval_iou((0.0, 10.0), (5.0, 20.0)), interval_iou((20.0, 5.0), (5.0, 20.0))
        (0.25, 0.0)
    """
    intersection = max(0.0, min(pred[1], gold[1]) - max(pred[0], gold[0]))
    union = max(pred[1], gold[1]) - min(pred[0], gold[0])
    return intersection / union if union > 0 else 0.0
