"""The index of a file: from the cache, else from a scan by the fastest library that can."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from fastvbench.core import MissingExtraError
from fastvbench.video._errors import VideoError
from fastvbench.video._index_cache import IndexCache
from fastvbench.video._packets import index_of_packets, looks_suspicious
from fastvbench.video._pyav_scan import import_av, scan_with_pyav
from fastvbench.video._source import VideoFile, look_at
from fastvbench.video._time_limit import DirectCaller, LimitedCaller
from fastvbench.video._torchcodec_scan import import_torchcodec, scan_with_torchcodec

if TYPE_CHECKING:
    import os

    from fastvbench.video._frame_index import FrameIndex

__all__ = ["index_of_file", "load_libraries", "scan_index"]


def scan_index(
    path: str | os.PathLike[str],
    *,
    cache: str | os.PathLike[str] | None = None,
    tolerant: bool = False,
    time_limit_seconds: float | None = None,
) -> FrameIndex:
    """When each frame of a video is shown, without decoding it.

    Args:
        path: the video.
        cache: folder in which indexes are kept; a file found there isn't read at all.
        tolerant: index what can be read of a damaged file, and make times where it has none.
        time_limit_seconds: after which the scan is abandoned; None waits for ever.

    Raises:
        VideoOpenError: the file cannot be opened, or its frames cannot be told apart by time.
        NoVideoStream: it holds no moving pictures.
        DecodeTimeout: the limit was exceeded.
        MissingExtraError: no library that reads video is installed.
    """
    file = look_at(path)
    load_libraries()
    caller: DirectCaller[FrameIndex] | LimitedCaller[FrameIndex] = (
        DirectCaller() if time_limit_seconds is None else LimitedCaller(path, time_limit_seconds)
    )
    try:
        return caller.call("scanning", lambda: index_of_file(file, cache, tolerant=tolerant))
    finally:
        caller.close()


def load_libraries() -> None:
    """Load the decoders before a clock starts: on a busy machine that alone takes seconds."""
    for load in (import_torchcodec, import_av):
        with contextlib.suppress(MissingExtraError):
            load()


def index_of_file(
    file: VideoFile, cache: str | os.PathLike[str] | None, *, tolerant: bool
) -> FrameIndex:
    """``scan_index`` of a file that was looked at, on this thread."""
    kept = None if cache is None else IndexCache(cache)
    index = None if kept is None else kept.find(file, tolerant=tolerant)
    if index is None:
        index = _scanned(file, tolerant=tolerant)
        if kept is not None:
            kept.keep(file, index, tolerant=tolerant)
    return index


def _scanned(file: VideoFile, *, tolerant: bool) -> FrameIndex:
    """Scan with TorchCodec where that is sure to see all that matters, else with PyAV."""
    if not tolerant:
        try:
            table = scan_with_torchcodec(file)
            if table is not None and not looks_suspicious(table):
                return index_of_packets(table, file.path, tolerant=False)
        except (MissingExtraError, VideoError):
            pass  # PyAV tells the same trouble in clearer words, or has none
    table = scan_with_pyav(file, tolerant=tolerant)
    return index_of_packets(table, file.path, tolerant=tolerant)
