"""DocVQA's own metric: average normalised Levenshtein similarity (ANLS).

Source: the evaluation script of the Robust Reading Competition (rrc.cvc.uab.es, challenge 17), of
which VideoLLaMA3 (05cee23), lmms-eval (75571cf) and VLMEvalKit (e8e78f0) carry copies.

Quirks: distances are counted on normalised texts (trimmed, lower case, runs of white space as one
space), but divided by the longer of the two *raw* texts, upper-cased first. Padding thus makes a
wrong answer look nearer, "ß" counts twice, and where lower case is longer than upper case ("İ") a
distance can pass 1. A similarity of exactly 0.5 is kept, anything below is 0. The script refuses a
submission that lacks a question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._edit_distance import edit_distance

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["THRESHOLD", "anls", "normalised", "similarity"]

THRESHOLD = 0.5


def normalised(text: str) -> str:
    r"""Trimmed, lower case, each run of white space as one space.

    Args:
        text: an answer.

    Returns:
        The normalised text.

    Example:
        >>> normalised("  ITC \n Limited")
        'itc limited'
    """
    return " ".join(text.strip().lower().split())


def similarity(text: str, answers: Sequence[str]) -> float:
    """One minus the smallest normalised distance to an accepted answer, without a threshold.

    Args:
        text: the prediction, untouched.
        answers: the accepted answers, at least one.

    Returns:
        At most 1.0; two empty texts give 1.0. Below 0 where lower case outgrows upper case.

    Example:
        >>> similarity("Bella", ["Stella", "bella "])
        1.0
        >>> round(similarity("xx", ["straße"]), 4)
        0.1429
    """
    nearest = min(_distance_share(answer, text) for answer in answers)
    return 1 - nearest


def _distance_share(answer: str, text: str) -> float:
    distance = edit_distance(normalised(answer), normalised(text))
    length = max(len(answer.upper()), len(text.upper()))
    return 0.0 if length == 0 else distance / length


def anls(text: str, answers: Sequence[str]) -> float:
    """The question's score: the similarity, 0 where it is below one half.

    Args:
        text: the prediction, untouched.
        answers: the accepted answers, at least one.

    Returns:
        0.0, or 0.5 to 1.0.

    Example:
        >>> anls("ab", ["ac"]), anls("abc", ["xyc"])
        (0.5, 0.0)
    """
    score = similarity(text, answers)
    return 0.0 if score < THRESHOLD else score
