"""Decodes the videos of many requests in threads, each once, within a bound on memory."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fastvbench.core import InputError
from fastvbench.video._assembly import UnitReader
from fastvbench.video._channel import Channel
from fastvbench.video._decode_unit import Message, Piece, Settings, decode_unit
from fastvbench.video._policy import parse_policy
from fastvbench.video._requests import DecodedFrames, FailedVideo, FrameChunk, FrameRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from fastvbench.video._decode_unit import Transform, VideoTransform
    from fastvbench.video._video import BackendName

__all__ = ["FramePipeline", "PipelineCounts"]

MEBIBYTE = 1 << 20


@dataclass
class PipelineCounts:
    """What a run of a pipeline did so far.

    Args:
        requests: handed over, failed ones too.
        failed: of them, without frames.
        videos_opened: decoders opened.
        videos_again: of them, opened once more since kept frames had to be dropped.
        frames: decoded and transformed.
        most_queued_bytes: most that the queue of one thread held.
    """

    requests: int = 0
    failed: int = 0
    videos_opened: int = 0
    videos_again: int = 0
    frames: int = 0
    most_queued_bytes: int = 0


class FramePipeline:
    """Frames for many requests, in their order; each video is decoded once for all of them.

    Memory in flight: a thread holds one chunk as it is decoded and at most ``queue_mebibytes`` of
    transformed frames, whatever the length of its video. Beside that there is the request being put
    together, and at most ``keep_mebibytes`` of frames kept for later requests of videos that are
    done; what does not fit is decoded again, and counted. ``order="video"`` takes requests of one
    video together, so that nothing has to be kept.

    A video that cannot be opened or decoded gives a `FailedVideo` for each of its requests, and the
    run goes on. Leaving the loop, or Ctrl-C, stops the threads at their next chunk.

    Args:
        requests: all of them; they are read before the first video is opened.
        workers: threads, each with a video of its own.
        chunk: frames decoded at a time.
        transform: makes [k, 3, h', w'] of uint8 [k, 3, h, w], on the device of the frames; or an
            object whose ``for_video(frame_count, height, width)`` gives that function.
        device: where frames are to lie. With ``cuda`` they are decoded there where the decoder can,
            and copied through pinned memory where it cannot.
        backend: as in `open_video`.
        cache: folder of frame indexes, as in `open_video`.
        tolerant: as in `open_video`.
        time_limit_seconds: for each step of a decoder, as in `open_video`.
        order: ``request`` or ``video``, see above.
        queue_mebibytes: see above.
        keep_mebibytes: see above.
        progress: called with the number of requests handed over and the number of all.

    Raises:
        InputError: a bad argument, or a request whose policy is none.

    Example:
        >>> requests = [FrameRequest("q1", "a.mp4", "1fps"), FrameRequest("q2", "a.mp4", "32")]
        >>> for result in FramePipeline(requests):  # doctest: +SKIP
        ...     print(result.key, result.seconds)
    """

    def __init__(
        self,
        requests: Iterable[FrameRequest],
        *,
        workers: int = 2,
        chunk: int = 8,
        transform: Transform | VideoTransform | None = None,
        device: str = "cpu",
        backend: BackendName = "auto",
        cache: str | os.PathLike[str] | None = None,
        tolerant: bool = False,
        time_limit_seconds: float | None = None,
        order: Literal["request", "video"] = "request",
        queue_mebibytes: int = 128,
        keep_mebibytes: int = 1024,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        least = {"workers": workers, "chunk": chunk, "queue_mebibytes": queue_mebibytes}
        for name, value in least.items():
            if value < 1:
                raise InputError("too few", field=name, value=value, expected="1 or more")
        if order not in ("request", "video"):
            raise InputError("no such order", value=order, expected="request or video")
        self._requests = list(requests)
        for request in self._requests:
            parse_policy(request.policy)
        if order == "video":
            self._requests = _by_video(self._requests)
        self._workers = workers
        self._settings = Settings(
            chunk=chunk,
            transform=transform,
            backend=backend,
            device=device,
            cache=cache,
            tolerant=tolerant,
            time_limit_seconds=time_limit_seconds,
        )
        self._queue_bytes = queue_mebibytes * MEBIBYTE
        self._keep_bytes = keep_mebibytes * MEBIBYTE
        self._progress = progress
        self.counts = PipelineCounts()

    def __len__(self) -> int:
        return len(self._requests)

    def __iter__(self) -> Iterator[DecodedFrames | FailedVideo]:
        """Decode, one result a request."""
        self.counts = PipelineCounts()
        run = _Run(self._requests, self._workers, self._settings, self._queue_bytes, self.counts)
        try:
            for position in range(len(self._requests)):
                result = self._result(run, position)
                self.counts.requests += 1
                self.counts.failed += isinstance(result, FailedVideo)
                if self._progress is not None:
                    self._progress(self.counts.requests, len(self._requests))
                yield result
                del result  # while the next one is made, this one is the caller's alone
        finally:
            run.close()

    def chunks(self) -> Iterator[FrameChunk | FailedVideo]:
        """Decode, and hand frames over as they come: for requests too large to be held whole.

        Yields:
            Chunks of one video after the other, in the order of each video's first request, and a
            `FailedVideo` for each request that lacks frames.
        """
        self.counts = PipelineCounts()
        run = _Run(self._requests, self._workers, self._settings, self._queue_bytes, self.counts)
        try:
            for unit in run.units():
                while (message := run.pump(unit)) is not None:
                    chunk = unit.chunk_of(message)
                    if chunk is not None:
                        yield chunk
                        del chunk
                    del message
                for position in unit.positions:
                    failed = unit.failure(position)
                    self.counts.requests += 1
                    if failed is not None:
                        self.counts.failed += 1
                        yield failed
                    if self._progress is not None:
                        self._progress(self.counts.requests, len(self._requests))
        finally:
            run.close()

    def _result(self, run: _Run, position: int) -> DecodedFrames | FailedVideo:
        unit = run.unit_of(position)
        while not unit.is_settled(position):
            message = run.pump(unit)
            if message is None:
                break
            unit.add(message)
            self._shed(run, position)
        if unit.was_dropped(position):
            unit = run.again(position)
            while (message := run.pump(unit)) is not None:
                unit.add(message)
        result = unit.take(position)
        self._leave(run, position)
        return result

    def _leave(self, run: _Run, position: int) -> None:
        """Before another video's turn, read this one to its end, so that its thread is free."""
        unit, following = run.unit_of(position), position + 1
        if following < len(self._requests) and run.unit_of(following) is unit:
            return
        while (message := run.pump(unit)) is not None:
            unit.add(message)
            self._shed(run, following)

    def _shed(self, run: _Run, current: int) -> None:
        """Drop what is needed last while more is kept than allowed."""
        while run.kept_bytes(current) > self._keep_bytes:
            run.drop_last_needed(current)


