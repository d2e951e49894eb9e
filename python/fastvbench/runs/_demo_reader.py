"""The demo's reader: it reads what stands in frames (OCR) and answers by a rule. No model."""

from __future__ import annotations

import importlib.metadata
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._errors import MissingExtraError
from fastvbench.models import Frames, GenerationSettings, Request, Response
from fastvbench.models._closing import Closing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["OcrReader"]

_OPTION = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
_NUMBERED = re.compile(r"[A-Za-z]+ \d+")
_CLOCK = re.compile(r"(\d\d):(\d\d[.,]\d)")
_ALIKE = str.maketrans("OIL", "011")  # what OCR takes for each other

Picture = Any


@dataclass(slots=True)
class _ReadVideo:
    """Lines of text of every frame of a video, and when each is shown."""

    frames: Frames
    lines: list[list[str]]
    clocks: list[float | None] = field(default_factory=list)


class OcrReader(Closing):
    """Answers questions about signs in a video: which option stands beside what is asked for, when.

    A frame speaks for an option if one line of it holds the option, every "gate 3" of the
    question, and what stands in the reference image. The option with most such frames is the
    answer; its interval ends half-way to the neighbouring frames.

    Args:
        read: gives the lines of text in a picture, uint8 [height, width, 3], RGB; None takes
            RapidOCR.

    Attributes:
        most_clock_error_seconds: largest difference between a clock that was read in a frame and
            the time that the frame was said to have.
        clocks_read: in how many frames a clock was read.

    Raises:
        MissingExtraError: RapidOCR is not installed.
    """

    name = "ocr-reader"
    batch_size = 4

    def __init__(self, read: Callable[[Picture], list[str]] | None = None) -> None:
        self._read = _rapid_ocr() if read is None else read
        self._video: _ReadVideo | None = None
        self.most_clock_error_seconds = 0.0
        self.clocks_read = 0

    def describe(self) -> Mapping[str, Any]:
        """What reads, and that it is no model."""
        try:
            version = importlib.metadata.version("rapidocr-onnxruntime")
        except importlib.metadata.PackageNotFoundError:
            version = "none"
        return {"kind": "OCR and a rule, made for the demo's video", "revision": version}

    def generate(self, requests: Sequence[Request], settings: GenerationSettings) -> list[Response]:
        """Answer each request; the settings move nothing."""
        del settings
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Response:
        begin = time.monotonic()
        if request.frames is None or not len(request.frames):
            return Response.failed(request.id, "there is no frame to read")
        video = self._read_video(request.frames)
        asked, *_ = request.prompt.split("\n")
        beside = [_plain(found) for found in _NUMBERED.findall(asked)]
        beside += [_plain(line) for picture in request.images for line in self._lines(picture)]
        matches = {
            letter: [
                number
                for number, lines in enumerate(video.lines)
                if any(_holds(line, [_plain(option), *beside]) for line in lines)
            ]
            for letter, option in _OPTION.findall(request.prompt)
        }
        letter = max(matches, key=lambda each: len(matches[each]), default="")
        if not letter or not matches[letter]:
            text = "I don't see it."
        else:
            start, end = _interval(video.frames, matches[letter])
            text = f"({letter}) {start:.2f} - {end:.2f} seconds"
        seconds = time.monotonic() - begin
        return Response(request.id, text, "stop", latency_seconds=seconds)

    def _read_video(self, frames: Frames) -> _ReadVideo:
        """Lines of each frame; read once for all questions about the video."""
        if self._video is None or self._video.frames is not frames:
            pictures = np.asarray(frames.pixels).transpose(0, 2, 3, 1)
            lines = [self._lines(picture) for picture in pictures]
            self._video = _ReadVideo(frames, [[_plain(line) for line in each] for each in lines])
            self._compare_clocks(lines, frames)
        return self._video

    def _compare_clocks(self, lines: list[list[str]], frames: Frames) -> None:
        for each, seconds in zip(lines, frames.seconds.tolist(), strict=True):
            found = next((m for line in each if (m := _CLOCK.search(line))), None)
            if found is not None:
                clock = 60 * int(found[1]) + float(found[2].replace(",", "."))
                self.clocks_read += 1
                error = abs(clock - seconds)
                self.most_clock_error_seconds = max(self.most_clock_error_seconds, error)

    def _lines(self, picture: Picture) -> list[str]:
        return self._read(np.ascontiguousarray(np.asarray(picture)))


def _rapid_ocr() -> Callable[[Picture], list[str]]:
    try:
        from rapidocr_onnxruntime import RapidOCR  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("the full demo", "demo") from None
    # Small pictures need no enlarging, and one thread is the quickest for them.
    engine = RapidOCR(det_limit_side_len=320, det_limit_type="min", intra_op_num_threads=1)

    def read(picture: Picture) -> list[str]:
        found, _ = engine(picture[..., ::-1], use_cls=False)  # it wants BGR
        return [str(text) for _, text, _ in found or ()]

    return read


def _plain(text: str) -> str:
    """Letters and digits alone, those that look alike as one."""
    return "".join(c for c in text.upper() if c.isalnum()).translate(_ALIKE)


def _holds(line: str, parts: list[str]) -> bool:
    """Whether a line holds every part; a part that ends with a digit ends its number too."""
    for part in parts:
        place = line.find(part)
        if place < 0:
            return False
        after = line[place + len(part) : place + len(part) + 1]
        if part[-1:].isdigit() and after.isdigit():
            return False
    return True


def _interval(frames: Frames, numbers: list[int]) -> tuple[float, float]:
    """From half-way before the first frame to half-way behind the last one."""
    seconds = frames.seconds.tolist()
    first, last = numbers[0], numbers[-1]
    start = seconds[first] if first == 0 else (seconds[first - 1] + seconds[first]) / 2
    if last + 1 == len(seconds):
        return start, frames.duration_seconds
    return start, (seconds[last] + seconds[last + 1]) / 2
