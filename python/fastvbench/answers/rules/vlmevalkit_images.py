"""VLMEvalKit's scores of DocVQA, ChartQA and MathVista.

Source: open-compass/VLMEvalKit, ``vlmeval/dataset/utils/vqa_eval.py`` and ``mathvista.py``, commit
e8e78f0 (2026-08-18), and relaxed accuracy as it was before pull request 1204 (August 2025).

Quirks: DocVQA is the official ANLS (a later copy divides by normalised lengths; its date is not
confirmed). ChartQA is pix2struct's definition on the trimmed prediction. Before pull request 1204
prediction and gold were swapped: the tolerance was 5 % of what the model said, and a prediction of
0 was compared as text. An absent prediction is the text "nan" in both.

Quirks of MathVista: an answer is taken as it stands where that makes it right ("prefetch", which
looks at the gold), else a judge is asked, even about a plain wrong number, and about a right "0".
Whole numbers must look whole ("3.0" is wrong), decimal numbers must be equal without rounding, and
an answer that is a list is always wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import pix2struct
from .docvqa_official import anls
from .vlmevalkit import can_infer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ABSENT",
    "anls",
    "is_mathvista_match",
    "mathvista_prefetch",
    "relaxed_accuracy",
    "relaxed_accuracy_pre_1204",
]

ABSENT = "nan"


def relaxed_accuracy(text: str, answers: Sequence[str]) -> float:
    """1.0 where the trimmed prediction matches by pix2struct's definition.

    Args:
        text: the prediction, untouched.
        answers: the gold answers, at least one.

    Returns:
        1.0 or 0.0.

    Example:
        >>> relaxed_accuracy(" yes ", ["Yes"]), relaxed_accuracy("95", ["100"])
        (1.0, 1.0)
    """
    return pix2struct.relaxed_accuracy(text.strip(), answers)


def relaxed_accuracy_pre_1204(text: str, answers: Sequence[str]) -> float:
    """The same with prediction and gold swapped, as it was before pull request 1204.

    Args:
        text: the prediction, untouched.
        answers: the gold answers, at least one.

    Returns:
        1.0 or 0.0.

    Example:
        >>> relaxed_accuracy_pre_1204("95", ["100"]), relaxed_accuracy_pre_1204("105.2", ["100"])
        (0.0, 1.0)
    """
    trimmed = text.strip()
    return float(any(pix2struct.is_relaxed_match(answer, trimmed) for answer in answers))


def mathvista_prefetch(
    text: str, question_type: str, answer_type: str, choices: Sequence[str] | None, answer: str
) -> bool | None:
    """Whether an answer is right, as far as that is decided without a judge.

    Args:
        text: the model's answer, untouched.
        question_type: ``multi_choice`` or ``free_form``.
        answer_type: ``text``, ``integer``, ``float`` or ``list``.
        choices: option texts of a ``multi_choice`` question.
        answer: the gold answer; of a ``multi_choice`` question, its letter.

    Returns:
        True or False; None where the script asks a judge.

    Example:
        >>> mathvista_prefetch("It is (B).", "multi_choice", "text", ["red", "blue"], "B")
        True
        >>> mathvista_prefetch("12", "free_form", "integer", None, "12")
        True
        >>> mathvista_prefetch("13", "free_form", "integer", None, "12") is None
        True
    """
    if question_type == "multi_choice":
        letter = can_infer(text, choices or ())
        return letter == answer if letter else None
    if answer_type not in {"integer", "float"}:
        return False
    number = _equal_number(text, answer_type, answer)
    return True if number else None  # a right 0 counts as nothing found


def is_mathvista_match(
    extraction: str,
    question_type: str,
    answer_type: str,
    choices: Sequence[str] | None,
    answer: str,
) -> bool:
    """Whether what a judge extracted is right.

    Args:
        extraction: the judge's answer.
        question_type: see `mathvista_prefetch`.
        answer_type: see `mathvista_prefetch`.
        choices: see `mathvista_prefetch`.
        answer: see `mathvista_prefetch`.

    Returns:
        True for a match.

    Example:
        >>> is_mathvista_match("0", "free_form", "integer", None, "0")
        True
        >>> is_mathvista_match("3.0", "free_form", "integer", None, "3")
        False
        >>> is_mathvista_match("[1, 2]", "free_form", "list", None, "[1, 2]")
        False
    """
    if question_type == "multi_choice":
        return can_infer(extraction, choices or ()) == answer
    if answer_type not in {"integer", "float"}:
        return False
    return _equal_number(extraction, answer_type, answer) is not None


def _equal_number(text: str, answer_type: str, answer: str) -> float | None:
    """The number of a text if it equals the gold number, else None."""
    read = int if answer_type == "integer" else float
    try:
        given, gold = read(text), read(answer)
    except ValueError:
        return None
    return given if given == gold else None
