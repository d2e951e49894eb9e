"""Rule sets that score a short answer against the accepted ones of its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastvbench.answers.rules import PublicScriptAborts, videollama3_card
from fastvbench.core._status import Status
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_verdicts, no_spans
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY, Metric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

__all__ = [
    "ANLS",
    "EXACT_MATCH",
    "RELAXED_ACCURACY",
    "AnswerScore",
    "answer_scores",
    "card_rule",
    "score_function_rule",
    "text_score_rule",
]

ANLS = Metric("anls", "ANLS %")
RELAXED_ACCURACY = Metric("relaxed_accuracy", "relaxed acc %")
EXACT_MATCH = Metric("exact_match", "exact match %")


class AnswerScore(NamedTuple):
    """What a published scorer made of one answer, where a bare number does not say it all.

    Attributes:
        score: NaN leaves the denominator.
        status: ``needs_judge`` where the script would ask a judge; its score is 0 without one.
        read: what the script took as the answer, for people.
    """

    score: float
    status: Status = Status.OK
    read: object = None


def _columns_of(batch: RuleBatch) -> list[dict[str, Any]]:
    """The annotations' further values of each row."""
    columns = batch.gold.columns
    return [{name: values[row] for name, values in columns.items()} for row in batch.rows.tolist()]


def answer_scores(
    metric: Metric, scores: npt.NDArray[np.float64], status: npt.NDArray[np.uint8]
) -> dict[str, npt.NDArray[np.float64]]:
    """The metric's column; with ``accuracy`` also ``answered_accuracy``, over readable rows."""
    columns = {metric.key: scores}
    if metric.key == ACCURACY.key:
        columns[ANSWERED_ACCURACY.key] = np.where(status == Status.OK, scores, np.nan)
    return columns


def _metrics(metric: Metric) -> tuple[Metric, ...]:
    return (metric, ANSWERED_ACCURACY) if metric.key == ACCURACY.key else (metric,)


def score_function_rule(
    name: str,
    source: str,
    score: Callable[[str, Sequence[str], Mapping[str, Any]], float | AnswerScore],
    metric: Metric,
    *,
    absent: str | None = None,
    text: Literal["raw", "filtered"] = "raw",
    missing: Literal["wrong", "dropped"] = "wrong",
    denominator: str = "all annotated rows",
    options: dict[str, object] | None = None,
    version: int = 1,
) -> Rule:
    """A published scorer of short answers, row by row.

    A script that would stop on an answer counts it wrong. An answer that only a judge could read
    is ``needs_judge`` and counts wrong, unless the run brings a judge's verdict on it.

    Args:
        name: name of the rule set.
        source: the public scorer.
        score: called as ``score(text, accepted answers, other annotation values of the row)``;
            may raise PublicScriptAborts.
        metric: what the score is called.
        absent: the text that the script reads where the answer is absent; None scores such a row 0
            without asking the script.
        text: which text of an lmms-eval file is read.
        missing: see Rule.
        denominator: in words.
        options: further values that move a score.
        version: see Rule.
    """

    def read(batch: RuleBatch) -> Reading:
        scores = np.zeros(len(batch))
        status = np.full(len(batch), Status.OK, dtype=np.uint8)
        aborts = np.zeros(len(batch), dtype=np.bool_)
        shown: list[object] = [None] * len(batch)
        rows = zip(batch.texts, batch.accepted_answers(), _columns_of(batch), strict=True)
        for k, (given, accepted, columns) in enumerate(rows):
            if given is None:
                status[k] = Status.MISSING
                if absent is None:
                    continue
            try:
                result = score(absent or "" if given is None else given, accepted, columns)
            except PublicScriptAborts as stop:
                aborts[k] = True
                shown[k] = stop.shown
                if given is not None:
                    status[k] = Status.NO_ANSWER
                continue
            if not isinstance(result, AnswerScore):
                result = AnswerScore(result, read=given)
            scores[k], shown[k] = result.score, result.read
            if given is not None:
                status[k] = result.status
        judged = apply_verdicts(batch, status, scores)
        return Reading(
            status=status,
            scores=answer_scores(metric, scores, status),
            spans=no_spans(len(batch)),
            answers=lambda: shown,
            aborts=aborts,
            judged=judged,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=_metrics(metric),
        text=text,
        missing=missing,
        denominator=denominator,
        options=(options or {}) | ({} if absent is None else {"absent": absent}),
        version=version,
    )


def text_score_rule(
    name: str,
    source: str,
    score: Callable[[str, Sequence[str]], float | AnswerScore],
    metric: Metric,
    **options: Any,
) -> Rule:
    """`score_function_rule` of a scorer that asks for nothing but the text and its answers."""
    return score_function_rule(
        name, source, lambda text, answers, _: score(text, answers), metric, **options
    )


def card_rule() -> Rule:
    """``paper`` of VideoLLaMA3's evaluation card for short answers."""
    return text_score_rule(
        "paper",
        "evaluation card of VideoLLaMA3: equal once normalised; the card leaves that open, "
        "here it is trimmed, lower case, single spaces",
        videollama3_card.is_short_answer_match,
        EXACT_MATCH,
    )
