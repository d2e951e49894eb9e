"""What can go wrong with a video: each a one-line message with path, frame and time."""

from __future__ import annotations

import re

from fastvbench.core import InputError

__all__ = [
    "DecodeTimeout",
    "FrameDecodeError",
    "NoVideoStream",
    "VideoError",
    "VideoOpenError",
    "first_line",
]

_SOURCE_PLACE = re.compile(r"^[\w~<>]+, \S+\.(?:cpp|h):\d+, ")  # where in TorchCodec it was raised


class VideoError(InputError):
    """Base of every error about one video; a run records it and goes on to the next."""


class VideoOpenError(VideoError):
    """The file is no video that can be opened, or its frames cannot be told apart by time."""


class NoVideoStream(VideoError):  # noqa: N818 - a state of the file, named as such in results
    """The file is readable media without moving pictures: audio alone, or a cover picture."""

    def __init__(self, path: object, found: str) -> None:
        super().__init__(
            f"has no video stream ({found})", path=path, expected="a file with moving pictures"
        )


class FrameDecodeError(VideoError):
    """A frame that the index lists could not be decoded.

    Args:
        path: the video.
        index: the frame's number in display order, from 0.
        seconds: the time at which it is shown.
        reason: what the decoder said.
    """

    def __init__(self, path: object, index: int, seconds: float, reason: str) -> None:
        self.index, self.seconds, self.reason = index, seconds, reason
        super().__init__(f"frame {index} at {seconds:.3f} s: {first_line(reason)}", path=path)


class DecodeTimeout(VideoError):  # noqa: N818 - reads as the event that it is
    """A decoder did not come back in time and was abandoned.

    Args:
        path: the video.
        step: what it was doing.
        limit_seconds: how long it was given.
    """

    def __init__(self, path: object, step: str, limit_seconds: float) -> None:
        self.step, self.limit_seconds = step, limit_seconds
        super().__init__(f"{step} took more than {limit_seconds:g} s and was abandoned", path=path)


def first_line(message: object, most_characters: int = 200) -> str:
    """What a person can act on in a decoder's message, which may run to pages of C++."""
    reason = getattr(message, "strerror", None)  # of OSError, and of PyAV's errors
    lines = [line.strip() for line in str(reason or message).splitlines() if line.strip()]
    line = _SOURCE_PLACE.sub("", lines[0]) if lines else type(message).__name__
    return line if len(line) <= most_characters else line[: most_characters - 3] + "..."
