"""Frames through PyAV's packets, one after another."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.video._packets import repaired_times
from fastvbench.video._pyav_rgb import RgbConverter
from fastvbench.video._pyav_scan import import_av, open_container, scan_with_pyav
from fastvbench.video._walk import Found, FrameWalker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["PyavWalker"]


class PyavWalker(FrameWalker):
    """See ``FrameWalker``. Where the index was repaired, packets are counted from the first on.

    Args:
        file: the video.
        index: its frames.
        tolerant: pass over packets that cannot be decoded, and count them.
        threads: of FFmpeg's decoder.
    """

    def __init__(self, file: VideoFile, index: FrameIndex, *, tolerant: bool, threads: int) -> None:
        super().__init__(index, can_seek=not index.repair)
        self._file, self._tolerant, self._threads = file, tolerant, threads
        self.errors: type[Exception] = import_av().FFmpegError
        self._times: list[int] | None = None
        if index.repair == "unwrapped":
            self._times = repaired_times(scan_with_pyav(file, tolerant=True)).tolist()
        self._bad: set[object] = set()
        self._wanted_ticks: set[int] = set()
        # In H.264 nothing refers to a picture marked so, and leaving it out changes no other. In
        # HEVC the mark holds within a temporal layer only; other codecs have none.
        self._may_leave_out = index.codec == "h264" and not tolerant and not index.repair
        self._resources = contextlib.ExitStack()
        self._open()

    @property
    def bad_packets(self) -> int:
        """How many packets the decoder refused."""
        return len(self._bad)

    def want(self, frames: npt.NDArray[np.int64]) -> None:
        """Say which frames will be walked to, so that those in between can be left out."""
        ticks = set(self._index.pts_ticks[frames].tolist())
        if self._may_leave_out and not ticks <= self._wanted_ticks:
            self._wanted_ticks = ticks
            self._at = Found(None, -1)  # what is in the decoder now was chosen for another list

    def close(self) -> None:
        """Let go of the file."""
        self._at, self._ahead, self._frames = Found(None, -1), None, iter(())
        self._resources.close()

    def _open(self) -> None:
        self._container, self._stream = self._resources.enter_context(open_container(self._file))
        self._stream.codec_context.thread_count = self._threads
        self.converter = RgbConverter(self._stream)

    def _from_first_packet(self) -> Iterator[Found]:
        self._resources.close()  # going back to a first packet without a time takes a new start
        self._open()
        return self._numbered_frames()

    def _from_key_frame(self, start: int) -> Iterator[Found]:
        self._container.seek(int(self._index.pts_ticks[start]), stream=self._stream)
        return self._numbered_frames()

    def _numbered_frames(self) -> Iterator[Found]:
        """Frames with their numbers; those that the index doesn't list are left out."""
        ticks = self._index.pts_ticks
        for count, frame in enumerate(self._decoded()):
            if self._index.repair == "numbered":
                if count < len(ticks):
                    yield Found(frame, count)
                continue
            at = frame.dts if frame.pts is None else frame.pts
            if at is None:
                continue
            number = int(np.searchsorted(ticks, at))
            if number < len(ticks) and ticks[number] == at:
                yield Found(frame, number)

    def _decoded(self) -> Iterator[Any]:
        context, wanted = self._stream.codec_context, self._wanted_ticks
        for packet in self._packets():
            place = (packet.pos, packet.dts)
            if wanted:
                is_wanted = packet.pts is None or packet.pts in wanted
                context.skip_frame = "DEFAULT" if is_wanted else "NONREF"
            try:
                frames = packet.decode()
            except self.errors:
                if not self._tolerant:
                    raise
                self._bad.add(place)
                continue
            yield from frames

    def _packets(self) -> Iterator[Any]:
        count = failures = 0
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets, None)
            except self.errors:
                failures += 1
                if not self._tolerant or failures > len(self._index):
                    raise
                packets = self._container.demux(self._stream)
                continue
            if packet is None:
                return
            is_end = packet.pts is None and packet.dts is None and not packet.size
            if self._times is not None and not is_end and not packet.is_discard:
                if count < len(self._times):
                    packet.pts = packet.dts = self._times[count]
                count += 1
            yield packet
