"""Which library decodes: the best one that works here, and the reason where it is not the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.video._pyav_backend import PyavSource

if TYPE_CHECKING:
    from fastvbench.video._backend import FrameSource
    from fastvbench.video._frame_index import FrameIndex
    from fastvbench.video._source import VideoFile

__all__ = ["open_source"]


def open_source(
    file: VideoFile,
    index: FrameIndex,
    *,
    backend: str,
    device: str,
    tolerant: bool,
    threads: int,
) -> FrameSource:
    """Open a decoder."""
    return PyavSource(file, index, tolerant=tolerant, threads=threads)
