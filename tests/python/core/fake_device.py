"""DLPack exporters over host memory that claim to be on a CUDA device, for tests without one.

Nothing may read through them; what the intake checks needs no device.
"""

from __future__ import annotations

import ctypes

import numpy as np

CUDA = 2


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("dimension_count", ctypes.c_int32),
        ("type", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _DELETER)]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class FakeDeviceArray:
    """What a library's array on a device looks like to a consumer.

    Args:
        array: its values; strides are exported as they are.
        device: (type, number) by DLPack.
    """

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (CUDA, 0)) -> None:
        self.array, self.device = array, device
        self.exported = self.returned = 0

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream):
        assert stream == 1, "an unknown library's arrays are read on the legacy default stream"
        count = self.array.ndim
        shape = (ctypes.c_int64 * count)(*self.array.shape)
        size = self.array.itemsize
        strides = (ctypes.c_int64 * count)(*(step // size for step in self.array.strides))
        kind = _Type(_CODES[self.array.dtype.kind], 8 * size, 1)
        tensor = _Tensor(
            self.array.ctypes.data, _Device(*self.device), count, kind, shape, strides, 0
        )
        managed = _Managed(tensor, None, _DELETER(self._take_back))
        # Like a library's, an exported tensor lives on its own; those of a test are few.
        _EXPORTED.append((self, shape, strides, managed))
        self.exported += 1
        return _new_capsule(ctypes.addressof(managed), b"dltensor", None)

    def _take_back(self, _managed) -> None:
        self.returned += 1


_EXPORTED: list[object] = []
