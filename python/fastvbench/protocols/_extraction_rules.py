"""Rule sets that score an extraction: a judge's where the file has one, else what a rule reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fastvbench.core._status import Status
from fastvbench.protocols._gold import ALPHABET
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_verdicts, no_spans
from fastvbench.protocols._short_answer_rules import AnswerScore, answer_scores
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["NEEDS_JUDGE", "TypedQuestion", "extraction_rule", "typed_questions"]

NEEDS_JUDGE = AnswerScore(0.0, Status.NEEDS_JUDGE)


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question that says of what type its answer is.

    Attributes:
        question_type: ``multi_choice`` or ``free_form``.
        answer_type: ``text``, ``integer``, ``float`` or ``list``.
        choices: option texts, None where there are none.
        precision: decimals of a ``float`` answer, None for other types.
        answer: the gold answer's text, None where it is not public.
        letter: the gold option's letter, empty where there is none.
    """

    question_type: str
    answer_type: str
    choices: Sequence[str] | None
    precision: float | None
    answer: str | None
    letter: str


def typed_questions(batch: RuleBatch) -> list[TypedQuestion]:
    """The questions of a batch, from ``question_type, answer_type, precision, choices``."""
    letters = batch.gold_letters().tolist()
    columns = (batch.column(c) for c in ("question_type", "answer_type", "choices", "precision"))
    return [
        TypedQuestion(
            question_type,
            answer_type,
            choices,
            precision,
            answers[0] if answers else None,
            ALPHABET[letter] if letter >= 0 else "",
        )
        for question_type, answer_type, choices, precision, answers, letter in zip(
            *columns, batch.accepted_answers(), letters, strict=True
        )
    ]


def extraction_rule(
    name: str,
    source: str,
    score: Callable[[str | None, str | None, TypedQuestion], AnswerScore],
    *,
    text: Literal["raw", "filtered"] = "raw",
    missing: Literal["wrong", "dropped"] = "wrong",
    denominator: str = "all annotated rows",
    version: int = 1,
) -> Rule:
    """A published scorer of extractions, row by row.

    Args:
        name: name of the rule set.
        source: the public scorer.
        score: called with the text and a judge's extraction, one of which may be None, and the
            question; `NEEDS_JUDGE` where only a judge could go on.
        text: which text of an lmms-eval file is read.
        missing: see Rule.
        denominator: in words.
        version: see Rule.
    """

    def read(batch: RuleBatch) -> Reading:
        scores = np.zeros(len(batch))
        status = np.full(len(batch), Status.MISSING, dtype=np.uint8)
        shown: list[object] = [None] * len(batch)
        extractions = batch.fields.get("extraction", [None] * len(batch))
        rows = zip(batch.texts, extractions, typed_questions(batch), strict=True)
        for k, (answer, extraction, question) in enumerate(rows):
            if question.answer is None:
                scores[k] = np.nan
            if answer is None and extraction is None:
                continue
            extracted = None if extraction is None else str(extraction)
            result = score(answer, extracted, question)
            status[k], shown[k] = result.status, result.read
            if question.answer is not None:
                scores[k] = result.score
        judged = apply_verdicts(batch, status, scores)
        return Reading(
            status=status,
            scores=answer_scores(ACCURACY, scores, status),
            spans=no_spans(len(batch)),
            answers=lambda: shown,
            judged=judged,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=(ACCURACY, ANSWERED_ACCURACY),
        text=text,
        missing=missing,
        denominator=denominator,
        version=version,
    )
