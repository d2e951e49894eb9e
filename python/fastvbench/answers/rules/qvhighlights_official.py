"""QVHighlights' scoring of moments and highlights.

Source: jayleicn/moment_detr, ``standalone_eval/eval.py`` and ``utils.py``, commit b7e553a.

The script takes parsed windows ``[start, end, score]`` and one saliency score per clip of two
seconds; it reads no text. Each score of all queries is the mean of what these functions return for
one query, printed in percent with two decimals.

Quirks: R1 takes the window that is listed first, whatever its score, against the gold window that
it overlaps most; that IoU divides by the hull, so it is the true one only for overlapping windows.
Average precision takes the first ten windows of the list and sorts those by score; of gold windows
that a window overlaps equally the one listed last is tried first. A query without windows stops the
script (R1 takes the first of none). The subsets short, middle and long keep gold windows of that
length alone, so a window that finds another gold window counts as false there. Saliency is cut or
padded with zeros to the number of clips. Average precision over clips with equal scores counts each
distinct score once, however many right clips share it; a query without right clips has 0, one whose
clips are all right 1. Hit1 takes the first of the highest scores, before any cutting.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

from ._types import PublicScriptAborts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Interval

    ScoredInterval = tuple[float, float, float]

__all__ = [
    "CLIP_SECONDS",
    "LENGTH_RANGES",
    "MOST_WINDOWS",
    "THRESHOLDS",
    "average_precisions",
    "clip_average_precision",
    "clip_hit",
    "first_window_iou",
    "gold_in_range",
]

THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
LENGTH_RANGES: dict[str, tuple[float, float] | None] = {
    "full": None,
    "short": (0.0, 10.0),
    "middle": (10.0, 30.0),
    "long": (30.0, 150.0),
}
MOST_WINDOWS = 10
CLIP_SECONDS = 2


def gold_in_range(gold: Sequence[Interval], name: str) -> list[Interval]:
    """Return the gold windows of a subset: longer than its minimum, at most its maximum.

    Args:
        gold: start and end in seconds.
        name: a key of `LENGTH_RANGES`; ``full`` keeps all.

    Example:
        >>> gold_in_range([(0.0, 10.0), (20.0, 31.0)], "middle")
        [(20.0, 31.0)]
    """
    limits = LENGTH_RANGES[name]
    if limits is None:
        return list(gold)
    return [(start, end) for start, end in gold if limits[0] < end - start <= limits[1]]


def _iou(a: Interval, b: Interval) -> float:
    overlap = max(0.0, min(a[1], b[1]) - max(a[0], b[0]))
    union = (a[1] - a[0]) + (b[1] - b[0]) - overlap
    return overlap / union if union != 0 else 0.0


def first_window_iou(window: Interval, gold: Sequence[Interval]) -> float:
    """Return overlap over hull of a window with the gold window that it overlaps most.

    Args:
        window: the first listed prediction, start and end in seconds.
        gold: at least one gold window.

    Example:
        >>> first_window_iou((0.0, 10.0), [(90.0, 99.0), (5.0, 20.0)])
        0.25
    """
    start, end = max(gold, key=lambda candidate: _iou(window, candidate))
    hull = max(window[1], end) - min(window[0], start)
    overlap = max(0.0, min(window[1], end) - max(window[0], start))
    return overlap / hull if hull != 0 else 0.0


def average_precisions(
    windows: Sequence[ScoredInterval], gold: Sequence[Interval]
) -> tuple[float, ...]:
    """Return the interpolated average precision of one query at each of `THRESHOLDS`.

    Args:
        windows: start, end and score of each prediction, as listed; the first ten count.
        gold: at least one gold window.

    Example:
        >>> average_precisions([(0.0, 4.0, 0.2), (5.0, 9.0, 0.9)], [(0.0, 4.0)])[0]
        0.5
    """
    ranked = sorted(windows[:MOST_WINDOWS], key=lambda window: -window[2])
    ious = [[_iou((start, end), candidate) for candidate in gold] for start, end, _ in ranked]
    # Ascending and then turned around: of equal overlaps the one listed last comes first.
    orders = [sorted(range(len(gold)), key=row.__getitem__)[::-1] for row in ious]
    return tuple(_average_precision(ious, orders, threshold) for threshold in THRESHOLDS)


def _average_precision(ious: list[list[float]], orders: list[list[int]], threshold: float) -> float:
    gold_count = len(orders[0]) if orders else 0
    free = [True] * gold_count
    found = 0
    precisions: list[float] = []
    recalls: list[float] = []
    for rank, (row, order) in enumerate(zip(ious, orders, strict=True), start=1):
        for place in order:
            if row[place] < threshold:
                break
            if free[place]:
                free[place] = False
                found += 1
                break
        precisions.append(found / rank)
        recalls.append(found / gold_count)
    area = best = 0.0
    for rank in reversed(range(len(recalls))):
        best = max(best, precisions[rank])
        area += (recalls[rank] - (recalls[rank - 1] if rank else 0.0)) * best
    return area


def clip_average_precision(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Return the interpolated average precision of one annotator's right clips.

    Args:
        scores: predicted saliency of each clip; cut or padded with zeros to the number of clips.
        right: whether the annotator's score of each clip is high enough.

    Raises:
        PublicScriptAborts: a score is not finite, or the video is shorter than a clip.

    Example:
        >>> clip_average_precision([0.1, 0.9, 0.5], [False, True, True])
        1.0
        >>> clip_average_precision([-1.0], [False, True])  # the padded clip gets 0
        1.0
    """
    if not right:
        raise PublicScriptAborts("AssertionError: the video has no clip")
    if len(set(right)) == 1:
        return float(right[0])
    padded = [*scores[: len(right)], *[0.0] * (len(right) - len(scores))]
    if not all(map(math.isfinite, padded)):
        raise PublicScriptAborts("ValueError: a saliency score is NaN or infinite")
    ranked = sorted(zip(padded, right, strict=True), reverse=True)
    seen = found = 0
    precisions: list[float] = []  # at each distinct score that adds right clips, best score first
    every: list[tuple[int, float]] = []
    for _, clips in groupby(ranked, key=lambda clip: clip[0]):
        group = list(clips)
        seen += len(group)
        gained = sum(is_right for _, is_right in group)
        found += gained
        every.append((gained, found / seen))
    best = 0.0
    for gained, precision in reversed(every):
        best = max(best, precision)
        if gained:
            precisions.append(best)
    return sum(precisions) / len(precisions)


def clip_hit(scores: Sequence[float], right: Sequence[Sequence[bool]]) -> float:
    """Return 1 where the highest-scored clip is right for at least one annotator, else 0.

    Args:
        scores: predicted saliency of each clip.
        right: for each clip, whether each annotator's score is high enough.

    Raises:
        PublicScriptAborts: there is no score.

    Example:
        >>> clip_hit([0.1, 0.9], [[False, False], [False, True]])
        1.0
    """
    if not scores:
        raise PublicScriptAborts("ValueError: no saliency score to take the highest of")
    place = max(range(len(scores)), key=scores.__getitem__)
    return float(place < len(right) and any(right[place]))
