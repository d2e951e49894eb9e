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

from . import mathvista_official
from .docvqa_official import anls
from .pix2struct import relaxed_accuracy

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["anls", "is_mathvista_match", "mathvista_extract", "relaxed_accuracy"]


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
