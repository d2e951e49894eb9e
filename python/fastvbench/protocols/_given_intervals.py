"""Intervals that a prediction file holds as numbers, read with the same care as text.

Numbers need no parser: they are put in order, clamped to the video and refused where they are not
finite, and it is known which of a row's numbers were kept, for the scores that stand beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench import _core
from fastvbench.core._numbers import as_float
from fastvbench.core._status import Flag, Status
from fastvbench.intervals import Intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GivenColumn", "Pairs", "given_column", "given_intervals", "merged"]

Pairs = list[tuple[float, float]]
FloatArray = npt.NDArray[np.float64]

LONGEST_SECONDS = 1e300  # so that sums of lengths stay finite
_FIELDS = ("intervals", "interval")


def given_intervals(fields: dict[str, list[Any]], k: int) -> Pairs | None:
    """Intervals of row k that a file holds as numbers rather than text, or None.

    ``intervals`` is a list of pairs, ``interval`` one pair or a list of pairs.
    """
    for name in _FIELDS:
        column = fields.get(name)
        pairs = None if column is None else _pairs_of(column[k])
        if pairs is not None:
            return pairs
    return None


def _pairs_of(value: object) -> Pairs | None:
    if not isinstance(value, list | tuple):
        return None
    pairs = [value] if value and not isinstance(value[0], list | tuple) else value
    if all(len(p) == 2 and all(_is_number(x) for x in p) for p in pairs):
        return [(as_float(start), as_float(end)) for start, end in pairs]
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(slots=True)
class GivenColumn:
    """The intervals of k rows that hold them as numbers, as far as they can be used.

    Attributes:
        places: int64[k], place of each row in its batch.
        counts: int64[k], intervals that each row gives, usable or not.
        intervals: k rows.
        kept: int64[m], which of the row's given intervals each of the m kept ones is.
    """

    places: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    intervals: Intervals
    kept: npt.NDArray[np.int64]

    def without(self, rows: npt.NDArray[np.bool_]) -> GivenColumn:
        """The other rows: bool[k] says which to leave out, none of which has an interval."""
        left = np.flatnonzero(~rows)
        return GivenColumn(
            self.places[left], self.counts[left], self.intervals.take(left), self.kept
        )


def given_column(fields: dict[str, list[Any]], durations: FloatArray | None) -> GivenColumn | None:
    """The rows of a batch whose intervals are numbers; None where none are.

    Reversed pairs are swapped, ends clamped to the video, and the flags say so. Pairs with a number
    that is not finite, and those outside the video, are left out; a row that loses all of them has
    the status ``not_finite`` or ``out_of_range``.

    Args:
        fields: columns of the batch.
        durations: seconds of each row's video, NaN where unknown; None where all are.
    """
    if not any(name in fields for name in _FIELDS):
        return None
    values, counts, places = _pairs_of_rows(fields)
    if not len(counts):
        return None
    lengths = np.full(len(counts), np.inf)
    if durations is not None:
        known = durations[places]
        lengths = np.where(np.isnan(known), np.inf, known)
    return _checked(values, counts, lengths, places)


def _pairs_of_rows(
    fields: dict[str, list[Any]],
) -> tuple[FloatArray, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All pairs float64[m, 2], how many each row gives, and the place of each row in the batch."""
    column = fields.get("intervals")
    if column is not None and "interval" not in fields:
        pairs = _core.pair_rows(column)  # None for rows of any other shape
        if pairs is not None:
            return pairs
    count = len(next(iter(fields.values())))
    given = [given_intervals(fields, k) for k in range(count)]
    pairs = _core.pair_rows(given)
    assert pairs is not None
    return pairs


def _checked(
    values: FloatArray,
    counts: npt.NDArray[np.int64],
    lengths: FloatArray,
    places: npt.NDArray[np.int64],
) -> GivenColumn:
    row_of = np.repeat(np.arange(len(counts)), counts)
    first_end, second_end = values[:, 0], values[:, 1]
    start, end = np.minimum(first_end, second_end), np.maximum(first_end, second_end)
    finite = np.isfinite(start) & np.isfinite(end)
    video_end = lengths[row_of]
    with np.errstate(invalid="ignore", over="ignore"):
        outside = (end < 0) | (start > video_end) | ((start >= video_end) & (end > start))
        clamped_start, clamped_end = np.maximum(start, 0.0) + 0.0, np.minimum(end, video_end)
        kept = finite & ~outside & (clamped_end - clamped_start <= LONGEST_SECONDS)
    flags = (
        np.where(first_end > second_end, Flag.SWAPPED, 0)
        | np.where(start < 0, Flag.CLAMPED_START, 0)
        | np.where(end > video_end, Flag.CLAMPED_END, 0)
        | np.where(clamped_start == clamped_end, Flag.ZERO_LENGTH, 0)
    )
    kept_counts = np.bincount(row_of[kept], minlength=len(counts))
    offsets = np.concatenate([[0], np.cumsum(kept_counts)]).astype(np.int64)
    has_infinite = np.bincount(row_of[~finite], minlength=len(counts)) > 0
    status = np.where(
        kept_counts > 0,
        Status.OK,
        np.where(
            counts == 0,
            Status.NO_NUMBER,
            np.where(has_infinite, Status.NOT_FINITE, Status.OUT_OF_RANGE),
        ),
    )
    first = np.cumsum(counts) - counts
    intervals = Intervals(
        np.stack([clamped_start, clamped_end], axis=1)[kept],
        offsets,
        status,
        flags[kept],
        np.full((int(kept.sum()), 2), -1),
    )
    return GivenColumn(places, counts, intervals, (np.arange(len(values)) - first[row_of])[kept])


def merged(parts: Sequence[tuple[npt.NDArray[np.int64], Intervals]], row_count: int) -> Intervals:
    """One column of rows that were read in parts.

    Args:
        parts: for each part, the place of its rows, and the rows.
        row_count: rows of all parts together.
    """
    counts = np.zeros(row_count, np.int64)
    status = np.zeros(row_count, np.uint8)
    for places, part in parts:
        counts[places] = np.diff(part.offsets)
        status[places] = part.status
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    values = np.empty((offsets[-1], 2))
    flags = np.empty(offsets[-1], np.uint16)
    spans = np.empty((offsets[-1], 2), np.int64)
    for places, part in parts:
        sizes = np.diff(part.offsets)
        target = np.arange(len(part.values)) + np.repeat(offsets[places] - part.offsets[:-1], sizes)
        values[target], flags[target], spans[target] = part.values, part.flags, part.spans
    return Intervals(values, offsets, status, flags, spans)
