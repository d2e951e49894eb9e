"""Rule sets that read one option letter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from fastvbench.answers import parse_choice, parse_choice_lazily
from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.core._status import Status
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record, no_spans
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["careful_choice_rule", "choice_scores", "exact_text_rule", "letter_function_rule"]

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
    name: str, source: str, *, letters_only: bool = False, version: int = 1
) -> Rule:
    """The parser's own reading of each answer; every annotated row is in the denominator.

    Args:
        name: name of the rule set.
        source: what it stands for.
        letters_only: option letters count, option texts don't.
        version: see Rule.
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
        metrics=METRICS,
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
        metrics=METRICS,
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
                shown[k] = f"public script aborts: {stop.reason}"
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
        metrics=METRICS,
        text=text,
        missing=missing,
        denominator=denominator,
        version=version,
    )
