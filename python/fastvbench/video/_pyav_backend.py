"""Frames through PyAV, whose wheel brings its own FFmpeg: slower, but it always installs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core import MissingExtraError
from fastvbench.video._backend import BackendInfo, Decoded, Recovery
from fastvbench.video._errors import FrameDecodeError, first_line
from fastvbench.video._pyav_scan import import_av
from fastvbench.video._pyav_walker import PyavWalker

if TYPE_CHECKING:
    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["PyavSource"]


class PyavSource:
    """One open video. Targets are met in ascending order, with one seek per group of pictures.

    Args:
        file: the video.
        index: its frames.
        tolerant: pass over packets that cannot be decoded.
        threads: of FFmpeg's decoder.
        fallback_reason: why this backend and not another.

    Raises:
        VideoOpenError: the file cannot be opened as video.
        MissingExtraError: PyAV or torch is not installed.
    """

    def __init__(
        self,
        file: VideoFile,
        index: FrameIndex,
        *,
        tolerant: bool = False,
        threads: int = 1,
        fallback_reason: str = "",
    ) -> None:
        av = import_av()
        try:
            import torch  # noqa: PLC0415
        except ImportError:
            raise MissingExtraError("decoding video", "video") from None
        self._torch, self._file, self._index, self._tolerant = torch, file, index, tolerant
        self._walker = PyavWalker(file, index, tolerant=tolerant, threads=threads)
        self._damaged_frames = self._replaced_frames = 0
        self.info = BackendInfo(
            name="pyav",
            version=f"{av.__version__} (FFmpeg {av.ffmpeg_version_info})",
            device="cpu",
            fallback_reason=fallback_reason,
        )

    @property
    def recovery(self) -> Recovery:
        """See ``FrameSource``."""
        return Recovery(self._walker.bad_packets, self._damaged_frames, self._replaced_frames)

    def prepare(self, indices: npt.NDArray[np.int64]) -> None:
        """See ``FrameSource``."""
        self._walker.want(indices)

    def decode(self, indices: npt.NDArray[np.int64]) -> Decoded:
        """See ``FrameSource``."""
        self.prepare(indices)
        index, torch = self._index, self._torch
        pixels = torch.empty((len(indices), index.height, index.width, 3), dtype=torch.uint8)
        numbers = np.empty(len(indices), dtype=np.int64)
        for row, target in enumerate(indices.tolist()):
            frame, numbers[row] = self._frame(target)
            pixels[row] = torch.from_numpy(self._picture(frame, target))
        return Decoded(pixels.permute(0, 3, 1, 2), numbers)

    def close(self) -> None:
        """See ``FrameSource``."""
        self._walker.close()

    def _frame(self, target: int) -> tuple[Any, int]:
        try:
            frame, number = self._walker.walk_to(target, insist=not self._tolerant)
        except self._walker.errors as error:
            self._walker.restart(0)
            raise self._undecodable(target, first_line(error)) from None
        if number != target:
            if self._tolerant and number < 0:
                frame, number = self._walker.step_over_loss()
            if not self._tolerant or number < 0:
                raise self._undecodable(target, "the decoder shows no frame at that time")
            self._replaced_frames += 1
        if frame.is_corrupt or self._index.is_doubtful(number):
            if not self._tolerant:
                raise self._undecodable(target, "it is damaged, or made from damaged ones")
            self._damaged_frames += 1
        return frame, number

    def _picture(self, frame: Any, target: int) -> npt.NDArray[np.uint8]:
        """uint8[height, width, 3], turned as it is displayed."""
        coded = self._walker.converter.picture(frame)
        picture: npt.NDArray[np.uint8] = np.rot90(coded, self._index.rotation_degrees // 90 % 4)
        height, width = picture.shape[:2]
        if (height, width) != (self._index.height, self._index.width):
            expected = f"{self._index.width}x{self._index.height}"
            raise self._undecodable(target, f"it is {width}x{height} among frames of {expected}")
        return np.ascontiguousarray(picture)

    def _undecodable(self, target: int, reason: str) -> FrameDecodeError:
        return FrameDecodeError(self._file.path, target, float(self._index.pts[target]), reason)
