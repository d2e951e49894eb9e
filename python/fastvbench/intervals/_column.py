"""The Intervals column: any number of time intervals per row, without an object per interval."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fastvbench.core._device import device_of
from fastvbench.core._status import STATUS_NAMES, Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Intervals", "as_intervals"]

_Pairs = Iterable[tuple[float, float]]
_Integer = TypeVar("_Integer", np.uint8, np.uint16, np.int64)


class Intervals:
    """Rows of time intervals in seconds; row i owns ``values[offsets[i]:offsets[i + 1]]``.

    Built by :meth:`from_rows`, :meth:`from_arrays` and :meth:`from_arrow`, and returned by the
    parsers of model text. Treat the arrays as read-only: they may be shared.

    Args:
        values: float64 [m, 2], start and end in seconds. Numbers are not judged here; each function
            refuses what it cannot score and names the row.
        offsets: int64 [n + 1], ascending from 0 to m.
        status: uint8 [n], why each row has what it has (:class:`Status`). By default ``OK`` where a
            row has intervals and ``NO_ANSWER`` where it has none.
        flags: uint16 [m], what was done to each interval (:class:`Flag`). By default nothing.
        spans: int64 [m, 2], the bytes of the text that each interval was read from. By default
            (0, 0): not read from a text.

    Raises:
        ValueError: shapes that do not fit each other; the message names argument, row and value.
        TypeError: arrays that do not hold numbers of the right kind.

    Example:
        >>> column = Intervals.from_rows([[(1.0, 4.0), (6.0, 7.5)], []])
        >>> column.rows()
        [[(1.0, 4.0), (6.0, 7.5)], []]
        >>> column.reasons()
        ['ok', 'no_answer']
    """

    __slots__ = ("_flags", "_spans", "_status", "offsets", "values")

    values: NDArray[np.float64]
    offsets: NDArray[np.int64]
    _status: NDArray[np.uint8] | None
    _flags: NDArray[np.uint16] | None
    _spans: NDArray[np.int64] | None

    def __init__(
        self,
        values: object,
        offsets: object,
        status: object | None = None,
        flags: object | None = None,
        spans: object | None = None,
    ) -> None:
        self.values = _pairs_array(values, "values")
        self.offsets = _offsets_array(offsets, len(self.values), "offsets")
        rows, count = len(self.offsets) - 1, len(self.values)
        self._status = None if status is None else _shaped(status, "status", np.uint8, (rows,))
        self._flags = None if flags is None else _shaped(flags, "flags", np.uint16, (count,))
        self._spans = None if spans is None else _shaped(spans, "spans", np.int64, (count, 2))

    @classmethod
    def from_rows(cls, rows: Iterable[_Pairs]) -> Intervals:
        """Build the column from one sequence of ``(start, end)`` pairs per row.

        Raises:
            ValueError: an entry that is not a pair of numbers; the message names row and value.
            TypeError: a row that is not a sequence.
        """
        return _from_rows(cls, rows, "rows")

    @classmethod
    def from_arrays(cls, values: object, offsets: object) -> Intervals:
        """Build the column from its two main arrays, shared where type and layout allow it.

        Args:
            values: float64 [m, 2] seconds.
            offsets: int64 [n + 1], ascending from 0 to m.
        """
        return cls(values, offsets)

    @classmethod
    def from_arrow(cls, obj: object) -> Intervals:
        """Build the column from any object with the Arrow PyCapsule interface.

        Args:
            obj: a pyarrow Array or ChunkedArray, a polars Series, a nanoarrow array: a list or
                large list (or fixed-size list) of either fixed-size lists of two doubles or structs
                of two doubles (start, end). float32 and integers convert. A null row has no
                intervals and the status ``missing``.

        Raises:
            TypeError: the object offers no Arrow data, or data of another type (named).
            ValueError: a null interval or a null number (its row is named).
        """
        from fastvbench.intervals._arrow import intervals_from_arrow  # noqa: PLC0415

        return cls(*intervals_from_arrow(obj, "obj"))

    @property
    def status(self) -> NDArray[np.uint8]:
        """uint8 [n]: one :class:`Status` per row."""
        if self._status is None:
            has_any = self.offsets[1:] > self.offsets[:-1]
            self._status = np.where(has_any, Status.OK, Status.NO_ANSWER).astype(np.uint8)
        return self._status

    @property
    def flags(self) -> NDArray[np.uint16]:
        """uint16 [m]: the :class:`Flag` bits of each interval."""
        if self._flags is None:
            self._flags = np.zeros(len(self.values), np.uint16)
        return self._flags

    @property
    def spans(self) -> NDArray[np.int64]:
        """int64 [m, 2]: first byte and the byte after the last of the text of each interval."""
        if self._spans is None:
            self._spans = np.zeros((len(self.values), 2), np.int64)
        return self._spans

    def rows(self) -> list[list[tuple[float, float]]]:
        """Return the column as one list of ``(start, end)`` per row."""
        pairs = list(map(tuple, self.values.tolist()))
        bounds = self.offsets.tolist()
        return [pairs[begin:end] for begin, end in itertools.pairwise(bounds)]

    def reasons(self) -> list[str]:
        """Return the name of each row's status."""
        return [STATUS_NAMES[number] for number in self.status.tolist()]

    def take(self, rows: NDArray[np.int64]) -> Intervals:
        """Return the rows with these numbers, in this order; a row may be taken more than once.

        Args:
            rows: int64 [k], each in [0, n).
        """
        begin, end = self.offsets[:-1][rows], self.offsets[1:][rows]
        counts = end - begin
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        # Position of each taken interval: its row's begin plus its place within the row.
        kept = np.arange(offsets[-1]) + np.repeat(begin - offsets[:-1], counts)
        return Intervals(
            self.values[kept],
            offsets,
            self.status[rows],
            None if self._flags is None else self._flags[kept],
            None if self._spans is None else self._spans[kept],
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __eq__(self, other: object) -> bool:
        """Equal values, rows, statuses, flags and spans (NaN equals NaN)."""
        if not isinstance(other, Intervals):
            return NotImplemented
        return (
            np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.values, other.values, equal_nan=True)
            and np.array_equal(self.status, other.status)
            and np.array_equal(self.flags, other.flags)
            and np.array_equal(self.spans, other.spans)
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        return f"Intervals(rows={len(self)}, intervals={len(self.values)})"


def as_intervals(obj: object, name: str) -> Intervals:
    """Take whatever holds intervals: the column, Arrow data, an [n, 2] array, or rows.

    Args:
        obj: an :class:`Intervals`; an object with the Arrow PyCapsule interface; an [n, 2] array
            (numpy, ``__array__`` or DLPack on the CPU), one interval per row; a list of
            ``(start, end)`` pairs, one per row; or a list of rows, each a list of pairs.
        name: the argument's name, for the message of an error.

    Raises:
        TypeError: none of these.
        ValueError: one of these with a wrong shape or entry; the message names the row.
    """
    if isinstance(obj, Intervals):
        return obj
    if offers_arrow(obj):
        from fastvbench.intervals._arrow import intervals_from_arrow  # noqa: PLC0415

        return Intervals(*intervals_from_arrow(obj, name))
    if is_array(obj) or (isinstance(obj, (list, tuple)) and _holds_pairs(obj)):
        values = _pairs_array(obj, name)
        return Intervals(values, np.arange(len(values) + 1, dtype=np.int64))
    if isinstance(obj, (list, tuple)):
        return _from_rows(Intervals, obj, name)
    raise TypeError(
        f"{name} is {type(obj).__name__}; expected Intervals, an [n, 2] array, Arrow lists of "
        "pairs, or a list with the (start, end) pairs of each row"
    )


def is_array(obj: object) -> bool:
    """Tell whether numpy can take the object as an array without walking Python objects."""
    return isinstance(obj, np.ndarray) or hasattr(obj, "__array__") or hasattr(obj, "__dlpack__")


def offers_arrow(obj: object) -> bool:
    """Tell whether the object has the Arrow PyCapsule interface (many also have ``__array__``)."""
    return hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "__arrow_c_array__")


