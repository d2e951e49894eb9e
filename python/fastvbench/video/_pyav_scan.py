"""Packets through PyAV: the scanner that sees everything, in the order of the file."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core import MissingExtraError
from fastvbench.video._errors import NoVideoStream, VideoOpenError, first_line
from fastvbench.video._packets import UNTIMED, PacketTable, StreamHeader, turned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.video._source import VideoFile

__all__ = ["import_av", "open_container", "scan_with_pyav"]

_MOST_UNREADABLE = 10_000
_MOST_PACKETS_FOR_FIRST_FRAME = 300


def import_av() -> Any:
    """PyAV, silenced: what FFmpeg would print is in the errors that it raises.

    Raises:
        MissingExtraError: it is not installed, or cannot load here.
    """
    try:
        import av  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("decoding video with PyAV", "video") from None
    return av


@contextlib.contextmanager
def open_container(file: VideoFile) -> Iterator[tuple[Any, Any]]:
    """Open a file and find its video stream.

    Yields:
        PyAV's container and stream.

    Raises:
        VideoOpenError: the file cannot be opened as media.
        NoVideoStream: it holds none.
    """
    av = import_av()
    try:
        container = av.open(file.name_for_decoders, metadata_errors="replace")
    except (av.FFmpegError, OSError, ValueError) as error:
        raise VideoOpenError(
            f"cannot be opened as video ({first_line(error)})", path=file.path
        ) from None
    with container:
        yield container, _video_stream(av, container, file)


def _video_stream(av: Any, container: Any, file: VideoFile) -> Any:
    pictures = av.stream.Disposition.attached_pic
    moving = [s for s in container.streams.video if not s.disposition & pictures]
    if not moving:
        kinds = sorted({stream.type for stream in container.streams})
        found = "a cover picture only" if container.streams.video else ", ".join(kinds)
        raise NoVideoStream(file.path, found or "no streams at all")
    best = container.streams.best("video")
    return best if best in moving else moving[0]


def scan_with_pyav(file: VideoFile, *, tolerant: bool = False) -> PacketTable:
    """Read every packet of the video stream without decoding it.

    Args:
        file: the file.
        tolerant: read on where the container is damaged, and count how often.

    Raises:
        VideoOpenError: it cannot be opened, or read to its end unless ``tolerant``.
        NoVideoStream: it holds no moving pictures.
    """
    av = import_av()
    pts: list[int] = []
    dts: list[int] = []
    duration: list[int] = []
    is_key: list[bool] = []
    is_corrupt: list[bool] = []
    unreadable = 0
    with open_container(file) as (container, stream):
        packets = container.demux(stream)
        while True:
            try:
                for packet in packets:
                    at, decoded_at = packet.pts, packet.dts
                    if packet.is_discard or (at is None and decoded_at is None and not packet.size):
                        continue  # hidden by an edit list, or the mark of the end
                    decoded_at = UNTIMED if decoded_at is None else decoded_at
                    pts.append(decoded_at if at is None else at)
                    dts.append(decoded_at)
                    duration.append(packet.duration or 0)
                    is_key.append(packet.is_keyframe)
                    is_corrupt.append(packet.is_corrupt)
                break
            except av.FFmpegError as error:
                unreadable += 1
                if not tolerant:
                    raise VideoOpenError(
                        f"cannot be read after frame {len(pts)} ({first_line(error)})",
                        path=file.path,
                        expected="a sound file, or tolerant mode",
                    ) from None
                if unreadable > _MOST_UNREADABLE:
                    break
                packets = container.demux(stream)
        header = _header(av, container, stream, file)
    return PacketTable(
        pts=np.array(pts, dtype=np.int64),
        dts=np.array(dts, dtype=np.int64),
        duration=np.array(duration, dtype=np.int64),
        is_key=np.array(is_key, dtype=np.bool_),
        header=header,
        unreadable=unreadable,
        is_corrupt=np.array(is_corrupt, dtype=np.bool_),
        scanned_by="pyav",
    )


def _header(av: Any, container: Any, stream: Any, file: VideoFile) -> StreamHeader:
    context = stream.codec_context
    rotation = _rotation(file)
    width, height = context.width, context.height
    if rotation % 180:
        width, height = height, width
    seconds = None
    if stream.duration is not None:
        seconds = float(stream.duration * stream.time_base)
    elif container.duration is not None:
        seconds = container.duration / av.time_base
    rate = stream.base_rate or stream.average_rate  # in the order of TorchCodec
    return StreamHeader(
        time_base=Fraction(stream.time_base),
        width=width,
        height=height,
        rotation_degrees=rotation,
        codec=context.codec.canonical_name,
        rate=float(rate) if rate else None,
        seconds=seconds,
        numbering_rate=float(stream.guessed_rate) if stream.guessed_rate else None,
    )


def _rotation(file: VideoFile) -> int:
    """Quarter turns of the display matrix, which PyAV hands out with decoded frames only."""
    av = import_av()
    with open_container(file) as (container, stream):
        for count, packet in enumerate(container.demux(stream)):
            try:
                for frame in packet.decode():
                    return turned(frame.rotation)
            except av.FFmpegError:
                continue
            if count == _MOST_PACKETS_FOR_FIRST_FRAME:
                break
    return 0
