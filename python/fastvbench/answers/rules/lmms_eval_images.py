"""lmms-eval's scores of DocVQA, ChartQA and MathVista.

Source: EvolvingLMMs-Lab/lmms-eval, ``api/metrics.py``, ``tasks/chartqa/utils.py`` and
``tasks/mathvista/mathvista_evals.py``, commit 75571cf (2026-08-06).

Quirks: DocVQA is the official ANLS. ChartQA is pix2struct's definition with one gold answer, the
prediction untrimmed, so that " yes" is wrong. MathVista rounds decimal numbers to the precision
that its data set declares, which is a double there: Python's ``round`` refuses it, and every
answer of type ``float`` (40 of testmini's 1,000) is wrong whatever a model says. It compares
trimmed texts, and has the quick rule for quoted answers switched off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import docvqa_official, mathvista_official, pix2struct

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["anls", "is_mathvista_match", "mathvista_extract", "relaxed_accuracy"]


def anls(text: str, answers: Sequence[str]) -> float:
    """The official ANLS of one question.

    Args:
        text: the prediction, untouched.
        answers: the accepted answers, at least one.

    Returns:
        0.0, or 0.5 to 1.0.

    Example:
        >>> anls("ITC ltd", ["itc  LTD"]) == 1.0
        True
    """
    return docvqa_official.anls(text, answers)


def relaxed_accuracy(text: str, answers: Sequence[str]) -> float:
    """1.0 where the prediction matches, untrimmed, by pix2struct's definition.

    Args:
        text: the prediction, untouched.
        answers: the gold answers, at least one.

    Returns:
        1.0 or 0.0.

    Example:
        >>> relaxed_accuracy(" 12 ", ["12"]), relaxed_accuracy("yes ", ["yes"])
        (1.0, 0.0)
    """
    return pix2struct.relaxed_accuracy(text, answers)


def mathvista_extract(
    text: str, question_type: str, answer_type: str, choices: Sequence[str] | None
) -> str | None:
    """Extract an answer without a judge, from the trimmed text.

    Args:
        text: the model's answer, untouched.
        question_type: ``multi_choice`` or ``free_form``.
        answer_type: ``text``, ``integer``, ``float`` or ``list``.
        choices: option texts of a ``multi_choice`` question.

    Returns:
        The extraction, empty for an empty answer; None where the script asks a GPT.

    Example:
        >>> mathvista_extract("blue ", "multi_choice", "text", ["red", "blue"])
        'blue'
    """
    return mathvista_official.extract(
        text.strip(), question_type, answer_type, choices, quick=False
    )


def is_mathvista_match(
    extraction: str,
    question_type: str,
    answer_type: str,
    choices: Sequence[str] | None,
    answer: str,
) -> bool:
    """Whether an extraction is the gold answer.

    Args:
        extraction: what a rule or a judge extracted.
        question_type: ``multi_choice`` or ``free_form``.
        answer_type: ``text``, ``integer``, ``float`` or ``list``.
        choices: option texts of a ``multi_choice`` question.
        answer: the gold answer.

    Returns:
        True for a match; never for a ``float`` answer.

    Example:
        >>> is_mathvista_match("1.2", "free_form", "float", None, "1.2")
        False
        >>> is_mathvista_match("4.0", "free_form", "integer", None, "4")
        True
    """
    if question_type != "multi_choice" and answer_type == "float":
        return False
    found = mathvista_official.normalise(extraction, question_type, answer_type, choices, None)
    return str(found).strip() == answer.strip()
