"""Answers to "when does it happen?" as models word them, from a seed."""

from __future__ import annotations

import random

# Most rows hold plain decimals, which every rival can read; the last two hold clocks.
DECIMAL = (
    "From {a:.1f} seconds to {b:.1f} seconds.",
    "The event happens in {a:.1f} - {b:.1f} seconds.",
    "The event starts at {a:.2f} seconds and ends at {b:.2f} seconds.",
    "The man opens the door between {a:.1f} and {b:.1f} seconds of the video.",
    "Based on the frames, the person sits down at {a:.1f}s - {b:.1f}s.",
    '{{"start": {a:.1f}, "end": {b:.1f}}}',
)
CLOCKS = (
    "The query happens from {am:02d}:{as_:02d} to {bm:02d}:{bs:02d} in the video.",
    "[{am:02d}:{as_:02d}.5, {bm:02d}:{bs:02d}.25]",
)


def texts(rows: int, seed: int, *, reworded: bool = False) -> tuple[list[str], list[bool]]:
    """Texts of about 46 bytes, and whether each holds plain decimals only.

    Args:
        rows: how many.
        seed: of the numbers.
        reworded: put a made-up word before each text, so that hardly two are worded alike.
    """
    generator = random.Random(seed)
    templates = DECIMAL + CLOCKS
    lines, plain = [], []
    for row in range(rows):
        a = round(generator.random() * 900, 2)
        b = round(a + 1 + generator.random() * 60, 2)
        template = templates[row % len(templates)]
        minutes = {"am": int(a) // 60, "as_": int(a) % 60, "bm": int(b) // 60, "bs": int(b) % 60}
        text = template.format(a=a, b=b, **minutes)
        lines.append(f"{_made_up_word(generator)} {text}" if reworded else text)
        plain.append(row % len(templates) < len(DECIMAL))
    return lines, plain


def _made_up_word(generator: random.Random) -> str:
    return "".join(generator.choices("bcdfgklmnprstvz", k=3)) + "".join(
        generator.choices("aeiou", k=2)
    )
