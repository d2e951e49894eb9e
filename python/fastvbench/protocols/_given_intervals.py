"""Intervals that a prediction file holds as numbers, read with the same care as text.

Numbers need no parser: they are put in order, clamped to the video and refused where they are not
finite, and it is known which of a row's numbers were kept, for the scores that stand beside them.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import Flag, Status
from fastvbench.intervals import Intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GivenColumn", "Pairs", "as_float", "given_column", "given_intervals", "merged"]

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


def as_float(number: float) -> float:
    """A number as float64, infinite where it is beyond."""
    try:
        return float(number)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf if number > 0 else -math.inf


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
    rows, places = _rows_of(fields)
    if not rows:
        return None
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    where = np.array(places, np.int64)
    lengths = np.full(len(rows), np.inf)
    if durations is not None:
        known = durations[where]
        lengths = np.where(np.isnan(known), np.inf, known)
    flat = list(itertools.chain.from_iterable(rows))
    values = np.array(flat, np.float64) if flat else np.empty((0, 2))
    return _checked(values, counts, lengths, where)


def _rows_of(fields: dict[str, list[Any]]) -> tuple[list[Any], list[int]]:
    """Rows of pairs, and the place of each in the batch."""
    column = fields.get("intervals")
    if column is not None and "interval" not in fields:
        rows = [row for row in column if row is not None]
        if _are_pairs(rows):
            return rows, [k for k, row in enumerate(column) if row is not None]
    count = len(next(iter(fields.values())))
    found = [(k, pairs) for k in range(count) if (pairs := given_intervals(fields, k)) is not None]
    return [pairs for _, pairs in found], [k for k, _ in found]


def _are_pairs(rows: list[Any]) -> bool:
    """Whether all rows are lists of pairs of floats, which readers of prediction files make."""
    if set(map(type, rows)) - {list}:
        return False
    flat = list(itertools.chain.from_iterable(rows))
    return (
        not set(map(type, flat)) - {list, tuple}
        and not set(map(len, flat)) - {2}
        and not set(map(type, itertools.chain.from_iterable(flat))) - {float}
    )


def _checked(
    values: FloatArray,
    counts: npt.NDArray[np.int64],
    lengths: FloatArray,
    places: npt.NDArray[np.int64],
) -> GivenColumn:
    row_of = np.repeat(np.arange(len(counts)), counts)
    finite = np.isfinite(values).all(axis=1)
    start, end = values.min(axis=1), values.max(axis=1)
    video_end = lengths[row_of]
    with np.errstate(invalid="ignore", over="ignore"):
        outside = (end < 0) | (start > video_end) | ((start >= video_end) & (end > start))
        clamped_start, clamped_end = np.maximum(start, 0.0) + 0.0, np.minimum(end, video_end)
        kept = finite & ~outside & (clamped_end - clamped_start <= LONGEST_SECONDS)
    flags = (
        np.where(values[:, 0] > values[:, 1], Flag.SWAPPED, 0)
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
