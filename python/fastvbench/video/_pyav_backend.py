"""Frames through PyAV, whose wheel brings its own FFmpeg: slower, but it always installs."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core import MissingExtraError
from fastvbench.video._backend import BackendInfo, Decoded, Recovery
from fastvbench.video._errors import FrameDecodeError, first_line
from fastvbench.video._pyav_reader import PacketReader
from fastvbench.video._pyav_scan import import_av

if TYPE_CHECKING:
    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["PyavSource"]

_EARLIER_KEY_FRAMES = 4


class PyavSource:
    """One open video. Targets are met in ascending order, with one seek per group of pictures.

    Args:
        file: the video.
        index: its frames.
        tolerant: pass over packets that cannot be decoded.
        threads: of FFmpeg's decoder.
        fallback_reason: why this backend and not another.
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
        self._resources = contextlib.ExitStack()
        self._reader = self._resources.enter_context(
            PacketReader(file, index, tolerant=tolerant, threads=threads)
        )
        self._recovery = Recovery()
        self.info = BackendInfo(
            name="pyav",
            version=f"{av.__version__} (FFmpeg {av.ffmpeg_version_info})",
            device="cpu",
            fallback_reason=fallback_reason,
        )

    @property
    def recovery(self) -> Recovery:
        """See ``FrameSource``."""
        return replace(self._recovery, bad_packets=self._reader.bad_packets)

    def decode(self, indices: npt.NDArray[np.int64]) -> Decoded:
        """See ``FrameSource``."""
        index, torch = self._index, self._torch
        pixels = torch.empty((len(indices), index.height, index.width, 3), dtype=torch.uint8)
        found = np.empty(len(indices), dtype=np.int64)
        for row, target in enumerate(indices.tolist()):
            frame, number = self._frame(target)
            picture = self._upright(frame, target)
            pixels[row] = torch.from_numpy(picture)
            found[row] = number
        return Decoded(pixels.permute(0, 3, 1, 2), found)

    def close(self) -> None:
        """See ``FrameSource``."""
        self._resources.close()

    def _frame(self, target: int) -> tuple[Any, int]:
        """The decoded frame and its number, seeking further back where a seek lands too late."""
        start = int(self._index.key_frame_before(target))
        reader = self._reader
        if not reader.reaches(target, start):
            reader.seek(start)
        for _ in range(_EARLIER_KEY_FRAMES):
            number = self._advance(target, start)
            if number == target:
                return reader.frame, number
            if number >= 0 or start < 0:
                break
            # The seek landed too late, after the target: some containers only nearly seek.
            start = int(self._index.key_frame_before(start - 1)) if start > 0 else -1
            reader.seek(start)
        if self._tolerant and number < 0:
            number = reader.step_over_loss()
        if not self._tolerant or number < 0:
            raise self._undecodable(target, "the decoder shows no frame at that time")
        self._recovery = replace(self._recovery, replaced_frames=self._recovery.replaced_frames + 1)
        return reader.frame, number

    def _advance(self, target: int, start: int) -> int:
        try:
            return self._reader.advance(target)
        except self._reader.errors as error:
            self._reader.seek(start)
            raise self._undecodable(target, first_line(error)) from None

    def _upright(self, frame: Any, target: int) -> npt.NDArray[np.uint8]:
        """uint8[height, width, 3], turned as it is displayed."""
        if frame.is_corrupt and self._tolerant:
            self._recovery = replace(
                self._recovery, damaged_frames=self._recovery.damaged_frames + 1
            )
        picture: npt.NDArray[np.uint8] = frame.to_ndarray(format="rgb24")
        picture = np.rot90(picture, self._index.rotation_degrees // 90 % 4)
        expected = (self._index.height, self._index.width)
        if picture.shape[:2] != expected:
            raise self._undecodable(
                target, f"it is {picture.shape[1]}x{picture.shape[0]} among frames of "
                f"{expected[1]}x{expected[0]}"
            )  # fmt: skip
        return np.ascontiguousarray(picture)

    def _undecodable(self, target: int, reason: str) -> FrameDecodeError:
        return FrameDecodeError(self._file.path, target, float(self._index.pts[target]), reason)