def as_pairs(obj: object, name: str) -> NDArray[np.float64]:
    """Take input with exactly one interval per row as a C-contiguous float64 [n, 2] array.

    Raises:
        ValueError: a row with none or several; the message names it.
        TypeError: input of another kind.
    """
    if is_array(obj) and not offers_arrow(obj):
        return _pairs_array(obj, name)
    column = as_intervals(obj, name)
    counts = np.diff(column.offsets)
    if len(column.values) != len(column) or not (counts == 1).all():
        row = int(np.argmax(counts != 1))
        raise ValueError(
            f"{name} row {row} has {counts[row]} intervals; expected exactly one per row "
            "(interval_set_iou takes any number)"
        )
    return column.values


def _holds_pairs(rows: Sequence[Any]) -> bool:
    """Tell a list of pairs, one interval per row, from a list of rows of pairs."""
    for row in rows:
        if isinstance(row, Intervals) or not hasattr(row, "__len__"):
            return False
        if len(row) > 0:
            return not hasattr(row[0], "__len__")
    return False


def _from_rows(cls: type[Intervals], rows: Iterable[_Pairs], name: str) -> Intervals:
    offsets = [0]
    flat: list[tuple[float, float]] = []
    for row_index, row in enumerate(rows):
        if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise TypeError(
                f"{name}[{row_index}] is {_shown(row)}; expected a list of (start, end) pairs"
            )
        flat.extend(row)
        offsets.append(len(flat))
    try:
        # Without a dtype, so that strings and booleans are seen rather than converted.
        values = np.array(flat) if flat else np.empty((0, 2))
        fits = values.dtype.kind in "fiu" and values.shape == (len(flat), 2)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        _raise_bad_pair(flat, offsets, name)
    return cls(values, np.array(offsets, np.int64))


