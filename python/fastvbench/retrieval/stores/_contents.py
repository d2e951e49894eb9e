"""What a file of embeddings holds, before anybody has asked for it: arrays and columns by name."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastvbench.core._errors import InputError, MissingExtraError

__all__ = [
    "EMBEDDING_NAMES",
    "MATRIX_TYPES",
    "PICKLED",
    "Contents",
    "Path",
    "StoredArray",
    "check_matrix",
    "choose_matrix",
    "mapped_array",
    "refuse_pickled",
]

Path = str | os.PathLike[str]

MATRIX_TYPES = ("float32", "float16", "bfloat16")
PICKLED = "object"  # the element type of what only unpickling could read
EMBEDDING_NAMES = ("embeddings", "embedding", "features", "feat", "image_feats", "vectors")


@dataclass(frozen=True)
class StoredArray:
    """An array that lies in a file.

    Attributes:
        shape: its dimensions.
        element_type: numpy's name of the type, ``bfloat16``, or whatever the file calls it.
        load: maps or reads it; row-major.
    """

    shape: tuple[int, ...]
    element_type: str
    load: Callable[[], NDArray[Any]]


@dataclass(frozen=True)
class Contents:
    """Everything that a file holds, by name.

    Attributes:
        format: the name of the file's format.
        arrays: what may be a matrix of embeddings.
        columns: one value per row, such as ids; read when asked for.
    """

    format: str
    arrays: dict[str, StoredArray]
    columns: dict[str, Callable[[], Sequence[Any]]] = field(default_factory=dict)


def mapped_array(
    path: Path, element_type: str, shape: tuple[int, ...], offset_bytes: int
) -> NDArray[Any]:
    """Map a row-major little-endian array of a file into memory, read-only; nothing is read yet.

    Raises:
        MissingExtraError: bfloat16 elements without ml_dtypes, which brings numpy the type.
    """
    if math.prod(shape) == 0:  # nothing can be mapped
        return np.empty(shape, np.uint16 if element_type == "bfloat16" else element_type)
    is_bfloat16 = element_type == "bfloat16"
    stored_type = np.dtype("uint16" if is_bfloat16 else element_type).newbyteorder("<")
    mapped = np.memmap(path, stored_type, mode="r", offset=offset_bytes, shape=shape)
    if not is_bfloat16:
        return mapped
    try:
        import ml_dtypes  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise MissingExtraError("reading bfloat16 embeddings", "retrieval") from None
    return mapped.view(ml_dtypes.bfloat16)


def choose_matrix(contents: Contents, key: str | None, path: Path) -> str:
    """The name of the array to take: the one asked for, one of a usual name, the only matrix.

    Raises:
        InputError: no such array, none at all, or several and none of a usual name.
    """
    arrays = contents.arrays
    held = ", ".join(f"{name} {list(array.shape)}" for name, array in arrays.items()) or "none"
    if key is not None:
        if key not in arrays:
            raise InputError(
                f"no array named {key!r}", path=path, value=held, expected="one of its arrays"
            )
        return key
    usual = next((name for name in EMBEDDING_NAMES if name in arrays), None)
    if usual is not None or len(arrays) == 1:
        return usual or next(iter(arrays))
    matrices = [name for name, array in arrays.items() if len(array.shape) == 2]
    floating = [name for name in matrices if "float" in arrays[name].element_type]
    if len(floating) == 1 or len(matrices) == 1:
        return (floating or matrices)[0]
    problem = "several matrices" if matrices else "no matrix of embeddings"
    expected = "the name of one, as key" if matrices else "an array [rows, dimensions]"
    raise InputError(problem, path=path, value=held, expected=expected)


def check_matrix(array: StoredArray, path: Path, name: str | None) -> None:
    """Refuse what is no matrix of embeddings.

    Raises:
        InputError: not two dimensions, no row, no dimension, or elements of another type.
    """
    if len(array.shape) != 2:
        hint = "; average the frames of an item first" if len(array.shape) == 3 else ""
        raise InputError(
            "not a matrix",
            path=path,
            field=name,
            value=f"shape {list(array.shape)}",
            expected=f"two dimensions, [rows, dimensions]{hint}",
        )
    if math.prod(array.shape) == 0:
        raise InputError(
            "an empty matrix",
            path=path,
            field=name,
            value=f"shape {list(array.shape)}",
            expected="at least one row and one dimension",
        )
    if array.element_type == PICKLED:
        refuse_pickled(path, name)
    if array.element_type not in MATRIX_TYPES:
        hint = "convert with .astype(numpy.float32) and save again"
        if array.element_type.startswith("void"):
            hint = ".npy files lose the type of bfloat16, .safetensors files keep it"
        raise InputError(
            f"{array.element_type} elements",
            path=path,
            field=name,
            expected=f"float32, float16 or bfloat16: {hint}",
        )


def refuse_pickled(path: Path, name: str | None) -> NoReturn:
    """Refuse elements that only unpickling could read.

    Raises:
        InputError: always.
    """
    raise InputError(
        "an array of pickled Python objects, which can run any code; refused, not opened",
        path=path,
        field=name,
        expected="an array of numbers; for ids and texts, one of numpy texts (dtype=str)",
    )
