"""Arrays on CUDA devices: the one place where they come in and go out, both by DLPack.

A function that takes host and device arrays alike asks :func:`is_on_device` for its inputs, hands
those to :func:`take_device_arrays`, calls ``_cuda`` with what it gets, and gives the results back
with :meth:`DeviceArguments.give_back`. Nothing is copied on the way.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastvbench.core._errors import DeviceError

if TYPE_CHECKING:
    from types import ModuleType

    from fastvbench import _cuda

__all__ = [
    "DeviceArguments",
    "cuda_device_names",
    "device_of",
    "is_on_device",
    "take_device_arrays",
    "why_no_cuda",
]

# DLPack's numbers of devices whose memory the host cannot read.
_CUDA_DEVICE_TYPES = (2, 13)  # CUDA, CUDA managed
_LEGACY_DEFAULT_STREAM = 1

# The package that an array's class comes from, and the library whose arrays its users expect back.
_LIBRARIES = {"torch": "torch", "cupy": "cupy", "jax": "jax", "jaxlib": "jax"}


class DeviceArguments(NamedTuple):
    """The arguments of one call, all on one device.

    Attributes:
        cuda: the extension with the kernels.
        arrays: the arguments in the order they were named in.
        stream: what the caller works on; every kernel runs there.
        device: number of the CUDA device.
        library: the caller's own, for results; empty where it is none that is known.
    """

    cuda: ModuleType
    arrays: tuple[_cuda.DeviceArray, ...]
    stream: _cuda.CallerStream
    device: int
    library: str

    def give_back(self, array: _cuda.DeviceArray) -> Any:
        """Return a result as an array of the caller's library, on its device, without a copy.

        Of a library that is not known it stays what it is: an object that offers DLPack.
        """
        if self.library == "torch":
            return sys.modules["torch"].from_dlpack(array)
        if self.library == "cupy":
            cupy = sys.modules["cupy"]
            with cupy.cuda.Device(self.device):
                return cupy.from_dlpack(array)
        if self.library == "jax":
            return importlib.import_module("jax.dlpack").from_dlpack(array)
        return array


def device_of(obj: object) -> int | None:
    """Return the number of the CUDA device that holds an array; None for everything else."""
    if isinstance(obj, np.ndarray) or not hasattr(obj, "__dlpack_device__"):
        return None
    device_type, number = obj.__dlpack_device__()
    return int(number) if int(device_type) in _CUDA_DEVICE_TYPES else None


def is_on_device(*arrays: object) -> bool:
    """Tell whether any of these is an array in the memory of a CUDA device."""
    return any(device_of(array) is not None for array in arrays)


def take_device_arrays(function: str, **arrays: object) -> DeviceArguments:
    """Borrow a call's arrays, of which one at least is on a CUDA device.

    Args:
        function: the public function that was called, for messages.
        arrays: by the names of their arguments.

    Raises:
        DeviceError: CUDA cannot be used here; the message says why.
        TypeError: an argument in host memory or on another device, one that its library does not
            export, or one that is not an array.
        ValueError: values that are not C-contiguous.
    """
    devices = {name: device_of(array) for name, array in arrays.items()}
    leader = next(name for name, device in devices.items() if device is not None)
    device = devices[leader]
    assert device is not None
    reason = why_no_cuda()
    if reason is not None:
        raise DeviceError(
            f"{function}: {leader} is on CUDA device {device}, which cannot be used: {reason}; "
            "pass it in host memory"
        )
    for name, other in devices.items():
        if other != device:
            where = f"on CUDA device {other}"
            if other is None:
                where = f"{type(arrays[name]).__name__} in host memory"
            raise TypeError(
                f"{function}: {leader} is on CUDA device {device} and {name} is {where}; "
                "expected all on one device"
            )
    cuda = _extension()
    library = _library_of(arrays[leader])
    stream = _current_stream(cuda, library, arrays[leader], device)
    return DeviceArguments(
        cuda,
        tuple(_borrowed(cuda, name, array, stream.handle) for name, array in arrays.items()),
        stream,
        device,
        library,
    )


@functools.lru_cache(maxsize=1)
def why_no_cuda() -> str | None:
    """Say why CUDA kernels cannot be used in this process; None where they can."""
    try:
        cuda = _extension()
    except ModuleNotFoundError:
        return "this installation was built without a CUDA compiler"
    except ImportError as error:
        return f"the CUDA extension cannot be loaded: {error}"
    return cuda.why_unusable() or None


def cuda_device_names() -> list[str]:
    """Return the name of each CUDA device; only where CUDA can be used."""
    names: list[str] = _extension().device_names()
    return names


def _extension() -> ModuleType:
    # Not at the top: `import fastvbench` stays as light as numpy, also where CUDA is built.
    return importlib.import_module("fastvbench._cuda")


def _library_of(array: object) -> str:
    for kind in type(array).__mro__:  # a subclass of a tensor may come from anywhere
        library = _LIBRARIES.get(kind.__module__.partition(".")[0])
        if library is not None:
            return library
    return ""


def _current_stream(cuda: ModuleType, library: str, array: Any, device: int) -> _cuda.CallerStream:
    """Return the stream that the caller's library would use next.

    jax has no stream that its user chooses, and neither has an unknown library: their calls run on
    the legacy default stream, and DLPack orders them after the work that makes the array.
    """
    owner, handle = None, _LEGACY_DEFAULT_STREAM
    if library == "torch":
        owner = sys.modules["torch"].cuda.current_stream(device)
        handle = owner.cuda_stream
    elif library == "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device):
            owner = cupy.cuda.get_current_stream()
        handle = owner.ptr
    # DLPack refuses 0, by which both mean the default stream.
    stream: _cuda.CallerStream = cuda.CallerStream(handle or _LEGACY_DEFAULT_STREAM, owner)
    return stream


def _borrowed(cuda: ModuleType, name: str, array: Any, stream: int) -> _cuda.DeviceArray:
    try:
        capsule = array.__dlpack__(stream=stream)
    except BufferError as error:  # for instance a tensor that requires a gradient
        raise TypeError(f"{name} is not exported by its library: {error}") from error
    borrowed: _cuda.DeviceArray = cuda.DeviceArray.borrow(capsule, name)
    return borrowed
