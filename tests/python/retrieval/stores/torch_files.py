"""Writes .pt files as torch.save does, without torch, and such as nobody should open."""

from __future__ import annotations

import io
import math
import pickle
import struct
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

STORAGES = {
    "float64": "DoubleStorage",
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "uint16": "BFloat16Storage",  # numpy lacks the type: bit patterns stand for it
    "int64": "LongStorage",
}


@dataclass
class Tensor:
    """A tensor of the elements of an array, perhaps as a view of some of them."""

    elements: np.ndarray
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    offset: int = 0
    claimed_length: int | None = None


class Pickle:
    """A program for the unpickler, written by hand."""

    def __init__(self) -> None:
        self.storages: list[np.ndarray] = []

    def of(self, value: Any) -> bytes:
        return b"\x80\x02" + self._code(value) + b"."

    def _code(self, value: Any) -> bytes:
        if value is None:
            return b"N"
        if isinstance(value, bool):
            return b"\x88" if value else b"\x89"
        if isinstance(value, int):
            return b"\x8a\x08" + struct.pack("<q", value)
        if isinstance(value, float):
            return b"G" + struct.pack(">d", value)
        if isinstance(value, str):
            data = value.encode()
            return b"X" + struct.pack("<I", len(data)) + data
        if isinstance(value, bytes):  # code as it is
            return value
        if isinstance(value, tuple):
            return b"(" + b"".join(map(self._code, value)) + b"t"
        if isinstance(value, list):
            return b"](" + b"".join(map(self._code, value)) + b"e"
        if isinstance(value, dict):
            pairs = (self._code(key) + self._code(entry) for key, entry in value.items())
            return b"}(" + b"".join(pairs) + b"u"
        return self._tensor(value)

    def _tensor(self, tensor: Tensor) -> bytes:
        elements = tensor.elements
        key = str(len(self.storages))
        self.storages.append(elements)
        length = elements.size if tensor.claimed_length is None else tensor.claimed_length
        kind = f"ctorch\n{STORAGES[elements.dtype.name]}\n".encode()
        storage = self._code(("storage", kind, key, "cuda:0", length)) + b"Q"
        shape = elements.shape if tensor.shape is None else tensor.shape
        strides = tensor.strides
        if strides is None:
            strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        hooks = b"ccollections\nOrderedDict\n)R"
        arguments = (storage, tensor.offset, shape, strides, False, hooks)
        return b"ctorch._utils\n_rebuild_tensor_v2\n" + self._code(arguments) + b"R"


def write_pt(
    path: Path, value: Any, *, byte_order: str = "little", compression: int = zipfile.ZIP_STORED
) -> Path:
    """Write a value; bytes in it are taken as code of the pickle."""
    program = Pickle()
    data = program.of(value)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("file/data.pkl", data)
        archive.writestr("file/byteorder", byte_order)
        for key, elements in enumerate(program.storages):
            archive.writestr(f"file/data/{key}", elements.tobytes())
        archive.writestr("file/version", "3\n")
    return path


class Touch:
    """When unpickled, makes a file: proof that code was run."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.path, "w")


def touching_pickle(path: Path, protocol: int) -> bytes:
    """A pickle that makes a file."""
    file = io.BytesIO()
    pickle.Pickler(file, protocol).dump({"embeddings": Touch(path)})
    return file.getvalue()


def write_pt_of_pickle(path: Path, data: bytes) -> Path:
    """A .pt archive around any pickle."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("file/data.pkl", data)
        archive.writestr("file/version", "3\n")
    return path
