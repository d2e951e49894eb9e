r"""VideoLLaMA3's option letters for Video-MME, where option texts count too.

Source: DAMO-NLP-SG/VideoLLaMA3, ``evaluation/benchmarks/videomme.py``, commit 05cee23 (2025-08-14).

Quirks: "answer" and "Answer" are deleted, then the first capital A, B, C or D anywhere is the
answer, inside words too: "Because ..." is B. Only a text without any is searched for option texts,
as lower-case substrings, digits also as words; the first option that is found wins, not the only
one. Of an option, ``[A-D]\. (.*).`` keeps all but the last character, which is meant to be a full
stop: "D. Three" is looked for as "thre", and "A. 3" as the empty string, which every text
holds. An option that the pattern does not fit, and a text in which nothing is found, raise, and the
evaluation catches that only to print it and exit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._types import PublicScriptAborts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["videomme_letter"]

_OPTION_LETTER = re.compile("[A-D]")
_OPTION_TEXT = re.compile(r"[A-D]\. (.*).")
_LETTERS = "ABCD"
_DIGIT_WORDS = {
    "0": "zero",
    "1": "one",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
}


def videomme_letter(text: str, option_lines: Sequence[str]) -> str:
    """Return the first capital option letter, else that of the first option found in the text.

    Args:
        text: the model's answer, untouched.
        option_lines: the options as the data set has them, ``A. Apples.`` and so on.

    Returns:
        One of A, B, C, D.

    Raises:
        PublicScriptAborts: an option of another form, or nothing is found; the public
            evaluation exits.

    Example:
        >>> lines = ["A. Apples.", "B. Candles.", "C. Berries.", "D. 3."]
        >>> videomme_letter("Because of the red ones", lines), videomme_letter("three", lines)
        ('B', 'D')
    """
    wanted = [_searched_text(line) for line in option_lines]
    remaining = text.replace("answer", "").replace("Answer", "")
    found = _OPTION_LETTER.search(remaining)
    if found is not None:
        return found.group()
    lowered = remaining.lower()
    for letter, option in zip(_LETTERS, wanted, strict=False):
        if option.lower() in lowered or _DIGIT_WORDS.get(option, option).lower() in lowered:
            return letter
    raise PublicScriptAborts(
        "AssertionError: neither a letter nor an option's text; the evaluation prints it and exits"
    )


def _searched_text(line: str) -> str:
    found = _OPTION_TEXT.search(line)
    if found is None:
        raise PublicScriptAborts("IndexError: an option is not of the form 'A. text.'")
    return found.group(1).strip().strip(".")
