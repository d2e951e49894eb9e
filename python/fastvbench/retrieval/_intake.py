"""Embeddings as the core takes them: a contiguous array and the number of its element type."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Embeddings", "Relevant", "as_count", "as_embeddings", "as_relevant"]

FLOAT32, FLOAT16, BFLOAT16 = 0, 1, 2


class Embeddings(NamedTuple):
    """Rows for the core: float32, or the 16-bit patterns of float16 and bfloat16 as uint16."""

    values: NDArray[Any]
    element_type: int


class Relevant(NamedTuple):
    """Relevant rows of each query: query i owns values[offsets[i]:offsets[i + 1]]."""

    values: NDArray[np.int64]
    offsets: NDArray[np.int64]


def as_count(number: object, name: str) -> int:
    """Take a whole number from 1.

    Raises:
        TypeError: no integer.
        ValueError: below 1.
    """
    if isinstance(number, (bool, np.bool_)) or not hasattr(number, "__index__"):
        raise TypeError(f"{name} is {number!r}; expected an integer")
    count = operator.index(number)
    if count < 1:
        raise ValueError(f"{name}={count}; expected at least 1")
    return count


def as_embeddings(data: object, name: str) -> Embeddings:
    """Take embeddings from numpy (memory-mapped too), torch or any other DLPack library on the CPU.

    Nothing is copied where the rows lie one after the other.

    Raises:
        TypeError: not float32, float16 or bfloat16; the message names the conversion.
        ValueError: not two-dimensional, or without rows or dimensions.
    """
    if type(data) is np.ndarray and data.dtype == np.float32 and data.flags.c_contiguous:
        return Embeddings(_checked_shape(data, name), FLOAT32)  # what most callers hold
    array, element_type = _as_array(data, name)
    return Embeddings(np.ascontiguousarray(_checked_shape(array, name)), element_type)


def as_relevant(relevant: object, query_count: int) -> Relevant:
    """Take relevant rows: one per query; a list, set or array each; or (values, offsets) arrays.

    Raises:
        TypeError: something else, or rows that are not whole numbers.
        ValueError: not one entry per query; a query without a relevant row.
    """
    if isinstance(relevant, tuple) and len(relevant) == 2 and _is_array_pair(relevant):
        values = _row_numbers(relevant[0], "relevant[0]")
        offsets = _row_numbers(relevant[1], "relevant[1]")
        if len(offsets) != query_count + 1:
            raise ValueError(
                f"relevant has {len(offsets)} offsets; expected {query_count + 1}, one more than "
                f"the queries"
            )
    elif isinstance(relevant, Sequence) and any(_is_several(row) for row in relevant):
        rows = [_row_numbers(_listed(row), f"relevant[{i}]") for i, row in enumerate(relevant)]
        values = np.concatenate(rows) if rows else np.empty(0, np.int64)
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    else:
        values = _row_numbers(relevant, "relevant")
        offsets = np.arange(len(values) + 1, dtype=np.int64)
    if len(offsets) != query_count + 1:
        raise ValueError(
            f"relevant has {len(offsets) - 1} entries; expected {query_count}, one per query"
        )
    alone = np.flatnonzero(np.diff(offsets) == 0)
    if len(alone):
        raise ValueError(
            f"relevant[{alone[0]}] is empty; expected at least one relevant row per query"
        )
    return Relevant(values, offsets)


def _is_several(rows: object) -> bool:
    return isinstance(rows, Sequence | Set) or (isinstance(rows, np.ndarray) and rows.ndim > 0)


def _listed(rows: object) -> object:
    return sorted(rows) if isinstance(rows, Set) else rows


def _is_array_pair(pair: tuple[object, object]) -> bool:
    return all(isinstance(part, np.ndarray) for part in pair)


def _row_numbers(rows: object, name: str) -> NDArray[np.int64]:
    array = np.asarray(rows)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(
            f"{name} is {array.dtype} {list(array.shape)}; expected a flat list of row numbers"
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def _checked_shape(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {list(array.shape)}; expected two dimensions, [rows, dimensions]"
        )
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {list(array.shape)}; expected at least one row and one dimension"
        )
    return array


def _as_array(data: object, name: str) -> tuple[NDArray[Any], int]:
    if type(data).__module__.partition(".")[0] == "torch":
        return _torch_as_array(data, name)
    if not isinstance(data, np.ndarray) and hasattr(data, "__dlpack__"):
        try:
            data = np.from_dlpack(data)
        except (BufferError, RuntimeError, TypeError) as error:
            raise TypeError(
                f"{name}: {type(data).__name__} cannot be read in place ({error}); expected "
                "float32 or float16 in host memory"
            ) from error
    array = np.asarray(data)
    kind = array.dtype.name
    if kind == "float32" and array.dtype.isnative:
        return array, FLOAT32
    if kind == "float16" and array.dtype.isnative:
        return array.view(np.uint16), FLOAT16
    if kind == "bfloat16":
        return array.view(np.uint16), BFLOAT16
    raise TypeError(
        f"{name} is {array.dtype}; expected float32, float16 or bfloat16: convert it with "
        f"{name}.astype('float32')"
    )


def _torch_as_array(tensor: Any, name: str) -> tuple[NDArray[Any], int]:
    if tensor.device.type != "cpu":
        raise TypeError(
            f"{name} is on {tensor.device}; expected host memory: convert it with {name}.cpu()"
        )
    kind = str(tensor.dtype).removeprefix("torch.")
    if kind not in ("float32", "float16", "bfloat16"):
        raise TypeError(
            f"{name} is {tensor.dtype}; expected float32, float16 or bfloat16: convert it with "
            f"{name}.float()"
        )
    tensor = tensor.detach().contiguous()
    if kind == "float32":
        return tensor.numpy(), FLOAT32
    patterns = tensor.view(sys.modules["torch"].int16).numpy().view(np.uint16)
    return patterns, FLOAT16 if kind == "float16" else BFLOAT16
