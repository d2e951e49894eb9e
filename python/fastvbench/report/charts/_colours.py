"""Colours that stay apart on light and on dark ground, in grey, and for most colour-blind eyes."""

from __future__ import annotations

__all__ = ["BAD", "DARK_GROUND", "GOOD", "INK", "NEUTRAL", "SERIES", "part_colour"]

# Okabe and Ito's set, a little darker or lighter where one of the grounds would swallow a colour;
# each has a contrast of at least 3 to 1 against white and against DARK_GROUND.
SERIES = ("#2f80c4", "#d06a1f", "#1f9a78", "#c2609a", "#8c7b2e", "#4d9bb5", "#8a6fc9", "#7d7d7d")
INK = "#5b6570"
DARK_GROUND = "#14181d"
GOOD = "#1f9a78"
BAD = "#c9543f"
NEUTRAL = "#7d8790"

# Statuses keep their colours on every page: what one hopes for, what the model did, what the run
# did, what waits.
_PARTS = {
    "ok": "#1f9a78",
    "right": "#1f9a78",
    "wrong": "#d06a1f",
    "both right": "#1f9a78",
    "both wrong": "#7d7d7d",
    "missing": "#7d7d7d",
    "empty": "#9a9a8a",
    "truncated": "#8a6fc9",
    "refused": "#c2609a",
    "no_answer": "#c9543f",
    "ambiguous": "#d06a1f",
    "not_an_option": "#8c7b2e",
    "no_number": "#c9543f",
    "one_number": "#d06a1f",
    "no_duration": "#4d9bb5",
    "out_of_range": "#8c7b2e",
    "not_finite": "#a0525f",
    "needs_judge": "#2f80c4",
    "error": "#6b4f4f",
}


def part_colour(name: str, place: int) -> str:
    """The colour of a status, or of the part at a place."""
    return _PARTS.get(name, SERIES[place % len(SERIES)])
