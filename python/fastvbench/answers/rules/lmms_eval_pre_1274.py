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

from ._first_capital import JOINED_PHRASES, OPENING_PHRASES, first_capital

__all__ = ["letter", "mlvu_letter"]

_DELETED_PHRASES = (*OPENING_PHRASES, *JOINED_PHRASES)


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
    return first_capital(text, _DELETED_PHRASES)


def mlvu_letter(text: str) -> str:
    """Return what MLVU's task compared with the gold letter.

    Source: ``tasks/mlvu/utils.py`` before the same change. A text without a closing bracket is
    compared as a whole, so "C." is wrong where "C" is right.

    Args:
        text: the model's answer, untouched.

    Returns:
        The character before the first ``)``, empty where there is none before it; without a
        ``)`` the whole text, trimmed.

    Example:
        >>> mlvu_letter(" (C) red "), mlvu_letter("C."), mlvu_letter(" C ")
        ('C', 'C.', 'C')
    """
    before, bracket, _ = text.strip().partition(")")
    return before[-1:] if bracket else text.strip()
