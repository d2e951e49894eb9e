"""MathVista's own scorer: what is extracted without a judge, and how an extraction is scored.

Source: lupantech/MathVista, ``evaluation/extract_answer.py`` and ``calculate_score.py``, commit
53d5258, and the normaliser that made the score files published in 2023.

Quirks of the extraction: only an answer that is a choice, a whole number or a number and nothing
else is read; with ``--quick_extract`` also ``The answer is "...".``. Everything else goes to a GPT.

Quirks of the normaliser: the first bracketed letter anywhere is the option, whatever surrounds it;
else a bare capital letter; else the choice at the smallest edit distance, so that no answer to a
multiple-choice question is ever "none": an empty one is the shortest choice, and "N/A" whatever is
nearest. Whole numbers are cut off ("3.9" is 3), since 2024; the 2023 version refuses "3.0". A
decimal number is rounded to the question's precision. Results are compared as texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._edit_distance import nearest_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["extract", "normalise", "normalise_2023"]

_BRACKETED_LETTER = re.compile(r"\(([a-zA-Z])\)")
_QUOTED_ANSWER_START = 'The answer is "'
_QUOTED_ANSWER_END = '".'


def extract(
    text: str,
    question_type: str,
    answer_type: str,
    choices: Sequence[str] | None,
    *,
    quick: bool = True,
) -> str | None:
    """Extract an answer without a judge.

    Args:
        text: the model's answer, untouched.
        question_type: ``multi_choice`` or ``free_form``.
        answer_type: ``text``, ``integer``, ``float`` or ``list``.
        choices: option texts of a ``multi_choice`` question.
        quick: the rule that ``--quick_extract`` adds.

    Returns:
        The extraction, empty for an empty answer; None where the script asks a GPT.

    Example:
        >>> extract(" 12 ", "free_form", "integer", None)
        '12'
        >>> extract('The answer is "B".', "multi_choice", "text", ["red", "blue"])
        'B'
        >>> extract("It is blue.", "multi_choice", "text", ["red", "blue"]) is None
        True
    """
    if text == "":
        return ""
    if question_type == "multi_choice" and choices is not None and text in choices:
        return text
    number = _bare_number(text, answer_type)
    if number is not None:
        return number
    return _quoted_answer(text) if quick else None


def _bare_number(text: str, answer_type: str) -> str | None:
    try:
        if answer_type == "integer":
            return str(int(text))
        if answer_type == "float":
            return str(float(text))
    except ValueError:
        pass
    return None


def _quoted_answer(text: str) -> str | None:
    r"""What the pattern ``The answer is "(.*)"\.`` captures first, in linear time.

    Within a line, its capture runs from the first opening to the last closing quote.
    """
    for line in text.split("\n"):
        opening = line.find(_QUOTED_ANSWER_START)
        if opening < 0:
            continue
        start = opening + len(_QUOTED_ANSWER_START)
        end = line.rfind(_QUOTED_ANSWER_END)
        if end >= start:
            return line[start:end]
    return None


def normalise(
    extraction: str,
    question_type: str,
    answer_type: str,
    choices: Sequence[str] | None,
    precision: float | None,
) -> str | None:
    """The text that is compared with the gold answer, by the present script.

    Args:
        extraction: what a rule or a judge extracted.
        question_type: ``multi_choice`` or ``free_form``.
        answer_type: ``text``, ``integer``, ``float`` or ``list``.
        choices: option texts of a ``multi_choice`` question.
        precision: decimals of a ``float`` answer.

    Returns:
        A choice, or a number as text; None where the script finds neither.

    Example:
        >>> normalise("3.9", "free_form", "integer", None, None)
        '3'
        >>> normalise("(b) 12", "multi_choice", "text", ["11", "12"], None)
        '12'
    """
    if question_type == "multi_choice":
        return _choice(extraction, choices or ())
    if answer_type == "integer":
        return _whole_number(extraction)
    return _decimal_or_list(extraction, answer_type, precision)


def normalise_2023(
    extraction: str,
    question_type: str,
    answer_type: str,
    choices: Sequence[str] | None,
    precision: float | None,
) -> str | None:
    """The same by the script that made the published files: a whole number has no decimal point.

    Args:
        extraction: see `normalise`.
        question_type: see `normalise`.
        answer_type: see `normalise`.
        choices: see `normalise`.
        precision: see `normalise`.

    Returns:
        See `normalise`.

    Example:
        >>> normalise_2023("3.0", "free_form", "integer", None, None) is None
        True
        >>> normalise_2023("0.11", "free_form", "float", None, 1)
        '0.1'
    """
    if question_type == "multi_choice":
        return _choice(extraction, choices or ())
    if answer_type == "integer":
        return _bare_number(extraction, "integer")
    return _decimal_or_list(extraction, answer_type, precision)


def _choice(extraction: str, choices: Sequence[str]) -> str | None:
    if not choices:
        return None
    wanted = extraction.strip()
    bracketed = _BRACKETED_LETTER.search(wanted)
    if bracketed is not None:
        wanted = bracketed.group(1).upper()
    if len(wanted) == 1 and 0 <= ord(wanted) - ord("A") < len(choices):
        return choices[ord(wanted) - ord("A")]
    return choices[nearest_choice(wanted, choices)]


def _whole_number(extraction: str) -> str | None:
    try:
        return str(int(float(extraction)))
    except (ValueError, OverflowError):  # no number, NaN, infinity
        return None


def _decimal_or_list(extraction: str, answer_type: str, precision: float | None) -> str | None:
    if answer_type == "list":
        return extraction
    if answer_type != "float" or precision is None:
        return None
    try:
        return str(round(float(extraction), int(precision)))
    except (ValueError, OverflowError):
        return None
