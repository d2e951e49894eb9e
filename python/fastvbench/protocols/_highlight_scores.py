"""Highlight detection: how well saliency scores rank the clips of a video, whatever their ties."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.protocols._given_intervals import as_float

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ClipGrades", "highlight_scores"]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
ClipGrades = npt.NDArray[np.int8]  # [clips, annotators]

_CHUNK_ROWS = 256  # so that the matrices of one chunk stay in the cache


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
    given = [
        row[:count] if isinstance(row, list | tuple) else ()
        for row, count in zip(predicted, clip_counts.tolist(), strict=True)
    ]
    given_counts = np.fromiter(map(len, given), np.int64, len(given))
    scores = np.full((len(grades), width), -np.inf)
    scores[np.arange(width) < given_counts[:, None]] = _numbers(given)
    scores[~np.isfinite(scores)] = -np.inf
    return scores, cube


def _numbers(rows: Sequence[Sequence[Any]]) -> FloatArray:
    """The values of all rows as float64, NaN for what is no number."""
    flat = list(itertools.chain.from_iterable(rows))
    if set(map(type, flat)) <= {float}:
        return np.array(flat, np.float64)
    return np.array([as_float(x) if type(x) in {float, int} else np.nan for x in flat], np.float64)


def _chunk_scores(
    scores: FloatArray, cube: npt.NDArray[np.int8], minimums: Sequence[int]
) -> dict[int, tuple[FloatArray, FloatArray]]:
    order = np.argsort(-scores, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    # One matrix an annotator, so that every pass over clips reads memory in order.
    ranked_grades = [
        np.take_along_axis(np.ascontiguousarray(cube[:, :, a]), order, axis=1)
        for a in range(cube.shape[2])
    ]
    group_ends = np.ones(ranked.shape, np.bool_)
    group_ends[:, :-1] = ranked[:, 1:] != ranked[:, :-1]
    is_clip = ranked_grades[0] >= 0
    # Precision at each place but for the clips found there: 0 inside a group of equal scores.
    per_clip = group_ends / np.maximum(np.cumsum(is_clip, axis=1), 1)
    answered = ranked[:, 0] > -np.inf
    top = (ranked == ranked[:, :1]) & is_clip
    top_count = np.maximum(top.sum(axis=1), 1)
    results = {}
    for minimum in minimums:
        right: list[BoolArray] = [grades >= minimum for grades in ranked_grades]
        precisions = [_average_precision(rows, per_clip) for rows in right]
        average = _mean_of_numbers(np.stack(precisions, axis=1))
        any_right: BoolArray = np.logical_or.reduce(right)
        hit = (top & any_right).sum(axis=1) / top_count
        hit[~any_right.any(axis=1)] = np.nan
        unanswered = ~answered & ~np.isnan(hit)
        average[unanswered] = hit[unanswered] = 0.0
        results[minimum] = (average, hit)
    return results


def _average_precision(right: BoolArray, per_clip: FloatArray) -> FloatArray:
    """Interpolated, over rows in score order; NaN where no clip is right.

    Args:
        right: bool[k, clips].
        per_clip: float64[k, clips], what precision one right clip up to there is.
    """
    found = np.cumsum(right, axis=1, dtype=np.float64)
    precision = found * per_clip
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    with np.errstate(invalid="ignore"):
        average: FloatArray = np.einsum("kc,kc->k", right, best) / found[:, -1]
    return average


def _mean_of_numbers(values: FloatArray) -> FloatArray:
    """Mean over the last axis of what is no NaN; NaN where nothing is left."""
    counted = (~np.isnan(values)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        mean: FloatArray = np.nansum(values, axis=1) / counted
    return mean
