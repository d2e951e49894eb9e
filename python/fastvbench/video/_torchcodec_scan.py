"""Packets through TorchCodec: one call that sorts them, several times faster than a loop here."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastvbench.core import MissingExtraError
from fastvbench.video._errors import NoVideoStream, VideoOpenError, first_line
from fastvbench.video._packets import PacketTable, StreamHeader, turned

if TYPE_CHECKING:
    from fastvbench.video._source import VideoFile

__all__ = ["UnusableTorchCodec", "import_torchcodec", "release", "scan_with_torchcodec"]


def import_torchcodec() -> Any:
    """TorchCodec with a working FFmpeg underneath.

    Raises:
        MissingExtraError: it is not installed, or cannot load here; the message has the reason.
    """
    found = _look_for_torchcodec()
    if found.why_not is not None:
        raise found.why_not.with_traceback(None)  # one instance, raised many times
    return found.module


class _Found(NamedTuple):
    module: Any
    why_not: MissingExtraError | None


@functools.cache
def _look_for_torchcodec() -> _Found:
    """Look once: a library that doesn't load takes its time to say so, at every attempt."""
    try:
        import torchcodec  # noqa: PLC0415
        import torchcodec.decoders  # noqa: PLC0415
    except ModuleNotFoundError:
        return _Found(None, MissingExtraError("decoding video with TorchCodec", "video"))
    except (ImportError, OSError, RuntimeError) as error:  # made for another torch, or CUDA missing
        return _Found(None, UnusableTorchCodec(f"does not load: {first_line(error)}"))
    if torchcodec.ffmpeg_major_version is None:
        reason = (
            "finds no FFmpeg 4 to 9 (libavcodec and its sisters as shared libraries; "
            "most systems have them in a package named ffmpeg)"
        )
        return _Found(None, UnusableTorchCodec(reason))
    return _Found(torchcodec, None)


class UnusableTorchCodec(MissingExtraError):  # noqa: N818 - a state of the installation
    """TorchCodec is installed but cannot work here.

    Args:
        reason: what is in the way.
    """

    def __init__(self, reason: str) -> None:
        self.extra = "video"
        ImportError.__init__(self, f"TorchCodec {reason}")


def scan_with_torchcodec(file: VideoFile) -> PacketTable | None:
    """Read every packet of the video stream without decoding it.

    Returns:
        The packets sorted by time; None where this version of TorchCodec doesn't show ticks.

    Raises:
        VideoOpenError: the file cannot be opened, or not be read to its end.
        NoVideoStream: it holds no moving pictures.
    """
    decoders = import_torchcodec().decoders
    try:
        demuxer = decoders.Demuxer(file.name_for_decoders, streams="video")
    except ValueError as error:
        raise NoVideoStream(file.path, first_line(error)) from None
    except RuntimeError as error:
        raise VideoOpenError(
            f"cannot be opened as video ({first_line(error)})", path=file.path
        ) from None
    try:
        return _scanned(demuxer, demuxer.streams[0])
    except RuntimeError as error:
        raise VideoOpenError(f"cannot be read ({first_line(error)})", path=file.path) from None
    finally:
        release(demuxer)


def release(demuxer: Any) -> None:
    """Close a demuxer's file now.

    It and its streams refer to each other, so the file would stay open until Python's collector of
    cycles comes by, which may be hundreds of videos later.
    """
    vars(demuxer).clear()


def _scanned(demuxer: Any, stream: Any) -> PacketTable | None:
    scanned = stream.scan()
    try:
        pts, duration = scanned._pts.numpy(), scanned._duration.numpy()
        time_base = Fraction(scanned._time_base_num, scanned._time_base_den)
    except AttributeError:
        return None
    header = stream.metadata
    rate = header.average_fps_from_header
    seconds = header.duration_seconds_from_header or demuxer.metadata.duration_seconds_from_header
    return PacketTable(
        pts=pts.astype(np.int64),
        dts=None,
        duration=duration.astype(np.int64),
        is_key=scanned.is_key_frame.numpy().astype(np.bool_),
        header=StreamHeader(
            time_base=time_base,
            width=header.width,
            height=header.height,
            rotation_degrees=turned(header.rotation or 0),
            codec=header.codec,
            rate=float(rate) if rate else None,
            seconds=float(seconds) if seconds else None,
        ),
        unreadable=0,
        is_corrupt=np.zeros(len(pts), dtype=np.bool_),  # it doesn't say
        scanned_by="torchcodec",
    )
