"""Parquet files with a column of lists of one length, as tables of embeddings are kept."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.formats import blaming_parquet, open_parquet
from fastvbench.retrieval.stores._contents import Contents, Path, StoredArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["open_parquet_store"]

_ROWS_AT_A_TIME = 8_192
_ELEMENT_TYPES = {"halffloat": "float16", "float": "float32", "double": "float64"}


def open_parquet_store(path: Path) -> Contents:
    """Look at the columns of a parquet file: lists are arrays, the rest are columns.

    Raises:
        InputError: truncated or damaged. Nulls and lists of several lengths are refused, with
            their row, when the column is read.
        MissingExtraError: pyarrow is not installed.
    """
    file = open_parquet(path)
    arrays: dict[str, StoredArray] = {}
    columns: dict[str, Callable[[], Sequence[Any]]] = {}
    for field in file.schema_arrow:
        kind = field.type
        if not hasattr(kind, "value_type"):
            columns[field.name] = functools.partial(_column, path, field.name)
            continue
        dimension = getattr(kind, "list_size", None)
        if dimension is None:
            dimension = _first_length(path, file, field.name)
        shape = (file.metadata.num_rows, dimension)
        element_type = _ELEMENT_TYPES.get(str(kind.value_type), str(kind.value_type))
        load = functools.partial(_load, path, field.name, shape, element_type)
        arrays[field.name] = StoredArray(shape, element_type, load)
    return Contents("parquet", arrays, columns)


def _first_length(path: Path, file: Any, name: str) -> int:
    with blaming_parquet(path):
        for batch in file.iter_batches(batch_size=1, columns=[name]):
            first = batch.column(0)[0].as_py()
            return len(first) if first is not None else 0
    return 0


def _column(path: Path, name: str) -> list[Any]:
    with blaming_parquet(path):
        values: list[Any] = open_parquet(path).read(columns=[name]).column(name).to_pylist()
        return values


def _load(path: Path, name: str, shape: tuple[int, int], element_type: str) -> NDArray[Any]:
    rows = np.empty(shape, element_type)
    done = 0
    with blaming_parquet(path):
        for batch in open_parquet(path).iter_batches(batch_size=_ROWS_AT_A_TIME, columns=[name]):
            lists = batch.column(0)
            _check_lists(path, name, lists, done, shape[1])
            values = lists.flatten().to_numpy(zero_copy_only=False)
            rows[done : done + len(lists)] = values.reshape(len(lists), shape[1])
            done += len(lists)
    return rows


def _check_lists(path: Path, name: str, lists: Any, done: int, dimension: int) -> None:
    """Refuse a null, a list of another length and a null in a list; rows count from 1."""
    import pyarrow.compute as pc  # noqa: PLC0415 - an optional dependency

    lengths = pc.fill_null(pc.list_value_length(lists), -1).to_numpy(zero_copy_only=False)
    wrong = np.flatnonzero(lengths != dimension)
    if len(wrong):
        length = int(lengths[wrong[0]])
        raise InputError(
            "not an embedding",
            path=path,
            line=done + int(wrong[0]) + 1,
            field=name,
            value=None if length < 0 else f"{length} numbers",
            expected=f"{dimension} numbers, as in the first row",
        )
    values = lists.flatten()
    if values.null_count:
        holes = np.flatnonzero(pc.is_null(values).to_numpy(zero_copy_only=False))
        raise InputError(
            "a null in an embedding",
            path=path,
            line=done + int(holes[0]) // dimension + 1,
            field=name,
            expected=f"{dimension} numbers",
        )
