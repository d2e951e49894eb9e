"""Highlight detection: how well saliency scores rank the clips of a video, whatever their ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ClipGrades", "highlight_scores"]

FloatArray = npt.NDArray[np.float64]
ClipGrades = npt.NDArray[np.int8]  # [clips, annotators]


def highlight_scores(
    predicted: Sequence[Any],
    grades: Sequence[ClipGrades | None],
    minimums: Sequence[int],
    *,
    threads: int = 0,
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
        threads: 0 uses every core.

    Returns:
        For each minimum two float64[k], NaN where no clip has such a grade.
    """
    results = {
        minimum: (np.full(len(grades), np.nan), np.full(len(grades), np.nan))
        for minimum in minimums
    }
    annotated = [(k, row) for k, row in enumerate(grades) if row is not None and len(row)]
    if not annotated:
        return results
    places = np.array([k for k, _ in annotated])
    counts = np.fromiter((len(row) for _, row in annotated), np.int64, len(annotated))
    precisions, hits = _core.highlight_scores(
        _scores([predicted[k] for k, _ in annotated], counts),
        _grades([row for _, row in annotated]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.array(minimums, np.int8),
        threads,
    )
    for minimum, precision, hit in zip(minimums, precisions, hits, strict=True):
        results[minimum][0][places], results[minimum][1][places] = precision, hit
    return results


def _scores(predicted: list[Any], clip_counts: npt.NDArray[np.int64]) -> FloatArray:
    """The score of every clip, row after row; NaN where there is none."""
    numbers, given_counts = _core.number_rows(predicted)
    if np.array_equal(given_counts, clip_counts):
        return numbers
    first_given = np.cumsum(given_counts) - given_counts
    used_counts = np.minimum(given_counts, clip_counts)
    first = np.cumsum(clip_counts) - clip_counts
    place = np.arange(used_counts.sum()) - np.repeat(
        np.cumsum(used_counts) - used_counts, used_counts
    )
    scores = np.full(int(clip_counts.sum()), np.nan)
    scores[place + np.repeat(first, used_counts)] = numbers[
        place + np.repeat(first_given, used_counts)
    ]
    return scores


def _grades(rows: list[ClipGrades]) -> ClipGrades:
    """Those of every clip, row after row; -1 by annotators whom a row lacks."""
    widest = max(row.shape[1] for row in rows)
    return np.concatenate(
        [
            row
            if row.shape[1] == widest
            else np.pad(row, ((0, 0), (0, widest - row.shape[1])), constant_values=-1)
            for row in rows
        ]
    )
