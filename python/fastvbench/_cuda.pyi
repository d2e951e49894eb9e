"""
CUDA kernels of fastvbench; use the fastvbench package instead.
"""

from __future__ import annotations
import typing
import typing_extensions

class CallerStream:
    """
    The CUDA stream that a call runs on.
    """
    def __init__(
        self, handle: typing.SupportsInt | typing.SupportsIndex, owner: typing.Any = None
    ) -> None:
        """
        A cudaStream_t as a number (1: the legacy default stream), and the object it dies with.
        """
    @property
    def handle(self) -> int: ...

class DeviceArray:
    """
    C-contiguous values on one CUDA device.
    """
    @staticmethod
    def borrow(capsule: typing_extensions.CapsuleType, name: str) -> DeviceArray:
        """
        The values of a DLPack capsule, without a copy; `name` is for messages.
        """
    def __dlpack__(
        self,
        *,
        stream: typing.Any = None,
        max_version: typing.Any = None,
        dl_device: typing.Any = None,
        copy: typing.Any = None,
    ) -> typing_extensions.CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    @property
    def device(self) -> int:
        """
        Number of the CUDA device.
        """
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

def device_names() -> list[str]:
    """
    Name of each CUDA device.
    """

def runtime_version() -> str:
    """
    Version of the CUDA runtime inside.
    """

def temporal_iou(pred: DeviceArray, gold: DeviceArray, stream: CallerStream) -> DeviceArray:
    """
    IoU of one pair of intervals per row; waits for the stream.
    """

def why_unusable() -> str:
    """
    Why no CUDA device can be used here; '' where one can.
    """
