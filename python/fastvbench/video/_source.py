"""What a path points to, before any decoder sees it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fastvbench.video._errors import VideoOpenError

__all__ = ["VideoFile", "look_at"]

_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a pipe, and frames are found by seeking"),
    (stat.S_ISSOCK, "is a socket, and frames are found by seeking"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)
_MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"styp")


class VideoFile:
    """One version of one regular file: its path as given, and what tells versions apart.

    Args:
        path: the file.
        size_bytes: its length.
        modified_ns: when it was last written, in nanoseconds.
    """

    def __init__(self, path: Path, size_bytes: int, modified_ns: int) -> None:
        self.path, self.size_bytes, self.modified_ns = path, size_bytes, modified_ns

    @property
    def has_key_frame_table(self) -> bool:
        """Whether its kind of container lists key frames, so that FFmpeg seeks to them exactly."""
        with open(self.path, "rb") as file:
            begin = file.read(12)
        is_matroska = begin[:4] == b"\x1a\x45\xdf\xa3"
        return is_matroska or begin[4:8] in _MP4_BOXES or begin[8:12] == b"AVI "

    @property
    def name_for_decoders(self) -> str:
        """An absolute path, so that a name such as ``pipe:0`` or ``http:`` is no protocol."""
        return os.path.abspath(self.path)


def look_at(path: str | os.PathLike[str]) -> VideoFile:
    """Refuse at once what would make a decoder wait or guess: pipes, devices, folders, nothing.

    Raises:
        VideoOpenError: there is no regular file with content that can be read.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise VideoOpenError("does not exist", path=path, expected="a video file") from None
    except (OSError, ValueError) as error:  # a name too long, no permission, a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise VideoOpenError(f"cannot be reached ({reason})", path=_shown(path)) from None
    for is_kind, problem in _KINDS:
        if is_kind(status.st_mode):
            raise VideoOpenError(problem, path=path, expected="a regular file")
    if not os.access(path, os.R_OK):
        raise VideoOpenError("may not be read", path=path, expected="read permission")
    if status.st_size == 0:
        raise VideoOpenError("is empty", path=path, expected="a video file")
    return VideoFile(Path(path), status.st_size, status.st_mtime_ns)


def _shown(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    return text if len(text) <= 200 else f"{text[:80]}...{text[-80:]}"
