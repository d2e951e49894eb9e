"""Hugging Face's .safetensors files: a JSON header and arrays, which are memory-mapped.

The layout is simple enough to be read here, which keeps bfloat16 and maps memory where the
package's own numpy door does neither: 8 bytes with the header's length, the header (name, type,
shape and place of each array, and texts under ``__metadata__``), then the arrays.
Source: the format's description, https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import functools
import json
import math
import struct
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.retrieval.stores._contents import Contents, Path, StoredArray, mapped_array

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["ELEMENT_TYPES", "LARGEST_HEADER_BYTES", "is_safetensors", "open_safetensors"]

LARGEST_HEADER_BYTES = 100_000_000  # readers of the format refuse more
ELEMENT_TYPES = {
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I64": ("int64", 8),
    "I32": ("int32", 4),
    "I16": ("int16", 2),
    "I8": ("int8", 1),
    "U64": ("uint64", 8),
    "U32": ("uint32", 4),
    "U16": ("uint16", 2),
    "U8": ("uint8", 1),
    "BOOL": ("bool", 1),
}
_KNOWN_TYPES = {name for name, _ in ELEMENT_TYPES.values()}


def is_safetensors(head: bytes) -> bool:
    """Whether the first bytes of a file are a plausible header length and the header's brace."""
    return (
        len(head) > 8
        and 2 <= int.from_bytes(head[:8], "little") <= LARGEST_HEADER_BYTES
        and head[8:9] == b"{"
    )


def open_safetensors(path: Path) -> Contents:
    """Look at every array of a .safetensors file, and at the texts in its metadata.

    Raises:
        InputError: a truncated file, a damaged header, or arrays that overlap or leave gaps.
    """
    with open(path, "rb") as file:
        size_bytes = file.seek(0, 2)
        file.seek(0)
        (header_bytes,) = struct.unpack("<Q", file.read(8))
        text = file.read(header_bytes)
    data_bytes = 8 + header_bytes
    if len(text) < header_bytes:
        raise InputError(
            "a truncated header",
            path=path,
            value=f"{len(text)} bytes",
            expected=f"{header_bytes} bytes",
        )
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"a damaged .safetensors header ({error})", path=path) from None
    metadata = header.pop("__metadata__", {})
    arrays: dict[str, StoredArray] = {}
    ends = {0}
    begins = set()
    for name, entry in header.items():
        arrays[name], begin, end = _array(path, name, entry, data_bytes)
        begins.add(begin)
        ends.add(end)
    needed_bytes = max(ends)
    if size_bytes - data_bytes != needed_bytes:
        is_short = size_bytes - data_bytes < needed_bytes
        raise InputError(
            "truncated arrays" if is_short else "bytes after the arrays' end",
            path=path,
            value=f"{size_bytes - data_bytes} bytes",
            expected=f"{needed_bytes} bytes",
        )
    if not begins <= ends:
        raise InputError(
            "arrays that overlap or leave gaps",
            path=path,
            value=min(begins - ends),
            expected="each array to begin where another ends",
        )
    return Contents("safetensors", arrays, _columns(path, arrays, metadata))


def _array(path: Path, name: str, entry: object, data_bytes: int) -> tuple[StoredArray, int, int]:
    match entry:
        case {
            "dtype": str(stored_type),
            "shape": [*shape],
            "data_offsets": [int(begin), int(end)],
        } if all(type(length) is int and length >= 0 for length in shape):
            element_type, element_bytes = ELEMENT_TYPES.get(stored_type, (stored_type, 0))
            needed_bytes = math.prod(shape) * element_bytes
            if 0 <= begin <= end and (not element_bytes or end - begin == needed_bytes):
                load = functools.partial(
                    mapped_array, path, element_type, tuple(shape), data_bytes + begin
                )
                return StoredArray(tuple(shape), element_type, load), begin, end
    raise InputError(
        "a damaged .safetensors header",
        path=path,
        field=name,
        value=entry,
        expected="dtype, shape, and data_offsets that fit them",
    )


def _columns(
    path: Path, arrays: dict[str, StoredArray], metadata: object
) -> dict[str, Callable[[], Sequence[Any]]]:
    columns: dict[str, Callable[[], Sequence[Any]]] = {
        name: lambda array=array: array.load().tolist()  # type: ignore[misc]
        for name, array in arrays.items()
        if len(array.shape) == 1 and array.element_type in _KNOWN_TYPES
    }
    if isinstance(metadata, dict):
        for name, value in metadata.items():
            columns.setdefault(name, functools.partial(_metadata_list, path, name, value))
    return columns


def _metadata_list(path: Path, name: str, value: object) -> list[Any]:
    """A list out of metadata, whose values are texts: a JSON list, or lines."""
    if not isinstance(value, str):
        raise InputError("metadata that is no text", path=path, field=name, value=value)
    if not value.lstrip().startswith("["):
        return value.split("\n")
    try:
        values: list[Any] = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a JSON list ({error})", path=path, field=name) from None
    return values
