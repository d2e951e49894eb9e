"""The patterns of EvalAI's normaliser as they are published, with a plain use of them."""

from __future__ import annotations

import re

__all__ = ["without_marks"]

PERIODS = re.compile(r"(?!<=\d)(\.)(?!\d)")
COMMAS = re.compile(r"(?<=\d)(\,)+(?=\d)")
MARKS = [*';/[]"{}()=+', "\\", *"_-><@`,?!"]


def without_marks(text: str) -> str:
    """Punctuation and periods, as the script treats them in a lower-case text."""
    result = text
    for mark in MARKS:
        spaced = mark + " " in text or " " + mark in text
        if spaced or COMMAS.search(text):
            result = result.replace(mark, "")
        else:
            result = result.replace(mark, " ")
    return PERIODS.sub("", result, count=int(re.UNICODE))
