"""lmms-eval's option letter before its shared extractor (pull request 1274, 9ca4445, 2026-04-11).

Source: EvolvingLMMs-Lab/lmms-eval, ``tasks/lvbench/utils.py`` and ``tasks/videomme/utils.py`` up to
that change; the same function ships inside VideoLLaMA3 as an older copy of Video-MME's scorer.
Papers from before April 2026 that name lmms-eval used it.

Quirks: a few opening phrases are deleted, then the first capital A, B, C or D anywhere is the
answer, inside words too: "Based on ... C" is B, "Answer: B" is A, "All of them" is A, lower case is
nothing. Two phrases each were joined by a missing comma, so "The best option is", "The correct
option is", "Best answer:" and "Best option:" are never removed alone. No letter is the empty
string, which counts as wrong.
"""

from __future__ import annotations

import re

__all__ = ["letter"]

# In this order: a deletion changes what a later phrase finds.
_DELETED_PHRASES = (
    "The best answer is",
    "The correct answer is",
    "The answer is",
    "The answer",
    "The best option isThe correct option is",
    "Best answer:Best option:",
)
_OPTION_LETTER = re.compile("[ABCD]")


def letter(text: str) -> str:
    """Return the first of A, B, C, D once the opening phrases are deleted.

    Args:
        text: the model's answer, untouched.

    Returns:
        The letter, or the empty string where there is none.

    Example:
        >>> letter("The answer is C"), letter("Best option: D"), letter("(d)")
        ('C', 'B', '')
    """
    remaining = text.strip()
    for phrase in _DELETED_PHRASES:
        remaining = remaining.replace(phrase, "")
    found = _OPTION_LETTER.search(remaining)
    return "" if found is None else found.group()
