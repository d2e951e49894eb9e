"""Video-MME's own scorer: phrases deleted, then the first capital A, B, C or D anywhere.

Source: thanku-all/parse_answer, ``eval_your_results.py``, commit afd52cf (2024-06-23), the script
that Video-MME's README links. Of an older state, which lacks the last four phrases, copies live on
in lmms-eval (`lmms_eval_pre_1274`) and in VideoLLaMA3's ``evaluation/video/mcqa``.

Quirks: letters count inside words, so "Based on ... C" is B, "All of them" is A and "Cannot
determine" is C; lower case is nothing. Two phrases each were joined by a missing comma, so "Best
answer: C" is B. Deletions are case-sensitive and in order. A text without a letter is counted
nowhere: it leaves numerator and denominator alike.
"""

from __future__ import annotations

from ._first_capital import JOINED_PHRASES, OPENING_PHRASES, first_capital

__all__ = ["letter"]

_DELETED_PHRASES = (
    *OPENING_PHRASES,
    *JOINED_PHRASES,
    "Answer:",
    "Option:",
    "The correct answer",
    "The correct option",
)


def letter(text: str) -> str:
    """Return the first of A, B, C, D once the phrases are deleted.

    Args:
        text: the response, untouched.

    Returns:
        The letter, or the empty string where there is none: the question is not counted.

    Example:
        >>> letter("Answer: C"), letter("Best answer: C"), letter("None of the above")
        ('C', 'B', '')
    """
    return first_capital(text, _DELETED_PHRASES)
