"""pix2struct's ANLS and relaxed accuracy, the definitions that most ChartQA scorers derive from.

Source: google-research/pix2struct, ``pix2struct/metrics.py``: as first released, and as of 2024
(bd70460), which differs in the threshold alone.

Quirks of ANLS: texts are only lower-cased, so white space counts. As first released, a normalised
distance of exactly one half scores 0; later it scores 0.5. Two empty texts divide by zero.

Quirks of relaxed accuracy: both texts go through ``float``, which also reads "nan", "inf", "1e3",
"1_000", surrounding white space and the digits of every script, but not "1,000". A trailing percent
sign divides by 100, so "50%" equals "0.5". Numbers may be off by 5 % of the gold, years too. A gold
of 0 is no number here: "0.0" is wrong where "0" is right. Two infinities are different.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._edit_distance import edit_distance
from ._types import PublicScriptAborts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TOLERANCE", "anls", "anls_2024", "as_number", "is_relaxed_match", "relaxed_accuracy"]

TOLERANCE = 0.05
_LARGEST_DISTANCE_SHARE = 0.5


def anls(text: str, answers: Sequence[str]) -> float:
    """ANLS as first released: a normalised distance of one half or more scores 0.

    Args:
        text: the prediction, untouched.
        answers: the accepted answers, at least one.

    Returns:
        0.0, or more than 0.5.

    Raises:
        PublicScriptAborts: prediction and an answer are both empty.

    Example:
        >>> anls("Ab", ["aB"]), anls("ab", ["ac"])
        (1.0, 0.0)
    """
    return max(
        0.0 if share >= _LARGEST_DISTANCE_SHARE else 1 - share
        for share in _distance_shares(text, answers)
    )


def anls_2024(text: str, answers: Sequence[str]) -> float:
    """ANLS as of 2024: a normalised distance of exactly one half is kept.

    Args:
        text: the prediction, untouched.
        answers: the accepted answers, at least one.

    Returns:
        0.0, or 0.5 to 1.0.

    Raises:
        PublicScriptAborts: prediction and an answer are both empty.

    Example:
        >>> anls_2024("ab", ["ac"])
        0.5
    """
    return max(
        0.0 if share > _LARGEST_DISTANCE_SHARE else 1 - share
        for share in _distance_shares(text, answers)
    )


def _distance_shares(text: str, answers: Sequence[str]) -> list[float]:
    lowered = text.lower()
    shares = []
    for answer in answers:
        gold = answer.lower()
        length = max(len(gold), len(lowered))
        if length == 0:
            raise PublicScriptAborts("ZeroDivisionError: prediction and answer are both empty")
        shares.append(edit_distance(gold, lowered) / length)
    return shares


def as_number(text: str) -> float | None:
    """The number that a text is, in percent where it ends so; None where it is none.

    Args:
        text: a prediction or a gold answer.

    Returns:
        Any double, also NaN and infinities.

    Example:
        >>> as_number("12%%"), as_number("1_000"), as_number("1,000")
        (0.12, 1000.0, None)
    """
    try:
        if text.endswith("%"):
            return float(text.rstrip("%")) / 100.0
        return float(text)
    except ValueError:
        return None


def is_relaxed_match(text: str, answer: str) -> bool:
    """Whether a prediction is within 5 % of a numeric answer, or equals a text but for case.

    Args:
        text: the prediction, untouched.
        answer: one gold answer.

    Returns:
        True for a match.

    Example:
        >>> is_relaxed_match("95", "100"), is_relaxed_match("94.9", "100")
        (True, False)
        >>> is_relaxed_match("0.0", "0"), is_relaxed_match("Blue", "blue")
        (False, True)
    """
    number, gold = as_number(text), as_number(answer)
    if number is not None and gold:
        return abs(number - gold) / abs(gold) <= TOLERANCE
    return text.lower() == answer.lower()


def relaxed_accuracy(text: str, answers: Sequence[str]) -> float:
    """1.0 where any of the gold answers matches.

    Args:
        text: the prediction, untouched.
        answers: the gold answers, at least one.

    Returns:
        1.0 or 0.0.

    Example:
        >>> relaxed_accuracy("50%", ["0.5"]), relaxed_accuracy(" yes", ["Yes"])
        (1.0, 0.0)
    """
    return float(any(is_relaxed_match(text, answer) for answer in answers))
