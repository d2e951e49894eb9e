"""
CUDA kernels of fastvbench; use the fastvbench package instead.
"""

from __future__ import annotations
import numpy
import numpy.typing
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
    def to_host(self, stream: CallerStream) -> numpy.ndarray:
        """
        A numpy copy (bfloat16 as uint16 patterns); waits for the stream.
        """
    @property
    def device(self) -> int:
        """
        Number of the CUDA device.
        """
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

class Gallery:
    """
    A gallery on a device, for exact search.
    """
    def __init__(
        self, embeddings: DeviceArray, is_cosine: bool, with_codes: bool, stream: CallerStream
    ) -> None: ...
    def faulty_rows(self) -> numpy.typing.NDArray[numpy.int64]: ...
    def plan(
        self,
        query_count: typing.SupportsInt | typing.SupportsIndex,
        k: typing.SupportsInt | typing.SupportsIndex,
        path: typing.SupportsInt | typing.SupportsIndex,
    ) -> tuple[int, str]: ...
    def raise_for_faults(self) -> None: ...
    def ranks(
        self,
        queries: DeviceArray,
        relevant: DeviceArray | typing.Annotated[numpy.typing.ArrayLike, numpy.int64],
        offsets: typing.Annotated[numpy.typing.ArrayLike, numpy.int64] | None,
        path: typing.SupportsInt | typing.SupportsIndex,
        workspace_bytes: typing.SupportsInt | typing.SupportsIndex,
        check: bool,
        stream: CallerStream,
    ) -> tuple[DeviceArray, DeviceArray, DeviceArray, DeviceArray]: ...
    def search(
        self,
        queries: DeviceArray,
        k: typing.SupportsInt | typing.SupportsIndex,
        path: typing.SupportsInt | typing.SupportsIndex,
        workspace_bytes: typing.SupportsInt | typing.SupportsIndex,
        check: bool,
        stream: CallerStream,
    ) -> tuple[DeviceArray, DeviceArray]: ...
    def set_order(self, positions: numpy.typing.NDArray[numpy.int64]) -> None: ...
    @property
    def fault_count(self) -> int: ...
    @property
    def has_order(self) -> bool: ...
    @property
    def memory_bytes(self) -> int: ...

def count_reached(
    ious: DeviceArray,
    pred_values: DeviceArray,
    pred_offsets: DeviceArray | None,
    gold_values: DeviceArray,
    gold_offsets: DeviceArray | None,
    thresholds: list[float],
    strict: bool,
    stream: CallerStream,
) -> tuple[int, list[int]]:
    """
    Rows with gold, and how many of them reach each threshold; waits for the stream.
    """

def device_names() -> list[str]:
    """
    Name of each CUDA device.
    """

def match_intervals(
    pred_values: DeviceArray,
    pred_offsets: DeviceArray | None,
    gold_values: DeviceArray,
    gold_offsets: DeviceArray | None,
    greedy: bool,
    min_iou: typing.SupportsFloat | typing.SupportsIndex,
    stream: CallerStream,
) -> tuple[DeviceArray, DeviceArray, DeviceArray, DeviceArray]:
    """
    Indices, IoUs and row offsets of matched pairs; waits for the stream.
    """

def row_iou(
    pred_values: DeviceArray,
    pred_offsets: DeviceArray | None,
    gold_values: DeviceArray,
    gold_offsets: DeviceArray | None,
    convention: typing.SupportsInt | typing.SupportsIndex,
    stream: CallerStream,
) -> DeviceArray:
    """
    IoU per row by convention: 0 union, 1 first, 2 best; waits for the stream.
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
