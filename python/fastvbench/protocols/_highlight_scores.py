"""Highlight detection: how well saliency scores rank the clips of a video, whatever their ties."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ClipGrades", "highlight_scores"]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
ClipGrades = npt.NDArray[np.int8]  # [clips, annotators]

_CHUNK_ROWS = 2_048  # so that the matrices of one chunk stay in the cache


def highlight_scores(
    predicted: Sequence[Any], grades: Sequence[ClipGrades | None], minimums: Sequence[int]
) -> dict[int, tuple[FloatArray, FloatArray]]:
    """Average precision and Hit@1 of each row, for each grade from which a clip is right.

    Average precision is interpolated, weighs every right clip alike and doesn't depend on the order
    of clips with equal scores: such a group is ranked as one. It is the mean over the annotators
    that grade any clip so high. Hit@1 is the chance that a clip drawn from those with the highest
    score is right for any annotator. Clips without a finite score rank behind all others.

    Args:
        predicted: k rows of one score per clip (more are left out); None or anything that holds no
            finite number scores 0.
        grades: k arrays int8[clips, annotators]; None where the row is not annotated.
        minimums: the grades.

    Returns:
        For each minimum two float64[k], NaN where no clip has such a grade.
    """
    results = {
        minimum: (np.full(len(grades), np.nan), np.full(len(grades), np.nan))
        for minimum in minimums
    }
    annotated = [k for k, row in enumerate(grades) if row is not None and len(row)]
    for begin in range(0, len(annotated), _CHUNK_ROWS):
        places = annotated[begin : begin + _CHUNK_ROWS]
        chunk = [row for k in places if (row := grades[k]) is not None]
        scores, cube = _matrices([predicted[k] for k in places], chunk)
        for minimum, columns in _chunk_scores(scores, cube, minimums).items():
            for target, column in zip(results[minimum], columns, strict=True):
                target[places] = column
    return results


def _matrices(
    predicted: list[Any], grades: list[ClipGrades]
) -> tuple[FloatArray, npt.NDArray[np.int8]]:
    """Scores [k, clips], -inf where there is none, and grades [k, clips, annotators], -1 beyond."""
    clip_counts = np.fromiter(map(len, grades), np.int64, len(grades))
    width, annotators = int(clip_counts.max()), grades[0].shape[1]
    inside = np.arange(width) < clip_counts[:, None]
    cube = np.full((len(grades), width, annotators), -1, np.int8)
    cube[inside] = np.concatenate(grades)
    given = [_numbers(row, count) for row, count in zip(predicted, clip_counts, strict=True)]
    given_counts = np.fromiter(map(len, given), np.int64, len(given))
    scores = np.full((len(grades), width), -np.inf)
    scores[np.arange(width) < given_counts[:, None]] = np.fromiter(
        itertools.chain.from_iterable(given), np.float64, int(given_counts.sum())
    )
    scores[~np.isfinite(scores)] = -np.inf
    return scores, cube


def _numbers(row: object, most: int) -> Sequence[float]:
    if not isinstance(row, list | tuple):
        return ()
    cut = row[:most]
    if set(map(type, cut)) <= {float, int}:
        return cut
    return [x if type(x) in {float, int} else np.nan for x in cut]


def _chunk_scores(
    scores: FloatArray, cube: npt.NDArray[np.int8], minimums: Sequence[int]
) -> dict[int, tuple[FloatArray, FloatArray]]:
    order = np.argsort(-scores, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    ranked_grades = np.take_along_axis(cube, order[:, :, None], axis=1)
    group_ends = np.ones(ranked.shape, np.bool_)
    group_ends[:, :-1] = ranked[:, 1:] != ranked[:, :-1]
    is_clip = ranked_grades[:, :, 0] >= 0
    seen: npt.NDArray[np.int64] = np.cumsum(is_clip, axis=1, dtype=np.int64)
    answered = ranked[:, 0] > -np.inf
    top = (ranked == ranked[:, :1]) & is_clip
    top_count = np.maximum(top.sum(axis=1), 1)
    results = {}
    for minimum in minimums:
        right: BoolArray = np.greater_equal(ranked_grades, minimum)
        precisions = [
            _average_precision(right[:, :, a], seen, group_ends) for a in range(right.shape[2])
        ]
        average = _mean_of_numbers(np.stack(precisions, axis=1))
        any_right: BoolArray = np.any(right, axis=2)
        hit = (top & any_right).sum(axis=1) / top_count
        hit[~any_right.any(axis=1)] = np.nan
        unanswered = ~answered & ~np.isnan(hit)
        average[unanswered] = hit[unanswered] = 0.0
        results[minimum] = (average, hit)
    return results


def _average_precision(
    right: BoolArray, seen: npt.NDArray[np.int64], group_ends: BoolArray
) -> FloatArray:
    """Interpolated, over rows in score order; NaN where no clip is right."""
    found = np.cumsum(right, axis=1)
    precision = np.where(group_ends, found / np.maximum(seen, 1), 0.0)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    with np.errstate(invalid="ignore"):
        average: FloatArray = (right * best).sum(axis=1) / found[:, -1]
    return average


def _mean_of_numbers(values: FloatArray) -> FloatArray:
    """Mean over the last axis of what is no NaN; NaN where nothing is left."""
    counted = (~np.isnan(values)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        mean: FloatArray = np.nansum(values, axis=1) / counted
    return mean
