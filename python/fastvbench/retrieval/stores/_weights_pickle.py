"""The pickle inside a .pt file, read as data: tensors, numbers, texts, lists and dicts.

A pickle is a program. This reader knows the handful of names that ``torch.save`` uses for tensors
and gives each of them a stand-in that only notes what is asked for; every other name is refused
before anything of that name is looked up. So nothing of the file is ever executed, torch is not
needed, and tensors that lie uncompressed in the file can be mapped where they lie.
"""

from __future__ import annotations

import io
import math
import pickle
import struct
from dataclasses import dataclass
from typing import Any

from fastvbench.core._errors import InputError
from fastvbench.retrieval.stores._contents import Path

__all__ = ["PlainTensor", "Storage", "read_weights_pickle"]

_STORAGE_TYPES = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
}
# What the unpickler raises on damage, found by damaging pickles at random.
_DAMAGE = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)


@dataclass(frozen=True)
class Storage:
    """A run of elements in a member of the archive.

    Attributes:
        element_type: numpy's name of the type, or ``bfloat16``.
        key: the member's name within the archive's ``data`` folder.
        length: its number of elements.
    """

    element_type: str
    key: str
    length: int


@dataclass(frozen=True)
class PlainTensor:
    """Where the elements of a tensor lie: dimensions and strides, in elements, on a storage.

    Every element lies within the storage; that is checked when the tensor is made.
    """

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _UnknownNameError(pickle.UnpicklingError):
    """The pickle asks for something that is no part of a tensor."""


class _StorageType:
    __slots__ = ("element_type",)

    def __init__(self, element_type: str) -> None:
        self.element_type = element_type


class _StandIn:
    """Called in place of a function that a pickle names; without attributes to tamper with."""

    __slots__ = ()


class _MakeTensor(_StandIn):
    __slots__ = ()

    def __call__(
        self, storage: object, offset: object, shape: object, strides: object, *_rest: object
    ) -> PlainTensor:
        if not isinstance(storage, Storage):
            raise pickle.UnpicklingError("a tensor without a storage")
        lengths, steps = _whole_numbers(shape), _whole_numbers(strides)
        (start,) = _whole_numbers((offset,))
        last = start + sum((n - 1) * step for n, step in zip(lengths, steps, strict=True))
        if math.prod(lengths) and last >= storage.length:
            raise pickle.UnpicklingError("a tensor beyond the end of its storage")
        return PlainTensor(storage, start, lengths, steps)


class _TakeData(_StandIn):
    """A parameter is a tensor that can be trained, which is of no interest here."""

    __slots__ = ()

    def __call__(self, data: object, *_rest: object) -> object:
        return data


class _MakeDict(_StandIn):
    __slots__ = ()

    def __call__(self, *pairs: object) -> dict[Any, Any]:
        return dict(*pairs)


class _MakeTuple(_StandIn):
    __slots__ = ()

    def __call__(self, *values: object) -> tuple[object, ...]:
        return tuple(*values)  # type: ignore[arg-type]


_NAMES: dict[tuple[str, str], object] = {
    ("torch._utils", "_rebuild_tensor"): _MakeTensor(),
    ("torch._utils", "_rebuild_tensor_v2"): _MakeTensor(),
    ("torch._utils", "_rebuild_parameter"): _TakeData(),
    ("collections", "OrderedDict"): _MakeDict(),
    ("torch", "Size"): _MakeTuple(),
    **{("torch", name): _StorageType(kind) for name, kind in _STORAGE_TYPES.items()},
}


class _DataUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        try:
            return _NAMES[module, name]
        except KeyError:
            raise _UnknownNameError(f"{module}.{name}") from None

    def persistent_load(self, pid: object) -> Storage:
        match pid:
            case ("storage", _StorageType() as kind, str(key), _, int(length)) if length >= 0:
                return Storage(kind.element_type, key, length)
        raise pickle.UnpicklingError(f"an unknown reference {pid!r:.80}")


def read_weights_pickle(path: Path, data: bytes) -> Any:
    """Read a pickle of tensors and plain values without executing any of it.

    Args:
        path: the file it comes from, for messages.
        data: the pickle.

    Returns:
        Dicts, lists, tuples, texts and numbers, with a `PlainTensor` in place of each tensor.

    Raises:
        InputError: it names anything else, or is damaged.
    """
    try:
        return _DataUnpickler(io.BytesIO(data)).load()
    except _UnknownNameError as unknown:
        raise InputError(
            f"asks to load {unknown}, which could run code; refused, nothing was run",
            path=path,
            expected="tensors, numbers, texts, lists and dicts only: convert the rest and save it "
            "again",
        ) from None
    except _DAMAGE as error:
        raise InputError(f"a damaged pickle ({error})", path=path) from None


def _whole_numbers(values: object) -> tuple[int, ...]:
    if not isinstance(values, tuple | list) or not all(
        type(value) is int and value >= 0 for value in values
    ):
        raise pickle.UnpicklingError(f"a tensor of no shape: {values!r:.80}")
    return tuple(values)
