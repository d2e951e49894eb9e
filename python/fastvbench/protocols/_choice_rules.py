"""Rule sets that read one option letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from fastvbench.answers import parse_choice, parse_choice_lazily
from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.core._status import Status
from fastvbench.protocols._gold import ALPHABET
from fastvbench.protocols._rule import (
    Reading,
    Rule,
    RuleBatch,
    apply_run_record,
    apply_verdicts,
    no_spans,
)
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastvbench.results._metrics import Metric

__all__ = [
    "METRICS",
    "ChoiceRow",
    "ChoiceVerdict",
    "careful_choice_rule",
    "choice_scores",
    "exact_text_rule",
    "letter_function_rule",
    "row_choice_rule",
]

METRICS = (ACCURACY, ANSWERED_ACCURACY)


def choice_scores(
    given: npt.NDArray[np.int8], gold: npt.NDArray[np.int8], status: npt.NDArray[np.uint8]
) -> dict[str, npt.NDArray[np.float64]]:
    """``accuracy`` over rows with a gold letter, ``answered_accuracy`` over readable ones."""
    correct = np.where(gold >= 0, (given == gold) & (given >= 0), np.nan)
    return {
        ACCURACY.key: correct,
        ANSWERED_ACCURACY.key: np.where(status == Status.OK, correct, np.nan),
    }


def _letters(index: npt.NDArray[np.int8]) -> list[object]:
    return [None if i < 0 else chr(ord("A") + i) for i in index.tolist()]


def careful_choice_rule(
    name: str,
    source: str,
    *,
    letters_only: bool = False,
    version: int = 1,
    metrics: tuple[Metric, ...] = METRICS,
) -> Rule:
    """The parser's own reading of each answer; every annotated row is in the denominator.

    Args:
        name: name of the rule set.
        source: what it stands for.
        letters_only: option letters count, option texts don't.
        version: see Rule.
        metrics: what is reported, the main one first; macro and circular means of the accuracy
            may stand beside it.
    """

    def read(batch: RuleBatch) -> Reading:
        counts = batch.option_counts()
        if letters_only or batch.gold.options is None:
            choices = parse_choice(batch.texts, options=counts)
        else:
            choices = parse_choice_lazily(batch.texts, counts, batch.options_of)
        status = choices.status.copy()
        apply_run_record(batch, status)
        return Reading(
            status=status,
            scores=choice_scores(choices.index, batch.gold_letters(), status),
            spans=choices.spans,
            answers=lambda: _letters(choices.index),
            letters=choices.index,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=metrics,
        version=version,
        options={"letters_only": letters_only},
    )


def exact_text_rule(
    name: str,
    source: str,
    *,
    missing: Literal["wrong", "dropped"] = "wrong",
    denominator: str = "all annotated rows",
    version: int = 1,
    metrics: tuple[Metric, ...] = METRICS,
) -> Rule:
    """The text must equal the gold letter, character for character."""

    def read(batch: RuleBatch) -> Reading:
        index = batch.bare_letters()
        status = np.full(len(batch), Status.OK, dtype=np.uint8)
        others = np.flatnonzero(index < 0)
        missing_, empty, other = map(int, (Status.MISSING, Status.EMPTY, Status.NOT_AN_OPTION))
        status[others] = [
            missing_ if text is None else other if text else empty
            for text in map(batch.texts.__getitem__, others.tolist())
        ]
        return Reading(
            status=status,
            scores=choice_scores(index, batch.gold_letters(), status),
            spans=no_spans(len(batch)),
            answers=lambda: batch.texts,
            letters=index,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=metrics,
        missing=missing,
        denominator=denominator,
        version=version,
        bare_letter_share=0.99,
    )


def letter_function_rule(
    name: str,
    source: str,
    letter: Callable[[str], str],
    *,
    text: Literal["raw", "filtered"] = "raw",
    missing: Literal["wrong", "dropped"] = "wrong",
    denominator: str = "all annotated rows",
    version: int = 1,
    metrics: tuple[Metric, ...] = METRICS,
) -> Rule:
    """A published extraction, text by text; no letter, or a script that would stop, is wrong.

    Args:
        name: name of the rule set.
        source: the public scorer.
        letter: text to letter, ``""`` for none; may raise PublicScriptAborts.
        text: which text of an lmms-eval file is read.
        missing: see Rule.
        denominator: in words.
        version: see Rule.
        metrics: see `careful_choice_rule`.
    """

    def read(batch: RuleBatch) -> Reading:
        index = np.full(len(batch), -1, dtype=np.int8)
        status = np.full(len(batch), Status.NO_ANSWER, dtype=np.uint8)
        aborts = np.zeros(len(batch), dtype=np.bool_)
        shown: list[object] = [None] * len(batch)
        for k, answer in enumerate(batch.texts):
            if answer is None:
                status[k] = Status.MISSING
                continue
            try:
                given = letter(answer)
            except PublicScriptAborts as stop:
                aborts[k] = True
                shown[k] = stop.shown
                continue
            shown[k] = given or None
            if given:
                index[k] = ord(given) - ord("A")
                status[k] = Status.OK
        return Reading(
            status=status,
            scores=choice_scores(index, batch.gold_letters(), status),
            spans=no_spans(len(batch)),
            answers=lambda: shown,
            letters=index,
            aborts=aborts,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=metrics,
        text=text,
        missing=missing,
        denominator=denominator,
        version=version,
    )


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """What a published scorer may know of a question beside the model's text.

    Attributes:
        options: option texts, empty where they are not known.
        gold_index: the right option, -1 where the row has none.
        gold_text: its text, ``""`` where that is not known.
        alphabet: the letters of the row's options.
        columns: the annotations' further columns, by name.
    """

    options: list[str]
    gold_index: int
    gold_text: str
    alphabet: str
    columns: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChoiceVerdict:
    """What a published scorer made of one text.

    Attributes:
        index: the option that it read, -1 for none.
        correct: whether it counts the row as right; None where that is `index` being the gold one.
        status: why there is no answer, ``needs_judge`` where only a judge would decide; None for
            ``ok`` where an option was read or the row is right, else ``no_answer``.
        score: what the row adds, where that is neither 0 nor 1; NaN leaves the denominator.
    """

    index: int = -1
    correct: bool | None = None
    status: Status | None = None
    score: float | None = None


def row_choice_rule(
    name: str,
    source: str,
    judge: Callable[[str, ChoiceRow], ChoiceVerdict],
    *,
    missing_text: ChoiceVerdict = ChoiceVerdict(status=Status.MISSING),
    text: Literal["raw", "filtered"] = "raw",
    missing: Literal["wrong", "dropped"] = "wrong",
    denominator: str = "all annotated rows",
    version: int = 1,
    metrics: tuple[Metric, ...] = METRICS,
    options: dict[str, object] | None = None,
) -> Rule:
    """A published scorer that looks at the row's options or its gold answer.

    Args:
        name: name of the rule set.
        source: the public scorer.
        judge: text and row to verdict; may raise PublicScriptAborts, which counts as wrong.
        missing_text: what the scorer makes of a row without text.
        text: which text of an lmms-eval file is read.
        missing: see Rule.
        denominator: in words.
        version: see Rule.
        metrics: see `careful_choice_rule`.
        options: further values that move a score.
    """

    def read(batch: RuleBatch) -> Reading:
        gold = batch.gold_letters()
        index = np.full(len(batch), -1, dtype=np.int8)
        status = np.full(len(batch), Status.NO_ANSWER, dtype=np.uint8)
        correct = np.where(gold >= 0, 0.0, np.nan)
        if "unanswerable" in batch.gold.columns:
            correct[batch.column("unanswerable")] = 0.0
        aborts = np.zeros(len(batch), dtype=np.bool_)
        shown: list[object] = [None] * len(batch)
        for k, (answer, row) in enumerate(zip(batch.texts, _choice_rows(batch), strict=True)):
            try:
                verdict = missing_text if answer is None else judge(answer, row)
            except PublicScriptAborts as stop:
                aborts[k] = True
                shown[k] = stop.shown
                continue
            index[k] = verdict.index
            shown[k] = ALPHABET[verdict.index] if verdict.index >= 0 else None
            correct[k] = _row_score(verdict, int(gold[k]), correct[k])
            if verdict.status is not None:
                status[k] = verdict.status
            elif verdict.index >= 0 or verdict.correct:
                status[k] = Status.OK
        judged = apply_verdicts(batch, status, correct)
        return Reading(
            status=status,
            scores={
                ACCURACY.key: correct,
                ANSWERED_ACCURACY.key: np.where(status == Status.OK, correct, np.nan),
            },
            spans=no_spans(len(batch)),
            answers=lambda: shown,
            letters=index,
            aborts=aborts,
            judged=judged,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=metrics,
        text=text,
        missing=missing,
        denominator=denominator,
        version=version,
        options=options or {},
    )


def _row_score(verdict: ChoiceVerdict, gold: int, otherwise: float) -> float:
    """What a row adds; `otherwise` where it has no gold option and the scorer did not say more."""
    if verdict.score is not None:
        return verdict.score
    if verdict.correct is not None:
        return float(verdict.correct)
    return float(verdict.index == gold) if gold >= 0 else otherwise


def _choice_rows(batch: RuleBatch) -> list[ChoiceRow]:
    gold = batch.gold_letters().tolist()
    counts = batch.option_counts().tolist()
    listed = batch.gold.options
    names = batch.gold.columns
    rows = []
    for k, row in enumerate(batch.rows.tolist()):
        texts = [] if listed is None else listed[row]
        index = gold[k]
        rows.append(
            ChoiceRow(
                options=texts,
                gold_index=index,
                gold_text=texts[index] if 0 <= index < len(texts) else "",
                alphabet=ALPHABET[: counts[k]],
                columns={name: values[row] for name, values in names.items()},
            )
        )
    return rows
