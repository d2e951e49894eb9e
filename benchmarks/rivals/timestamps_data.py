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


def texts(rows: int, seed: int) -> tuple[list[str], list[bool]]:
    """Texts of about 55 bytes, and whether each holds plain decimals only."""
    generator = random.Random(seed)
    templates = DECIMAL + CLOCKS
    lines, plain = [], []
    for row in range(rows):
        a = round(generator.random() * 900, 2)
        b = round(a + 1 + generator.random() * 60, 2)
        template = templates[row % len(templates)]
        minutes = {"am": int(a) // 60, "as_": int(a) % 60, "bm": int(b) // 60, "bs": int(b) % 60}
        lines.append(template.format(a=a, b=b, **minutes))
        plain.append(row % len(templates) < len(DECIMAL))
    return lines, plain
