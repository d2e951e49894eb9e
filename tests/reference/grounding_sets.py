"""What `robust` means for rows of several windows, in plain Python, one row at a time.

Windows are ``(start, end)`` in seconds, gold windows are in order and inside the video.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from tests.reference import average_precision, intervals, matching

if TYPE_CHECKING:
    from collections.abc import Sequence

THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
RANGES = {
    "full": (-1.0, math.inf),
    "short": (0.0, 10.0),
    "middle": (10.0, 30.0),
    "long": (30.0, math.inf),
}
MOST_WINDOWS = 10
NAN = math.nan


def usable(
    pairs: Sequence[Sequence[float]], duration: float | None
) -> list[tuple[int, float, float]]:
    """Place, start and end of each given pair that can be used: in order, inside the video."""
    end_of_video = math.inf if duration is None else duration
    kept = []
    for place, (a, b) in enumerate(pairs):
        if not (math.isfinite(a) and math.isfinite(b)):
            continue
        start, end = min(a, b), max(a, b)
        after = start > end_of_video or (start >= end_of_video and end > start)
        start, end_inside = max(start, 0.0), min(end, end_of_video)
        if end < 0 or after or end_inside - start > intervals.LONGEST_SECONDS:
            continue
        kept.append((place, start, end_inside))
    return kept


def conventions(pred: intervals.Row, gold: intervals.Row) -> dict[str, float]:
    """The IoU of one row by each convention for several windows; NaN without gold."""
    if not gold:
        return dict.fromkeys(("union", "first", "one_to_one", "best"), NAN)
    pairs = matching.optimal_of_many(pred, gold)
    return {
        "union": intervals.set_iou(pred, gold),
        "first": intervals.first_iou(pred, gold),
        "one_to_one": sum(pair.iou for pair in pairs) / len(gold),
        "best": intervals.best_iou(pred, gold),
    }


def precision_and_recall(pred: intervals.Row, gold: intervals.Row) -> tuple[float, float]:
    """Overlap over predicted and over gold length, both sides merged; 0 where that is 0."""
    if not gold:
        return NAN, NAN
    pred, gold = intervals.merge(pred), intervals.merge(gold)
    overlap = sum(intervals.overlap(p, g) for p in pred for g in gold)
    lengths = intervals.length(pred), intervals.length(gold)
    precision, recall = (overlap / length if length > 0 else 0.0 for length in lengths)
    return precision, recall


def best_scored(
    pred: intervals.Row, scores: Sequence[float]
) -> tuple[list[intervals.Interval], list[float]]:
    """The ten highest-scored windows, best first; equal scores keep their order."""
    order = sorted(range(len(pred)), key=lambda i: -scores[i])[:MOST_WINDOWS]
    return [pred[i] for i in order], [scores[i] for i in order]


def moments(
    pred: intervals.Row, scores: Sequence[float], gold: intervals.Row
) -> dict[str, tuple[list[float], float]]:
    """Average precision at each threshold and IoU of the best-scored window, by length of gold."""
    pred, scores = best_scored(pred, scores)
    results = {}
    for name, (above, up_to) in RANGES.items():
        wanted = [(s, e) for s, e in gold if above < e - s <= up_to]
        if not wanted:
            results[name] = ([NAN] * len(THRESHOLDS), NAN)
            continue
        precisions = [
            average_precision.query_average_precision(pred, scores, wanted, threshold)
            for threshold in THRESHOLDS
        ]
        results[name] = (precisions, intervals.first_iou(pred, wanted))
    return results


def highlights(
    predicted: Sequence[float] | None, grades: Sequence[Sequence[int]], minimum: int
) -> tuple[float, float]:
    """Average precision and Hit@1 of one row; NaN where no clip has so high a grade."""
    right = [[grade >= minimum for grade in clip] for clip in grades]
    annotators = [list(column) for column in zip(*right, strict=True) if any(column)]
    if not annotators:
        return NAN, NAN
    scores = [-math.inf] * len(grades)
    for place, score in enumerate((predicted or [])[: len(grades)]):
        if math.isfinite(score):
            scores[place] = score
    highest = max(scores)
    if highest == -math.inf:
        return 0.0, 0.0
    top = [any(right[i]) for i, score in enumerate(scores) if score == highest]
    precisions = [clip_average_precision(scores, column) for column in annotators]
    return mean(precisions), sum(top) / len(top)


def mean(values: Sequence[float]) -> float:
    """Added in order, without the compensation that newer Pythons' ``sum`` has."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def clip_average_precision(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Interpolated; clips with equal scores are ranked as one group, whatever their order."""
    ranked = sorted(zip(scores, right, strict=True), key=lambda clip: -clip[0])
    seen = found = 0
    groups = []
    for _, clips in itertools.groupby(ranked, key=lambda clip: clip[0]):
        group = [is_right for _, is_right in clips]
        seen += len(group)
        found += sum(group)
        groups.append((sum(group), found / seen))
    total = best = 0.0
    for gained, precision in reversed(groups):
        best = max(best, precision)
        total += gained * best
    return total / found
