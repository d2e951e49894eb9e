"""PyAV's frames as RGB, to the bit as TorchCodec makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.video._pyav_scan import import_av

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["RgbConverter"]

_PLAIN_FORMATS = ("yuv420p", "yuvj420p")


class RgbConverter:
    """Turns decoded frames into RGB through FFmpeg's own graph of filters.

    PyAV's method for it takes note of where chroma samples lie, which TorchCodec and FFmpeg's
    command don't. That makes a difference for more than 8 bits a channel; plain 8-bit pictures go
    through another conversion, alike in all of them, and take the short way.

    Args:
        stream: PyAV's stream, for its time base.
    """

    def __init__(self, stream: Any) -> None:
        self._time_base = stream.time_base
        self._built_for: tuple[object, ...] = ()
        self._graph: Any = None

    def picture(self, frame: Any) -> npt.NDArray[np.uint8]:
        """uint8[height, width, 3], as coded (not turned)."""
        if frame.format.name in _PLAIN_FORMATS:
            plain: npt.NDArray[np.uint8] = frame.to_ndarray(format="rgb24")
            return plain
        shape = (frame.width, frame.height, frame.format.name)
        if self._built_for != shape:
            self._graph, self._built_for = self._built(frame), shape
        self._graph.push(frame)
        picture: npt.NDArray[np.uint8] = self._graph.pull().to_ndarray(format="rgb24")
        return picture

    def _built(self, frame: Any) -> Any:
        graph = import_av().filter.Graph()
        source = graph.add_buffer(
            width=frame.width,
            height=frame.height,
            format=frame.format,
            time_base=self._time_base,
        )
        to_rgb, sink = graph.add("format", "rgb24"), graph.add("buffersink")
        source.link_to(to_rgb)
        to_rgb.link_to(sink)
        graph.configure()
        return graph
