r"""lmms-eval as of August 2026: the option letters of MVBench and LongVideoBench.

Source: EvolvingLMMs-Lab/lmms-eval, ``tasks/mvbench/utils.py`` and
``tasks/longvideobench/utils.py``, commit 75571cf (2026-08-06).

Quirks of MVBench: a text of one line that begins with a letter A to E, a full stop and something
more is that letter, in any case. Of any other, punctuation is deleted or becomes a space (a mark
is deleted where it has a space on either side anywhere, or where the text has a number with a
comma), at most 32 full stops go, those before a digit stay, and the first letter A to E that stands
alone is read, in any case: "a man" is A. Predictions without any text leave the denominator.

Quirks of LongVideoBench: eight opening phrases are deleted, then the first capital A to E anywhere
is the answer, inside words and beyond the question's options too. Without one, an option is drawn
at random, without a seed.
"""

from __future__ import annotations

import re

from ._first_capital import OPENING_PHRASES, first_capital

__all__ = ["longvideobench_letter", "mvbench_letter"]

_PUNCTUATION = ';/[]"{}()=+\\_->@<`,?!'
_LETTERS_IN_ANY_CASE = "ABCDEabcde"
_FULL_STOP = re.compile(r"\.(?!\d)")
_MOST_FULL_STOPS = 32  # the script passes a flag of that value where a count is expected
_COMMA_IN_NUMBER = re.compile(r"\d,\d")
_LONE_LETTER = re.compile(r"\b[A-E]\b", re.IGNORECASE)

_LONGVIDEOBENCH_PHRASES = (
    *OPENING_PHRASES,
    "The best option is",
    "The correct option is",
    "Best answer:",
    "Best option:",
)


def mvbench_letter(text: str) -> str:
    """Return the letter that MVBench's task compares with the gold one.

    Args:
        text: the model's answer, untouched.

    Returns:
        One of A to E, or the empty string where none is read, which is wrong.

    Example:
        >>> mvbench_letter("b. red"), mvbench_letter("it is (c)"), mvbench_letter("a man")
        ('B', 'C', 'A')
    """
    stripped = text.strip()
    begins_with_option = len(stripped) > 2 and stripped[0] in _LETTERS_IN_ANY_CASE
    # White space after the full stop may hold line breaks, what follows it may not.
    if begins_with_option and stripped[1] == "." and "\n" not in stripped[2:].lstrip():
        return stripped[0].upper()
    plain = _without_punctuation(text.replace("\n", " ").replace("\t", " ").strip())
    for mark in "'\")(":
        plain = plain.strip(mark)
    found = _LONE_LETTER.search(plain.strip().lower())
    return found.group().upper() if found is not None else ""


def _without_punctuation(text: str) -> str:
    kept = text
    number_with_comma = _COMMA_IN_NUMBER.search(text) is not None
    for mark in _PUNCTUATION:
        beside_space = f"{mark} " in text or f" {mark}" in text
        kept = kept.replace(mark, "" if beside_space or number_with_comma else " ")
    return _FULL_STOP.sub("", kept, count=_MOST_FULL_STOPS)


def longvideobench_letter(text: str) -> str:
    """Return the letter that LongVideoBench's task reads.

    Args:
        text: the model's answer, untouched.

    Returns:
        One of A to E, or the empty string where the script draws an option at random.

    Example:
        >>> longvideobench_letter("Best option: D"), longvideobench_letter("Answer: B")
        ('D', 'A')
        >>> longvideobench_letter("it is b")
        ''
    """
    return first_capital(text, _LONGVIDEOBENCH_PHRASES, "ABCDE")
