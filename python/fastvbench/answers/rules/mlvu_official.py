"""MLVU's own scorer of multiple choice: what stands before the first closing bracket.

Source: JUNJIE99/MLVU, ``evaluation/multiple_choice_evaluation/choice_bench.py``, commit fd060c1.
Its prompt ends with ``Best Option: (``, so that a model goes on with ``B) ...``.

Quirks: a text with a ``)`` is read as the one character before the first of them; a text without
one is compared as a whole, so "A" is right where "A.", "a" and "C. red" are wrong. Of candidates
that are equal to the answer, the last one is the gold letter; where none is, it is ``@``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NO_CANDIDATE", "gold_letter", "is_right", "letter"]

NO_CANDIDATE = "@"


def letter(text: str) -> str:
    """Return what the script compares with the gold letter.

    Args:
        text: the model's answer, untouched.

    Returns:
        The character before the first ``)``, empty where there is none before it; without a
        ``)`` the whole text.

    Example:
        >>> letter("D) three"), letter("(B)"), letter("C. red"), letter(") A")
        ('D', 'B', 'C. red', '')
    """
    before, bracket, _ = text.partition(")")
    return before[-1:] if bracket else text


def gold_letter(answer: str, candidates: Sequence[str]) -> str:
    """Return the letter of the last candidate that is the answer.

    Args:
        answer: the right answer's text.
        candidates: the options' texts, in order.

    Returns:
        A letter, or ``@`` where no candidate is the answer.

    Example:
        >>> gold_letter("pharmacy", ["pharmacy", "cafe", "pharmacy"]), gold_letter("x", ["y"])
        ('C', '@')
    """
    places = [place for place, text in enumerate(candidates) if text == answer]
    return chr(ord("A") + places[-1]) if places else NO_CANDIDATE


def is_right(text: str, gold: str) -> bool:
    """Tell whether the script counts the answer as right.

    Args:
        text: the model's answer, untouched.
        gold: the gold letter.

    Example:
        >>> is_right("B) two", "B"), is_right("B.", "B")
        (True, False)
    """
    return letter(text) == gold
