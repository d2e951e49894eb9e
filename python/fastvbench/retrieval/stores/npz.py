"""numpy's .npz files: arrays by name, mapped where they are stored uncompressed."""

from __future__ import annotations

import functools
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.retrieval.stores._contents import (
    PICKLED,
    Contents,
    Path,
    StoredArray,
    refuse_pickled,
)
from fastvbench.retrieval.stores._zip import (
    blaming_zip,
    is_stored,
    member_offset_bytes,
    open_zip,
)
from fastvbench.retrieval.stores.npy import check_npy_size, map_npy, read_npy_header

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["open_npz"]


def open_npz(path: Path, archive: zipfile.ZipFile) -> Contents:
    """Look at every array of a .npz file; those of one dimension are columns too.

    Raises:
        InputError: damaged or truncated. An array of Python objects is refused when it is asked
            for, and never unpickled.
    """
    arrays: dict[str, StoredArray] = {}
    columns: dict[str, Callable[[], Sequence[Any]]] = {}
    for member in archive.infolist():
        if not member.filename.endswith(".npy"):
            continue
        name = member.filename.removesuffix(".npy")
        arrays[name] = _array(path, archive, member, name)
        if len(arrays[name].shape) == 1:
            columns[name] = functools.partial(_column, path, member, arrays[name], name)
    return Contents("npz", arrays, columns)


def _array(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> StoredArray:
    with blaming_zip(path), archive.open(member) as file:
        header = read_npy_header(path, file, name)
    check_npy_size(path, header, member.file_size, name)
    if is_stored(member):
        with open(path, "rb") as file:
            return map_npy(path, header, member_offset_bytes(path, file, member))
    return StoredArray(header.shape, header.element_type, functools.partial(_unpack, path, member))


def _column(path: Path, member: zipfile.ZipInfo, array: StoredArray, name: str) -> list[Any]:
    if array.element_type == PICKLED:
        refuse_pickled(path, name)
    values: list[Any] = _unpack(path, member).tolist()
    return values


def _unpack(path: Path, member: zipfile.ZipInfo) -> NDArray[Any]:
    """Read an array whole; the archive's checksum tells whether it is intact."""
    with open_zip(path) as archive, blaming_zip(path), archive.open(member) as file:
        return np.ascontiguousarray(np.lib.format.read_array(file, allow_pickle=False))
