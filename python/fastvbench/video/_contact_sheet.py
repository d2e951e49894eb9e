"""Frames as pictures that a person can look at, each with its number and time burned in."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

__all__ = ["ContactSheet", "clock_text", "frame_png"]

MARGIN = 6  # pixels between frames
MOST_PIXELS = 1 << 28  # of a sheet; beyond, viewers give up
BACKGROUND = (24, 24, 24)
INK, SHADE = (255, 255, 255), (0, 0, 0)


def clock_text(seconds: float) -> str:
    """Hours, minutes, seconds and milliseconds, such as ``1:02:03.004``; no hour, no hours."""
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    tail = f"{rest // 1000:02d}.{rest % 1000:03d}"
    return f"{hours}:{minutes:02d}:{tail}" if hours else f"{minutes}:{tail}"


def frame_png(frame: torch.Tensor, label: str | None = None) -> bytes:
    """One frame as a PNG.

    Args:
        frame: torch uint8[3, h, w].
        label: text in its lower left corner; None leaves the picture as it is.
    """
    picture = _picture(frame)
    if label is not None:
        _write(picture, label)
    return _png(picture)


class ContactSheet:
    """A grid of small frames in reading order, drawn as they come.

    Args:
        count: how many frames there will be.
        height: of the decoded frames.
        width: see ``height``.
        frame_width: of the frames on the sheet.
        columns: frames a row; None makes the sheet about as wide as a screen is to its height.

    Raises:
        InputError: a sheet of more than 268 million pixels.
        MissingExtraError: Pillow is not installed.
    """

    def __init__(
        self,
        count: int,
        height: int,
        width: int,
        *,
        frame_width: int = 320,
        columns: int | None = None,
    ) -> None:
        image = _pillow()
        self._frame_width = frame_width
        self._frame_height = max(1, round(height * frame_width / width))
        step_x, step_y = frame_width + MARGIN, self._frame_height + MARGIN
        if columns is None:
            columns = max(1, round(math.sqrt(count * 16 / 9 * step_y / step_x)))
        self._columns = max(1, min(columns, count))
        rows = max(1, -(-count // self._columns))
        size = (self._columns * step_x + MARGIN, rows * step_y + MARGIN)
        if size[0] * size[1] > MOST_PIXELS:
            raise InputError(
                "a contact sheet too large to look at",
                value=f"{size[0]} x {size[1]} pixels",
                expected="fewer frames or a smaller width",
            )
        self._sheet = image.new("RGB", size, BACKGROUND)
        self._placed = 0

    def add(self, frames: torch.Tensor, labels: Sequence[str]) -> None:
        """Place the next frames.

        Args:
            frames: torch uint8[k, 3, h, w], on the CPU.
            labels: k texts.
        """
        size = (self._frame_width, self._frame_height)
        for frame, label in zip(frames, labels, strict=True):
            picture = _picture(frame).resize(size, _pillow().Resampling.LANCZOS)
            _write(picture, label)
            row, column = divmod(self._placed, self._columns)
            left = MARGIN + column * (self._frame_width + MARGIN)
            top = MARGIN + row * (self._frame_height + MARGIN)
            self._sheet.paste(picture, (left, top))
            self._placed += 1

    def png(self) -> bytes:
        """The sheet as a PNG."""
        return _png(self._sheet)


def _pillow() -> Any:
    try:
        from PIL import Image  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("drawing frames", "video") from None
    return Image


def _picture(frame: torch.Tensor) -> Any:
    return _pillow().fromarray(frame.permute(1, 2, 0).contiguous().numpy())


def _write(picture: Any, label: str) -> None:
    """A label on a dark ground, so that it can be read on any picture."""
    from PIL import ImageDraw, ImageFont  # noqa: PLC0415

    size = max(10, picture.height // 11)
    while True:  # as large as the picture is wide enough for
        font = ImageFont.load_default(size)
        draw = ImageDraw.Draw(picture, "RGBA")
        left, top, right, bottom = draw.textbbox((0, 0), label, font=font)
        if right - left + 8 <= picture.width or size <= 8:
            break
        size -= 1
    height = bottom - top + 6
    draw.rectangle(
        (0, picture.height - height, right - left + 8, picture.height), fill=(*SHADE, 190)
    )
    draw.text((4 - left, picture.height - height + 3 - top), label, font=font, fill=INK)


def _png(picture: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()
