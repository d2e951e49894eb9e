"""Which library decodes: the best one that works here, and the reason where it is not the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core import InputError, MissingExtraError
from fastvbench.video._backend import Decoded
from fastvbench.video._errors import VideoError, VideoOpenError
from fastvbench.video._pyav_backend import PyavSource
from fastvbench.video._torchcodec_backend import TorchCodecSource

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from fastvbench.video._backend import BackendInfo, FrameSource, Recovery
    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["SecondTry", "open_source"]


def open_source(
    file: VideoFile,
    index: FrameIndex,
    *,
    backend: str,
    device: str,
    tolerant: bool,
    threads: int,
) -> FrameSource:
    """Open a decoder.

    Args:
        file: the video.
        index: its frames.
        backend: ``auto``, ``torchcodec`` or ``pyav``.
        device: ``cpu`` or a CUDA device.
        tolerant: pass over damage, which PyAV can and TorchCodec cannot.
        threads: of FFmpeg's decoder.

    Raises:
        VideoOpenError: no decoder can open it.
        MissingExtraError: the one asked for is not installed.
    """
    damage = index.damage
    is_damaged = bool(index.repair or damage.unreadable_packets or damage.corrupt_packets)
    if backend == "torchcodec" and (tolerant or is_damaged):
        raise InputError(
            "TorchCodec doesn't tell damaged frames from sound ones",
            path=file.path,
            expected="backend auto or pyav for damaged files and in tolerant mode",
        )

    def pyav(reason: str) -> FrameSource:
        return PyavSource(file, index, tolerant=tolerant, threads=threads, fallback_reason=reason)

    if backend == "pyav":
        return pyav("" if device == "cpu" else "PyAV decodes on the CPU")
    if is_damaged:
        return pyav(f"the file is damaged: {'; '.join(damage.notes())}")
    try:
        source = _torchcodec(file, index, device, threads)
    except (MissingExtraError, VideoOpenError) as error:
        if backend == "torchcodec":
            raise
        return pyav(str(error))
    return source if backend == "torchcodec" else SecondTry(source, pyav)


def _torchcodec(file: VideoFile, index: FrameIndex, device: str, threads: int) -> FrameSource:
    """TorchCodec on the device asked for, else on the CPU with the reason."""
    if device == "cpu":
        return TorchCodecSource(file, index, threads=threads)
    try:
        return TorchCodecSource(file, index, device=device, threads=threads)
    except VideoOpenError as error:
        return TorchCodecSource(file, index, threads=threads, fallback_reason=error.problem)


class SecondTry:
    """TorchCodec until it fails, and from then on PyAV, which gives the same bytes.

    Args:
        first: the decoder to begin with.
        open_second: opens the other one, given the reason.
    """

    def __init__(self, first: FrameSource, open_second: Callable[[str], FrameSource]) -> None:
        self._source, self._open_second = first, open_second
        self._device = first.info.device
        self._is_first = True

    @property
    def info(self) -> BackendInfo:
        """See ``FrameSource``."""
        return self._source.info

    @property
    def recovery(self) -> Recovery:
        """See ``FrameSource``."""
        return self._source.recovery

    def prepare(self, indices: npt.NDArray[np.int64]) -> None:
        """See ``FrameSource``."""
        self._source.prepare(indices)

    def decode(self, indices: npt.NDArray[np.int64]) -> Decoded:
        """See ``FrameSource``."""
        if not self._is_first:
            return self._on_device(self._source.decode(indices))
        try:
            return self._source.decode(indices)
        except VideoError as error:
            second = self._open_second(f"TorchCodec failed: {error.problem}")
            decoded = self._on_device(second.decode(indices))
            self._source.close()
            self._source, self._is_first = second, False
            return decoded

    def close(self) -> None:
        """See ``FrameSource``."""
        self._source.close()

    def _on_device(self, decoded: Decoded) -> Decoded:
        if self._device == "cpu":
            return decoded
        return Decoded(decoded.frames.to(self._device), decoded.indices)
