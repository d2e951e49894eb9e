"""VideoLLaMA3's evaluation of DocVQA and ChartQA; its MathVista is `mathvista_official`, quick.

Source: DAMO-NLP-SG/VideoLLaMA3, ``evaluation/benchmarks/docvqa.py``, ``chartqa.py`` and
``mathvista.py``, commit 05cee23 (2025-08-14).

Quirks of DocVQA: the similarity of the official script without its threshold, so that every wrong
answer earns what letters it shares with the right one.

Quirks of ChartQA: beside the 5 % rule a number may be 100 times too large or 100 times too small;
any other mismatch is put to a GPT at temperature 0.7, so that no two runs need agree. Its overall
score is the mean of the human and the augmented half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import docvqa_official
from ._types import PublicScriptAborts
from .pix2struct import TOLERANCE, as_number

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["chartqa_match", "docvqa_similarity"]


def docvqa_similarity(text: str, answers: Sequence[str]) -> float:
    """One minus the smallest normalised distance to an accepted answer; no threshold.

    Args:
        text: the prediction, untouched.
        answers: the accepted answers, at least one.

    Returns:
        At most 1.0; see `docvqa_official.similarity`.

    Example:
        >>> docvqa_similarity("abc", ["xyc"]) > 0.3
        True
    """
    return docvqa_official.similarity(text, answers)


def chartqa_match(text: str, answers: Sequence[str]) -> bool | None:
    """Whether a prediction matches a gold answer, as far as that is decided without a judge.

    Args:
        text: the prediction, untouched.
        answers: the gold answers, at least one.

    Returns:
        True or False; None where the script asks a GPT.

    Raises:
        PublicScriptAborts: a hundredth of the gold number is too small for a double.

    Example:
        >>> chartqa_match("5000", ["50"]), chartqa_match("60", ["50"])
        (True, False)
        >>> chartqa_match("the blue bar", ["Blue"]) is None
        True
    """
    verdicts = [_match(text.strip(), answer) for answer in answers]
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _match(text: str, answer: str) -> bool | None:
    number, gold = as_number(text), as_number(answer)
    if number is None or not gold:
        return True if text.lower() == answer.lower() else None
    hundredth = gold / 100
    if hundredth == 0:
        raise PublicScriptAborts("ZeroDivisionError: a hundredth of the gold number is zero")
    return (
        abs(number - gold) / abs(gold) <= TOLERANCE
        or abs(number - hundredth) / abs(hundredth) <= TOLERANCE
        or abs(number / 100 - gold) / abs(gold) <= TOLERANCE
    )
