"""The reading that Video-MME's scorers share: phrases deleted, then the first capital letter."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["JOINED_PHRASES", "OPENING_PHRASES", "first_capital"]

OPENING_PHRASES = (
    "The best answer is",
    "The correct answer is",
    "The answer is",
    "The answer",
)
# A comma is missing after the first half of each, in every copy of the list: neither half is
# ever deleted alone.
JOINED_PHRASES = (
    "The best option isThe correct option is",
    "Best answer:Best option:",
)


@lru_cache(maxsize=32)
def _any_of(letters: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(letters)}]")


def first_capital(text: str, phrases: Iterable[str], letters: str = "ABCD") -> str:
    """Return the first option letter anywhere, inside words too, once the phrases are deleted.

    Args:
        text: the model's answer, untouched.
        phrases: deleted wherever they stand, in this order: a deletion changes what a later
            phrase finds.
        letters: the option letters, upper case.

    Returns:
        The letter, or the empty string where there is none.
    """
    remaining = text.strip()
    for phrase in phrases:
        remaining = remaining.replace(phrase, "")
    found = _any_of(letters).search(remaining)
    return "" if found is None else found.group()
