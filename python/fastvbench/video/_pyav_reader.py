"""Decoded frames one after another, each with its number in the index."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.video._packets import repaired_times
from fastvbench.video._pyav_scan import import_av, open_container, scan_with_pyav

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["PacketReader"]

_MOST_REORDERED = 16  # frames that H.264 and HEVC may hold back


class PacketReader:
    """A position in a video: after ``seek``, ``advance`` decodes up to a wanted frame.

    Where the index had to be repaired, times in the file mean nothing: packets are counted from
    the first one on, and there is no seeking.

    Args:
        file: the video.
        index: its frames.
        tolerant: pass over packets that cannot be decoded, and count them.
        threads: of FFmpeg's decoder.
    """

    def __init__(self, file: VideoFile, index: FrameIndex, *, tolerant: bool, threads: int) -> None:
        self._file, self._index, self._tolerant, self._threads = file, index, tolerant, threads
        self.errors: type[Exception] = import_av().FFmpegError
        self._resources = contextlib.ExitStack()
        self._times: list[int] | None = None
        if index.repair == "unwrapped":
            self._times = repaired_times(scan_with_pyav(file, tolerant=True)).tolist()
        self._bad: set[int] = set()
        self.frame: Any = None  # the one that ``advance`` stopped at
        self._number = -1
        self._ahead: tuple[int, Any] | None = None  # the one after it, once decoded
        self._open()

    def __enter__(self) -> PacketReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()
        self.frame = self._ahead = None

    @property
    def bad_packets(self) -> int:
        """How many packets the decoder refused."""
        return len(self._bad)

    def reaches(self, target: int, start: int) -> bool:
        """Whether decoding on is no dearer than a seek to frame ``start``."""
        if self._number < 0 or target <= self._number:
            return False
        return bool(self._index.repair) or start <= self._number + _MOST_REORDERED

    def seek(self, start: int) -> None:
        """Go to frame ``start``, at which decoding can start; -1: to the first packet."""
        if self._index.repair or start <= 0:
            self._resources.close()
            self._open()
            return
        self._container.seek(int(self._index.pts_ticks[start]), stream=self._stream)
        self._begin()

    def advance(self, target: int) -> int:
        """Decode until frame ``target``.

        Returns:
            ``target``, in ``frame``; where the video doesn't show it, the number of the frame
            before it (or -1, where decoding began after it).

        Raises:
            FFmpegError: a packet cannot be decoded, unless tolerant.
        """
        while True:
            if self._ahead is None:
                self._ahead = next(self._frames, None)
            if self._ahead is None or self._ahead[0] > target:
                return self._number
            self._number, self.frame = self._ahead
            self._ahead = None
            if self._number == target:
                return target

    def step_over_loss(self) -> int:
        """Move on to the next frame that can be decoded, where none before it could be.

        Returns:
            Its number, -1 where there is none.
        """
        if self._ahead is not None:
            self._number, self.frame = self._ahead
            self._ahead = None
        return self._number

    def _open(self) -> None:
        self._container, self._stream = self._resources.enter_context(open_container(self._file))
        self._stream.codec_context.thread_count = self._threads
        self._begin()

    def _begin(self) -> None:
        self._number, self.frame, self._ahead = -1, None, None
        self._frames = self._numbered_frames()

    def _numbered_frames(self) -> Iterator[tuple[int, Any]]:
        """Frames with their numbers; those that the index doesn't list are left out."""
        ticks = self._index.pts_ticks
        for count, frame in enumerate(self._decoded()):
            if self._index.repair == "numbered":
                if count < len(ticks):
                    yield count, frame
                continue
            at = frame.dts if frame.pts is None else frame.pts
            if at is None:
                continue
            number = int(np.searchsorted(ticks, at))
            if number < len(ticks) and ticks[number] == at:
                yield number, frame

    def _decoded(self) -> Iterator[Any]:
        for packet in self._packets():
            where = packet.pos if packet.pos is not None else packet.dts
            try:
                yield from packet.decode()
            except self.errors:
                if not self._tolerant:
                    raise
                self._bad.add(hash(where))

    def _packets(self) -> Iterator[Any]:
        count = 0
        packets = self._container.demux(self._stream)
        failures = 0
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
