r"""VLMEvalKit's option letters: Video-MME's extraction, and ``can_infer``, used by most data sets.

Source: open-compass/VLMEvalKit, ``vlmeval/dataset/utils/videomme.py``, ``vlmeval/dataset/
videomme.py`` and ``vlmeval/utils/matching_util.py``, commit e8e78f0 (2026-08-18). LongVideoBench
(``longvideobench.py`` in both folders) shares Video-MME's code, with one letter more.

Quirks of Video-MME: the first capital A, B, C or D anywhere, as in Video-MME's own scorer, so
"Best answer: C" is B and the message of a failed request, "Failed to obtain answer via API.", is
the answer A. Where there is no letter, options are looked for in columns that the generated table
does not have, so nothing can match and the answer is Z, with a judge too. Predictions
pass through a table that pandas reads back: one that pandas takes for an empty cell ("NA", "None",
"nan", ...) becomes the text "nan", which is Z. (Runs that store JSON keep such texts; this module
describes the default.)

Quirks of ``can_infer``: a letter counts if it is the only option letter among the words and its
first place is one of the last four; the article "A" is such a word. Only then is "answer is X"
looked for, without a boundary after X, in any case, so "the answer is black" is B. Last, option
texts are searched in the answer as substrings; one that is found alone is taken. Known refusals
are Z.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._first_capital import JOINED_PHRASES, OPENING_PHRASES, first_capital

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "API_FAILURE",
    "NO_OPTION",
    "can_infer",
    "longvideobench_letter",
    "read_back",
    "videomme_letter",
]

API_FAILURE = "Failed to obtain answer via API"
NO_OPTION = "Z"

_VIDEOMME_PHRASES = (*OPENING_PHRASES, *JOINED_PHRASES, "Answer:", "Option:")
# What pandas reads back as an empty cell; of these, only some hold a capital A to D.
_EMPTY_CELLS = frozenset(
    [
        *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "None", "NULL", "null"),
        *("nan", "NaN", "-nan", "-NaN", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    ]
)

_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_WORD_BREAKS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_LAST_WORDS = 4
# The script's pattern has an optional "correct" before and stars after, which find nothing more.
_DECLARED = re.compile(r"answer\s+is\s+\**([ABCD])", re.IGNORECASE)


def videomme_letter(text: str) -> str:
    """Return the letter that VLMEvalKit scores for Video-MME.

    Args:
        text: the prediction, untouched.

    Returns:
        A, B, C or D, or Z where no option is found.

    Example:
        >>> videomme_letter("Best answer: C"), videomme_letter("Failed to obtain answer via API.")
        ('B', 'A')
        >>> videomme_letter("NA"), videomme_letter("the red car")
        ('Z', 'Z')
    """
    return first_capital(read_back(text), _VIDEOMME_PHRASES) or NO_OPTION


def longvideobench_letter(text: str) -> str:
    """Return the letter that VLMEvalKit scores for LongVideoBench: as Video-MME's, with an E.

    Args:
        text: the prediction, untouched.

    Returns:
        A to E, whatever options the question has, or Z where no option is found.

    Example:
        >>> longvideobench_letter("Everything"), longvideobench_letter("the red car")
        ('E', 'Z')
    """
    return first_capital(read_back(text), _VIDEOMME_PHRASES, "ABCDE") or NO_OPTION


def read_back(text: str) -> str:
    """Return a prediction as it comes back from the table that it was written to.

    Args:
        text: the prediction, untouched.

    Example:
        >>> read_back("NA"), read_back("N.A.")
        ('nan', 'N.A.')
    """
    return "nan" if text in _EMPTY_CELLS else text


def can_infer(text: str, options: Sequence[str]) -> str:
    """Return the letter that is inferred without a judge.

    Args:
        text: the prediction, untouched.
        options: the option texts in order, at most 26, without their letters.

    Returns:
        An option letter; Z for a refusal or a lone "Z"; the empty string where nothing can be
        inferred, and the framework would ask its judge.

    Example:
        >>> can_infer("A man enters, so the answer is D.", ["red", "blue", "green", "white"])
        'D'
        >>> can_infer("it was blue", ["red", "blue", "green", "white"])
        'B'
        >>> can_infer("A and C", ["red", "blue", "green", "white"])
        ''
    """
    letters = [chr(ord("A") + place) for place in range(len(options))]
    return _letter_of_words(text, letters) or _letter_of_text(text, letters, options)


def _letter_of_words(text: str, letters: Sequence[str]) -> str:
    if API_FAILURE in text:
        return ""
    if any(refusal in text for refusal in _REFUSALS):
        return NO_OPTION
    words = text.translate(_WORD_BREAKS).split()
    distinct = set(words)
    found = [letter for letter in letters if letter in distinct]
    if len(found) == 1 and words.index(found[0]) >= len(words) - _LAST_WORDS:
        return found[0]
    if not found and NO_OPTION in distinct:
        return NO_OPTION
    declared = _DECLARED.search(text)
    if declared is not None and declared.group(1).upper() in letters:
        return declared.group(1).upper()
    return ""


def _letter_of_text(text: str, letters: Sequence[str], options: Sequence[str]) -> str:
    lowered = text.lower()
    if len(lowered) > 2 * sum(map(len, options)):
        return ""
    found = [
        letter for letter, option in zip(letters, options, strict=True) if option.lower() in lowered
    ]
    return found[0] if len(found) == 1 else ""
