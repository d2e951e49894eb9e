"""Plain tables and shortened text for terminals."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["shorten", "table", "width"]


def width(text: str) -> int:
    """Terminal columns that a text takes: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, align: str = "") -> str:
    """Columns under a header, two spaces apart.

    Args:
        header: column titles.
        rows: cells.
        align: one of ``<`` or ``>`` a column; the rest are right-aligned.
    """
    widths = [
        max([width(title)] + [width(row[i]) for row in rows]) for i, title in enumerate(header)
    ]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for i, cell in enumerate(cells):
            space = " " * (widths[i] - width(cell))
            padded.append(cell + space if align[i : i + 1] == "<" else space + cell)
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), line(["-" * w for w in widths]), *map(line, rows)])


def shorten(text: str, most: int) -> str:
    """A text on one line, control characters made visible, at most `most` characters."""
    shown = "".join(c if c.isprintable() else " " for c in text[: most + 1])
    shown = " ".join(shown.split())
    return shown if len(shown) <= most and len(text) <= most else shown[: most - 1] + "…"
