"""numpy's .npy files, memory-mapped; arrays of Python objects are never unpickled."""

from __future__ import annotations

import math
import tokenize
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.retrieval.stores._contents import (
    PICKLED,
    Contents,
    Path,
    StoredArray,
    mapped_array,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NPY_MAGIC", "NpyHeader", "check_npy_size", "map_npy", "open_npy", "read_npy_header"]

NPY_MAGIC = b"\x93NUMPY"


class NpyHeader(NamedTuple):
    """What stands before the elements of an array.

    Attributes:
        shape: its dimensions.
        is_column_major: whether the first dimension runs fastest.
        element_type: as numpy calls it; ``object`` for pickled elements, and for other byte orders
            than this machine's with that said before the name.
        element_bytes: bytes of an element.
        header_bytes: bytes of the header.
    """

    shape: tuple[int, ...]
    is_column_major: bool
    element_type: str
    element_bytes: int
    header_bytes: int


def open_npy(path: Path) -> Contents:
    """Map the array of a .npy file.

    Raises:
        InputError: a damaged header, or a file of another length than its header says.
    """
    with open(path, "rb") as file:
        size_bytes = file.seek(0, 2)
        file.seek(0)
        header = read_npy_header(path, file, None)
    check_npy_size(path, header, size_bytes, None)
    return Contents("npy", {"embeddings": map_npy(path, header, 0)})


def map_npy(path: Path, header: NpyHeader, offset_bytes: int) -> StoredArray:
    """An array that lies uncompressed in a file, its header beginning at ``offset_bytes``.

    A column-major one is read and turned when it is loaded; any other is mapped.
    """
    data_bytes = offset_bytes + header.header_bytes

    def load() -> NDArray[Any]:
        if not header.is_column_major:
            return mapped_array(path, header.element_type, header.shape, data_bytes)
        turned = mapped_array(path, header.element_type, header.shape[::-1], data_bytes)
        return np.ascontiguousarray(turned.transpose())

    return StoredArray(header.shape, header.element_type, load)


def check_npy_size(path: Path, header: NpyHeader, size_bytes: int, name: str | None) -> None:
    """Refuse an array of another length than its header says; pickled ones say nothing.

    Args:
        path: the file.
        header: the array's header.
        size_bytes: bytes of header and elements, as found.
        name: the array's name, for messages.

    Raises:
        InputError: the lengths differ.
    """
    if header.element_type == PICKLED:
        return
    found_bytes = size_bytes - header.header_bytes
    needed_bytes = math.prod(header.shape) * header.element_bytes
    if found_bytes != needed_bytes:
        raise InputError(
            "a truncated array" if found_bytes < needed_bytes else "bytes after the array's end",
            path=path,
            field=name,
            value=f"{found_bytes} bytes",
            expected=f"{needed_bytes} bytes for {header.element_type} {list(header.shape)}",
        )


def read_npy_header(path: Path, file: IO[bytes], name: str | None) -> NpyHeader:
    """Read the header that begins where a file stands.

    Raises:
        InputError: no header, a damaged one, or that of an array of records.
    """
    start_bytes = file.tell()
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, is_column_major, dtype = np.lib.format.read_array_header_1_0(file)
        elif version == (2, 0):
            shape, is_column_major, dtype = np.lib.format.read_array_header_2_0(file)
        else:  # 3.0 is for the names of records that are not Latin
            raise ValueError(f"version {version[0]}.{version[1]}")
        if any(length < 0 for length in shape):
            raise ValueError(f"shape {shape}")
    except (ValueError, TypeError, SyntaxError, tokenize.TokenError, RecursionError) as error:
        raise InputError(
            f"a damaged or truncated .npy header ({error})", path=path, field=name
        ) from None
    element_type = dtype.name
    if dtype.hasobject:
        element_type = PICKLED
    elif not dtype.isnative:
        element_type = f"byte-swapped {dtype.name}"
    return NpyHeader(
        shape, is_column_major, element_type, dtype.itemsize, file.tell() - start_bytes
    )