def _by_video(requests: Sequence[FrameRequest]) -> list[FrameRequest]:
    """Requests of one video together, videos in the order in which they first appear."""
    groups: dict[str, list[FrameRequest]] = {}
    for request in requests:
        groups.setdefault(os.fspath(request.path), []).append(request)
    return [request for group in groups.values() for request in group]


class _Run:
    """The threads of one iteration and the readers of what they decode."""

    def __init__(
        self,
        requests: Sequence[FrameRequest],
        workers: int,
        settings: Settings,
        queue_bytes: int,
        counts: PipelineCounts,
    ) -> None:
        self._requests, self._settings = requests, settings
        self._queue_bytes, self._counts = queue_bytes, counts
        groups: dict[str, list[int]] = {}
        for position, request in enumerate(requests):
            groups.setdefault(os.fspath(request.path), []).append(position)
        self._units = [
            UnitReader(path, {p: requests[p] for p in positions}, Channel(queue_bytes))
            for path, positions in groups.items()
        ]
        self._unit_of = {p: unit for unit in self._units for p in unit.positions}
        self._waiting = deque(self._units)
        self._works: dict[UnitReader, Future[None]] = {}
        self._extra: set[UnitReader] = set()
        self._keepers: list[UnitReader] = []  # begun, and with requests at several positions
        self._torch_threads = _torch_threads()
        # One thread more than there are videos ahead: for a video that has to be decoded again.
        self._pool = ThreadPoolExecutor(
            workers + 1,
            thread_name_prefix="video pipeline",
            initializer=_set_torch_threads,
            initargs=(max(1, self._torch_threads // workers),),
        )
        for _ in range(workers):
            self._start_next()

    def units(self) -> Iterator[UnitReader]:
        """Each video's reader, in order."""
        yield from self._units

    def unit_of(self, position: int) -> UnitReader:
        """The reader of the video of a request."""
        return self._unit_of[position]

    def pump(self, unit: UnitReader) -> Message | None:
        """The next message of a video; None at its end, when another one's decoding begins.

        Raises:
            Exception: what was raised in the thread, where that is no fault of the video.
        """
        work = self._works.get(unit)
        if work is None:
            return None
        message = unit.channel.get()
        if isinstance(message, Piece):
            self._counts.frames += len(message.places)
        if message is None:
            del self._works[unit]
            peak = unit.channel.peak_bytes
            self._counts.most_queued_bytes = max(self._counts.most_queued_bytes, peak)
            work.result()
            if unit in self._extra:
                self._extra.remove(unit)
            else:
                self._start_next()
        return message

    def again(self, position: int) -> UnitReader:
        """A new reader for one request, whose kept frames were dropped."""
        request = self._requests[position]
        unit = UnitReader(os.fspath(request.path), {position: request}, Channel(self._queue_bytes))
        self._counts.videos_again += 1
        self._extra.add(unit)
        self._start(unit)
        return unit

    def kept_bytes(self, current: int) -> int:
        """Bytes of frames that wait for a later request than the current one."""
        self._keepers = [unit for unit in self._keepers if unit.positions[-1] >= current]
        return sum(unit.kept_bytes(current) for unit in self._keepers)

    def drop_last_needed(self, current: int) -> None:
        """Drop the kept frames whose next request is farthest away."""
        unit = max(self._keepers, key=lambda unit: unit.farthest_kept(current))
        unit.drop(unit.farthest_kept(current))

    def close(self) -> None:
        """Stop the threads at their next chunk and wait for them."""
        for unit in self._works:
            unit.channel.abandon()
        self._waiting.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)
        _set_torch_threads(self._torch_threads)  # what threads begun later start with

    def _start_next(self) -> None:
        if self._waiting:
            unit = self._waiting.popleft()
            if len(unit.positions) > 1:
                self._keepers.append(unit)
            self._start(unit)

    def _start(self, unit: UnitReader) -> None:
        self._counts.videos_opened += 1
        requests = [(p, self._requests[p]) for p in unit.positions]
        self._works[unit] = self._pool.submit(
            decode_unit, unit.path, requests, self._settings, unit.channel
        )


def _torch_threads() -> int:
    """Threads that one operation of torch may use; 0 without torch."""
    try:
        import torch  # noqa: PLC0415
    except ImportError:
        return 0  # a thread that opens a video says so
    return int(torch.get_num_threads())


def _set_torch_threads(count: int) -> None:
    """Give this thread's transforms their share of the cores.

    Every thread that calls torch gets a team of as many threads as there are cores, so that two
    workers alone would ask for twice of them.
    """
    if count and _torch_threads():
        import torch  # noqa: PLC0415

        torch.set_num_threads(count)
