"""Open a video and take frames from it by number."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from fastvbench.core import InputError
from fastvbench.video._backend import BackendInfo, FrameBatch, FrameSource, Recovery
from fastvbench.video._choose import open_source
from fastvbench.video._scan import index_of_file, load_libraries
from fastvbench.video._source import VideoFile, look_at
from fastvbench.video._time_limit import Caller, DirectCaller, LimitedCaller

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from fastvbench.video._frame_index import FrameIndex

__all__ = ["Video", "open_video"]

BackendName = Literal["auto", "torchcodec", "pyav"]


def open_video(
    path: str | os.PathLike[str],
    *,
    backend: BackendName = "auto",
    device: str = "cpu",
    index: FrameIndex | None = None,
    cache: str | os.PathLike[str] | None = None,
    tolerant: bool = False,
    time_limit_seconds: float | None = None,
    threads: int = 1,
) -> Video:
    """Open a video file for decoding frames by number.

    Which number is on screen at a time follows from ``index`` (``frame_at``), so every backend
    gives the same frames, to the bit on the CPU.

    Args:
        path: the video, a regular file.
        backend: ``auto`` is TorchCodec where it works and PyAV where it doesn't;
            ``Video.backend`` says which, and why not the first.
        device: ``cpu``, or ``cuda`` (``cuda:1``) to decode there; where that is impossible frames
            come from the CPU, and ``Video.backend`` says why.
        index: from an earlier scan of the same file; made if missing.
        cache: folder in which indexes are kept between runs.
        tolerant: recover what can be recovered of a damaged file, and count what was bad
            (``Video.recovery``, ``index.damage``); otherwise damage is an error.
        time_limit_seconds: for opening, and for each chunk of frames; a decoder that takes longer
            is abandoned and the process goes on. None waits for ever.
        threads: of FFmpeg's decoder on the CPU; 1 is best where several videos are decoded.

    Returns:
        The open video, a context manager.

    Raises:
        VideoOpenError: the file cannot be opened, or its frames cannot be told apart by time.
        NoVideoStream: it holds no moving pictures.
        DecodeTimeout: the limit was exceeded.
        MissingExtraError: the backend is not installed.

    Example:
        >>> with open_video("clip.mp4") as video:  # doctest: +SKIP
        ...     shown = video.index.frame_at([0.0, 1.5])
        ...     for batch in video.frames(shown):
        ...         print(batch.frames.shape, batch.pts)
    """
    if backend not in ("auto", "torchcodec", "pyav"):
        raise InputError("no such backend", value=backend, expected="auto, torchcodec or pyav")
    if time_limit_seconds is not None and not time_limit_seconds > 0:
        raise InputError("no time to decode in", value=time_limit_seconds, expected="seconds > 0")
    file = look_at(path)
    load_libraries()
    caller: Caller[Any] = (
        DirectCaller() if time_limit_seconds is None else LimitedCaller(path, time_limit_seconds)
    )

    def opened() -> tuple[FrameIndex, FrameSource]:
        known = index_of_file(file, cache, tolerant=tolerant) if index is None else index
        source = open_source(
            file, known, backend=backend, device=device, tolerant=tolerant, threads=threads
        )
        return known, source

    try:
        known, source = caller.call("opening", opened)
    except BaseException:
        caller.close()
        raise
    return Video(file, known, source, caller)


class Video:
    """An open video; made by ``open_video``. One thread at a time may use it.

    Args:
        file: what was opened.
        index: its frames.
        source: the decoder.
        caller: runs the decoder, within a time limit if there is one.
    """

    def __init__(
        self, file: VideoFile, index: FrameIndex, source: FrameSource, caller: Caller[Any]
    ) -> None:
        self.path = file.path
        self.index = index
        self._source, self._caller = source, caller
        self._is_open = True

    @property
    def backend(self) -> BackendInfo:
        """Which decoder makes the frames; what it says may change when one takes over."""
        return self._source.info

    @property
    def recovery(self) -> Recovery:
        """What tolerant decoding passed over so far."""
        return self._source.recovery

    def frames(
        self,
        indices: npt.ArrayLike,
        *,
        chunk: int = 8,
        order: Literal["request", "display"] = "request",
    ) -> Iterator[FrameBatch]:
        """Decode frames by number, a few at a time.

        A frame asked for twice is decoded once as long as both places lie in one chunk, or
        ``order`` is ``display``. Chunks are the only frames held, so memory stays bounded.

        Args:
            indices: int[k] in any order, repeats welcome; negative numbers are refused.
            chunk: frames per batch.
            order: ``request`` gives frames in the order of ``indices``; ``display`` sorts them,
                so that each group of pictures is decoded once however clips are mixed, and
                ``FrameBatch.positions`` says where each belongs.

        Yields:
            Batches of ``chunk`` frames, the last one shorter.

        Raises:
            InputError: a number that the video doesn't have, or a video that was closed.
            FrameDecodeError: a frame cannot be decoded.
            DecodeTimeout: a chunk took longer than the limit.
        """
        wanted = self._checked(indices)
        if chunk < 1:
            raise InputError("no frames in a chunk", value=chunk, expected="1 or more")
        if order not in ("request", "display"):
            raise InputError("no such order", value=order, expected="request or display")
        places = np.arange(len(wanted))
        if order == "display":
            places = np.argsort(wanted, kind="stable")
        return self._batches(wanted, places, chunk)

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        if self._is_open:
            self._is_open = False
            self._caller.close(self._source.close)

    def __enter__(self) -> Video:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _checked(self, indices: npt.ArrayLike) -> npt.NDArray[np.int64]:
        wanted = np.asarray(indices)
        if wanted.size == 0:
            return np.empty(0, dtype=np.int64)
        if wanted.ndim != 1 or not np.issubdtype(wanted.dtype, np.integer):
            raise InputError(
                "frames are asked for by number",
                field="indices",
                value=f"{wanted.dtype}{list(wanted.shape)}",
                expected="a list of integers",
            )
        outside = np.flatnonzero((wanted < 0) | (wanted >= len(self.index)))
        if len(outside):
            at = int(outside[0])
            raise InputError(
                "the video has no such frame",
                path=self.path,
                field=f"indices[{at}]",
                value=int(wanted[at]),
                expected=f"0 to {len(self.index) - 1}",
            )
        return wanted.astype(np.int64)

    def _batches(
        self, wanted: npt.NDArray[np.int64], places: npt.NDArray[np.int64], chunk: int
    ) -> Iterator[FrameBatch]:
        if len(wanted):
            everything = np.unique(wanted)
            self._call("preparing", functools.partial(self._source.prepare, everything))
        for begin in range(0, len(places), chunk):
            at = places[begin : begin + chunk]
            distinct, rows = np.unique(wanted[at], return_inverse=True)
            work = functools.partial(self._source.decode, distinct)
            step = f"decoding frames {distinct[0]} to {distinct[-1]}"
            frames, found = self._call(step, work)
            if len(rows) != len(distinct) or (rows[1:] < rows[:-1]).any():
                frames, found = frames[rows.tolist()], found[rows]
            yield FrameBatch(frames, self.index.pts[found], found, at)

    def _call(self, step: str, work: Callable[[], Any]) -> Any:
        if not self._is_open:
            raise InputError("the video was closed", path=self.path)
        return self._caller.call(step, work)
