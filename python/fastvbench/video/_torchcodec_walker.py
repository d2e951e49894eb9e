"""Frames through TorchCodec's building blocks, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.video._torchcodec_scan import release
from fastvbench.video._walk import Found, FrameWalker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["TorchCodecWalker"]


class TorchCodecWalker(FrameWalker):
    """See ``FrameWalker``. Frames are raw: ``picture`` makes RGB of the one that is wanted.

    Args:
        decoders: the module ``torchcodec.decoders``.
        file: the video.
        index: its frames.
        device: where it is decoded.
        threads: of FFmpeg's decoder on the CPU.
    """

    def __init__(
        self, decoders: Any, file: VideoFile, index: FrameIndex, *, device: str, threads: int
    ) -> None:
        super().__init__(index)
        self._decoders, self._path = decoders, file.name_for_decoders
        self._device, self._threads = device, threads
        self._converter = decoders.ColorConverter(device)
        self._half_tick = index.time_base_numerator / index.time_base_denominator / 2

    def picture(self, frame: Any) -> Any:
        """Torch uint8[3, height, width] of a frame found by ``walk_to``, upright."""
        return self._converter.convert(frame).data

    def _from_first_packet(self) -> Iterator[Found]:
        return self._numbered_frames(None)

    def _from_key_frame(self, start: int) -> Iterator[Found]:
        return self._numbered_frames(float(self._index.pts[start]))

    def _numbered_frames(self, seconds: float | None) -> Iterator[Found]:
        demuxer = self._decoders.Demuxer(self._path, streams="video")
        decoder = demuxer.streams[0].make_decoder(self._device, num_ffmpeg_threads=self._threads)
        try:
            if seconds is not None:
                demuxer.seek(seconds)
                decoder.reset()
            for packet in demuxer:
                yield from self._numbered(decoder.decode(packet))
            yield from self._numbered(decoder.drain())
        finally:
            release(demuxer)

    def _numbered(self, frames: list[Any]) -> Iterator[Found]:
        pts = self._index.pts
        for frame in frames:
            number = int(np.searchsorted(pts, frame.pts_seconds - self._half_tick))
            if number < len(pts) and abs(pts[number] - frame.pts_seconds) <= self._half_tick:
                yield Found(frame, number)