def _raise_bad_pair(flat: list[Any], offsets: list[int], name: str) -> None:
    """Find the first entry that is no pair of numbers, and say where it is."""
    for index, pair in enumerate(flat):
        try:
            numbers = np.array(pair)
            good = numbers.dtype.kind in "fiu" and numbers.shape == (2,)
        except (TypeError, ValueError):
            good = False
        if not good:
            row = int(np.searchsorted(offsets, index, "right")) - 1
            raise ValueError(
                f"{name}[{row}][{index - offsets[row]}] is {_shown(pair)}; "
                "expected (start, end) in seconds"
            )
    raise ValueError(f"{name} holds no (start, end) pairs; got {_shown(flat)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _to_numpy(obj: object, name: str) -> NDArray[Any]:
    device = device_of(obj)
    if device is not None:
        raise TypeError(f"{name} is on CUDA device {device}; expected an array in host memory here")
    if not isinstance(obj, np.ndarray) and not hasattr(obj, "__array__"):
        if hasattr(obj, "__dlpack__"):
            return np.from_dlpack(obj)
        if not isinstance(obj, (list, tuple)):
            raise TypeError(f"{name} is {type(obj).__name__}; expected an array")
    try:
        return np.asarray(obj)
    except ValueError as error:
        raise ValueError(f"{name} is ragged or not numeric; expected an [n, 2] array") from error


def _pairs_array(obj: object, name: str) -> NDArray[np.float64]:
    array = _to_numpy(obj, name)
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, 2).astype(np.float64)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} has dtype {array.dtype}; expected float64 seconds")
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} has shape {list(array.shape)}; expected [n, 2]: start, end")
    return np.ascontiguousarray(array, np.float64)


def _offsets_array(obj: object, count: int, name: str) -> NDArray[np.int64]:
    array = _to_numpy(obj, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}; expected int64")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has shape {list(array.shape)}; expected [rows + 1]")
    offsets = np.ascontiguousarray(array, np.int64)
    if offsets[0] != 0:
        raise ValueError(f"{name}[0]={offsets[0]} is not 0")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        row = int(np.argmax(falls))
        raise ValueError(
            f"{name}[{row + 1}]={offsets[row + 1]} is below {name}[{row}]={offsets[row]}; "
            "expected ascending offsets"
        )
    if offsets[-1] > count:
        row = int(np.argmax(offsets > count))
        raise ValueError(f"{name}[{row}]={offsets[row]} is beyond len(values)={count}")
    if offsets[-1] != count:
        raise ValueError(
            f"{name}[{len(offsets) - 1}]={offsets[-1]} leaves values unowned; "
            f"expected len(values)={count} at the end"
        )
    return offsets


def _shaped(
    obj: object, name: str, dtype: type[_Integer], shape: tuple[int, ...]
) -> NDArray[_Integer]:
    array = _to_numpy(obj, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}; expected {np.dtype(dtype)}")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {list(array.shape)}; expected {list(shape)}")
    most = len(STATUS_NAMES) - 1 if name == "status" else np.iinfo(dtype).max
    if array.dtype != dtype or name == "status":
        outside = (array < np.iinfo(dtype).min) | (array > most)
        if outside.any():
            row = int(np.argmax(outside.reshape(len(array), -1).any(axis=1)))
            raise ValueError(f"{name}[{row}]={array[row]} is outside 0 to {most}")
    return np.ascontiguousarray(array, dtype)
