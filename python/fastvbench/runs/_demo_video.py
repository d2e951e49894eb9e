"""A short video made for the demo: signs that come and go, and a clock that says when."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

__all__ = ["DEMO_QUESTIONS", "VIDEO_NAME", "write_demo_media"]

VIDEO_NAME = "gates"
TICKS_A_SECOND = 10
SECONDS = 48.0
SLOW_FROM_SECONDS = 20.0  # from here on a frame stands twice as long: times are no frame numbers
WIDTH, HEIGHT = 640, 360
_BIT_RATE = 4_000_000
_GREY, _WHITE, _DARK = (96, 104, 112), (255, 255, 255), (24, 28, 36)


@dataclass(frozen=True, slots=True)
class Sign:
    """A line of text in the video.

    Attributes:
        text: what it says.
        begin_seconds: when it appears.
        end_seconds: when it goes.
        line: where it stands, from 0 downward.
    """

    text: str
    begin_seconds: float
    end_seconds: float
    line: int


SIGNS = (
    Sign("RED VAN AT GATE 3", 3.0, 11.0, 0),
    Sign("BADGE 4711 AT GATE 5", 7.4, 17.4, 1),
    Sign("BLUE BUS AT GATE 7", 14.2, 24.6, 0),
    Sign("BADGE 8230 AT GATE 9", 26.0, 34.8, 1),
    Sign("WHITE TRUCK AT GATE 12", 33.2, 43.4, 0),
)
_BADGES = {"badge_a.png": "BADGE 4711", "badge_b.png": "BADGE 8230"}
_VEHICLES = ["red van", "blue bus", "white truck"]
_GATES = ["gate 3", "gate 5", "gate 9"]
_BADGE_QUESTION = "At which gate is this badge shown?"


def _question(
    ident: str, options: list[str], answer: str, sign: Sign, image: str | None = None
) -> dict[str, Any]:
    gate = sign.text.partition(" AT ")[2].lower()
    return {
        "id": ident,
        "video": VIDEO_NAME,
        "question": _BADGE_QUESTION if image else f"Which vehicle stands at {gate}?",
        "options": options,
        "answer": answer,
        "interval": [sign.begin_seconds, sign.end_seconds],
        "modality": "image+text" if image else "text",
        "image": image,
        "task": "temporal localization",
        "duration": SECONDS,
    }


DEMO_QUESTIONS = (
    _question("van", _VEHICLES, "A", SIGNS[0]),
    _question("badge-a", _GATES, "B", SIGNS[1], "badge_a.png"),
    _question("bus", _VEHICLES, "B", SIGNS[2]),
    _question("badge-b", _GATES, "C", SIGNS[3], "badge_b.png"),
    _question("truck", _VEHICLES, "C", SIGNS[4]),
)


def write_demo_media(folder: Path) -> None:
    """Write the video and the images of its questions.

    Raises:
        MissingExtraError: PyAV or Pillow is not installed.
    """
    try:
        import av  # noqa: PLC0415 - an extra
        from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("the full demo", "demo") from None
    large, small = ImageFont.load_default(40), ImageFont.load_default(30)
    for name, text in _BADGES.items():
        badge = Image.new("RGB", (360, 120), _WHITE)
        ImageDraw.Draw(badge).text((40, 34), text, _DARK, large)
        badge.save(folder / name)

    def picture(seconds: float) -> npt.NDArray[np.uint8]:
        import numpy as np  # noqa: PLC0415 - beside its only use

        image = Image.new("RGB", (WIDTH, HEIGHT), _GREY)
        draw = ImageDraw.Draw(image)
        draw.text((440, 16), f"{int(seconds) // 60:02d}:{seconds % 60:04.1f}", _WHITE, small)
        for sign in SIGNS:
            if sign.begin_seconds <= seconds < sign.end_seconds:
                top = 110 + 110 * sign.line
                draw.rectangle((24, top, WIDTH - 24, top + 80), _DARK)
                draw.text((44, top + 16), sign.text, _WHITE, large)
        return np.asarray(image)

    with av.open(str(folder / f"{VIDEO_NAME}.mp4"), "w") as container:
        stream: Any = container.add_stream("mpeg4", rate=TICKS_A_SECOND)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.bit_rate = _BIT_RATE
        stream.codec_context.time_base = Fraction(1, TICKS_A_SECOND)
        for tick in _ticks():
            frame = av.VideoFrame.from_ndarray(picture(tick / TICKS_A_SECOND), format="rgb24")
            frame.pts, frame.time_base = tick, Fraction(1, TICKS_A_SECOND)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _ticks() -> Iterator[int]:
    """When frames are shown: at a rate that halves on the way."""
    slow_from = int(SLOW_FROM_SECONDS * TICKS_A_SECOND)
    yield from range(slow_from)
    yield from range(slow_from, int(SECONDS * TICKS_A_SECOND), 2)
