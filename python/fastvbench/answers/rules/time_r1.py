"""Time-R1's scoring of one interval.

Source: xiaomi-research/time-r1, ``src/vllm_inference/eval_all.py``, commit 7f2b594. It reads a text
as `videochat_r1.interval` does.

Quirks: the overlap is divided by the hull, a negative one counting as zero, and a recall counts an
IoU only above its threshold, not at it. Dividing nothing by nothing gives NaN, which makes the mean
of all rows NaN; dividing by it what overlaps does not happen. Its "avg" mixes the mean IoU with the
three recalls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._types import PublicScriptAborts

if TYPE_CHECKING:
    from ._types import Interval

__all__ = ["hull_iou"]


def hull_iou(pred: Interval, gold: Interval) -> float:
    """Return overlap over hull: the true IoU of two overlapping intervals, 0 for disjoint ones.

    Args:
        pred: predicted start and end, in seconds, as written (also reversed).
        gold: gold start and end, in seconds.

    Raises:
        PublicScriptAborts: the hull has no length.

    Example:
        >>> hull_iou((0.0, 10.0), (5.0, 20.0)), hull_iou((20.0, 5.0), (5.0, 20.0))
        (0.25, 0.0)
    """
    hull = max(pred[1], gold[1]) - min(pred[0], gold[0])
    if hull <= 0:
        raise PublicScriptAborts("its mean becomes NaN: the hull has no length")
    return max(min(pred[1], gold[1]) - max(pred[0], gold[0]), 0.0) / hull
