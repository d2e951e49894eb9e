"""torch's .pt files, read without torch: weights only, memory-mapped.

A file of ``torch.save`` since torch 1.6 is an uncompressed zip archive of one pickle and one member
for each storage of tensors. The pickle is read as data by `_weights_pickle`.
"""

from __future__ import annotations

import functools
import math
import zipfile
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.retrieval.stores._contents import Contents, Path, StoredArray, mapped_array
from fastvbench.retrieval.stores._weights_pickle import PlainTensor, Storage, read_weights_pickle
from fastvbench.retrieval.stores._zip import blaming_zip, is_stored, member_offset_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["PICKLE_MAGIC", "is_pt_archive", "open_pt", "refuse_pickle"]

PICKLE_MAGIC = b"\x80"
# How torch began files before 1.6: a pickled number, then the pickled protocol's version.
_OLD_TORCH_MAGIC = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
_PICKLE_NAME = "/data.pkl"


def is_pt_archive(archive: zipfile.ZipFile) -> bool:
    """Whether a zip archive is one that ``torch.save`` writes."""
    return any(name.endswith(_PICKLE_NAME) for name in archive.namelist())


def refuse_pickle(path: Path, head: bytes) -> NoReturn:
    """Refuse a bare pickle, which old torch files are too.

    Raises:
        InputError: always.
    """
    if head.startswith(_OLD_TORCH_MAGIC[: len(head)]):
        raise InputError(
            "a .pt file of the kind before torch 1.6; refused, not opened",
            path=path,
            expected="one that torch.save of a later version has written",
        )
    raise InputError(
        "a pickle, which can run any code; refused, not opened",
        path=path,
        expected=".npy, .npz, .safetensors, .parquet or .pt",
    )


def open_pt(path: Path, archive: zipfile.ZipFile) -> Contents:
    """Look at the tensors of a .pt file: the one it is, or those of the dict that it is.

    Raises:
        InputError: damaged, or a pickle that asks for more than tensors and plain values.
    """
    members = {member.filename: member for member in archive.infolist()}
    name = next(name for name in members if name.endswith(_PICKLE_NAME))
    folder = name.removesuffix(_PICKLE_NAME)
    with blaming_zip(path):
        value = read_weights_pickle(path, archive.read(name))
        order = members.get(f"{folder}/byteorder")
        byte_order = b"little" if order is None else archive.read(order)
    if byte_order != b"little":
        raise InputError(
            "written on a machine of another byte order", path=path, value=byte_order.decode()
        )
    if isinstance(value, PlainTensor):
        value = {"embeddings": value}
    if not isinstance(value, dict):
        raise InputError(
            "neither a tensor nor a dict of tensors",
            path=path,
            value=type(value).__name__,
            expected="torch.save of a tensor, or of a dict such as {'embeddings': ..., 'ids': ...}",
        )
    return _contents(path, value, members, f"{folder}/data/")


def _contents(
    path: Path, value: dict[Any, Any], members: dict[str, zipfile.ZipInfo], prefix: str
) -> Contents:
    arrays: dict[str, StoredArray] = {}
    columns: dict[str, Callable[[], Sequence[Any]]] = {}
    for key, entry in value.items():
        name = str(key)
        if isinstance(entry, PlainTensor):
            member = members.get(prefix + entry.storage.key)
            load = functools.partial(_load, path, entry, member)
            arrays[name] = StoredArray(entry.shape, entry.storage.element_type, load)
            if len(entry.shape) == 1:
                columns[name] = functools.partial(_listed, load)
        elif isinstance(entry, list | tuple):
            columns[name] = functools.partial(list, entry)
    return Contents("pt", arrays, columns)


def _listed(load: Callable[[], NDArray[Any]]) -> list[Any]:
    values: list[Any] = load().tolist()
    return values


def _load(path: Path, tensor: PlainTensor, member: zipfile.ZipInfo | None) -> NDArray[Any]:
    """Map a tensor's rows; a tensor that is a view in another order is copied.

    One that shows elements of its storage again and again is refused: a few bytes can claim to be
    more than any memory holds.
    """
    size = math.prod(tensor.shape)
    if size > tensor.storage.length:
        raise InputError(
            "a tensor of more elements than its storage, as expand() makes",
            path=path,
            value=f"{list(tensor.shape)} of {tensor.storage.length} elements",
            expected="a tensor that holds its own elements: save its clone()",
        )
    elements = _elements(path, tensor.storage, member)
    row_major = tuple(math.prod(tensor.shape[axis + 1 :]) for axis in range(len(tensor.shape)))
    if tensor.strides == row_major or size == 0:
        return elements[tensor.offset : tensor.offset + size].reshape(tensor.shape)
    strides_bytes = tuple(step * elements.itemsize for step in tensor.strides)
    view = np.lib.stride_tricks.as_strided(  # within the storage: PlainTensor sees to that
        elements[tensor.offset :], tensor.shape, strides_bytes, writeable=False
    )
    return np.ascontiguousarray(view)


def _elements(path: Path, storage: Storage, member: zipfile.ZipInfo | None) -> NDArray[Any]:
    if member is None or not is_stored(member):
        raise InputError(
            "not as torch.save writes it",
            path=path,
            value=f"storage {storage.key} {'missing' if member is None else 'compressed'}",
            expected="an uncompressed member for each storage",
        )
    element_bytes = (
        2 if storage.element_type == "bfloat16" else np.dtype(storage.element_type).itemsize
    )
    if member.file_size < storage.length * element_bytes:
        raise InputError(
            "a truncated storage",
            path=path,
            field=member.filename,
            value=f"{member.file_size} bytes",
            expected=f"{storage.length * element_bytes} bytes",
        )
    with open(path, "rb") as file:
        offset_bytes = member_offset_bytes(path, file, member)
    return mapped_array(path, storage.element_type, (storage.length,), offset_bytes)
