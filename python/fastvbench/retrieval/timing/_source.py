"""Where vectors come from: a .npy file read as it lies, any other store, or a URL."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastvbench.core import InputError
from fastvbench.retrieval.stores import is_url, open_embeddings
from fastvbench.retrieval.stores.npy import NPY_MAGIC, check_npy_size, read_npy_header

if TYPE_CHECKING:
    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]

__all__ = ["QueryReader", "Shape", "local_path", "map_rows", "read_rows", "shape_of"]


class Shape(NamedTuple):
    """Rows and dimension of a store."""

    rows: int
    dimension: int


def local_path(source: str) -> Path | None:
    """The file whose pages a system caches; None for a URL."""
    return None if is_url(source) else Path(source)


def read_rows(source: str) -> Rows:
    """All rows in memory, float32 [n, d]; this is what a read of the gallery costs."""
    if _is_plain_npy(source):
        return _checked(np.load(source, allow_pickle=False), source)
    # A copy: a store may hand out a memory map, of which nothing was read yet.
    return np.array(_checked(_open_store(source), source), np.float32, order="C")


def map_rows(source: str) -> Rows:
    """The rows as a memory map, of which nothing is read before it is used.

    Raises:
        InputError: not a .npy file of float32 rows.
    """
    if not _is_plain_npy(source):
        raise InputError(
            "does not fit in memory and cannot be mapped",
            path=source,
            expected="a local .npy file of float32 rows",
        )
    return _checked(np.load(source, mmap_mode="r", allow_pickle=False), source)


def shape_of(source: str) -> Shape:
    """Rows and dimension, from as little of the store as its format allows."""
    if _is_plain_npy(source):
        rows = np.load(source, mmap_mode="r", allow_pickle=False)
    else:
        rows = _open_store(source)
    return Shape(*_checked(rows, source).shape)


class QueryReader:
    """Reads queries one by one, or some at a time, as a service would from its requests.

    A .npy file is read where the rows lie; any other store is read whole at the first call.

    Args:
        source: a file or URL.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._rows: Rows | None = None
        self._file: Any = None
        if _is_plain_npy(source):
            mapped = np.load(source, mmap_mode="r", allow_pickle=False)
            if mapped.flags.c_contiguous:
                self._dimension, self._begin = mapped.shape[1], mapped.offset
                self._file = open(source, "rb", buffering=0)  # noqa: SIM115

    def __enter__(self) -> QueryReader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def read(self, begin: int, end: int) -> Rows:
        """Queries begin to end, float32 [end - begin, d]."""
        if self._file is None:
            if self._rows is None:
                self._rows = read_rows(self._source)
            return self._rows[begin:end]
        queries = np.empty((end - begin, self._dimension), np.float32)
        self._file.seek(self._begin + 4 * self._dimension * begin)
        view = queries.reshape(-1).view(np.uint8).data
        while view:
            count = self._file.readinto(view)
            if not count:
                raise InputError("ends early", path=self._source, expected=f"{end} rows")
            view = view[count:]
        return queries


def _is_plain_npy(source: str) -> bool:
    """A local .npy file of float32 rows, which numpy reads without a conversion.

    Raises:
        InputError: a .npy file that is damaged or truncated.
    """
    if is_url(source) or not Path(source).is_file():  # what else it is, a store tells
        return False
    with open(source, "rb") as file:
        if file.read(len(NPY_MAGIC)) != NPY_MAGIC:
            return False
        size_bytes = file.seek(0, os.SEEK_END)
        file.seek(0)
        header = read_npy_header(source, file, None)
    check_npy_size(source, header, size_bytes, None)
    return len(header.shape) == 2 and header.element_type == "float32"


def _open_store(source: str) -> npt.NDArray[Any]:
    return open_embeddings(source, repeats="keep").embeddings


def _checked(rows: npt.NDArray[Any], source: str) -> npt.NDArray[Any]:
    if rows.ndim != 2 or 0 in rows.shape:
        raise InputError(
            "does not hold vectors",
            path=source,
            value=rows.shape,
            expected="rows of numbers [n, d]",
        )
    return rows
