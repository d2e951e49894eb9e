"""Rule sets of `robust` for short answers: similarity, tolerance, answers of a declared type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.answers import parse_choice_lazily
from fastvbench.answers._careful_scores import (
    careful_anls,
    careful_match,
    careful_numbers,
    careful_relaxed,
)
from fastvbench.answers._short_answers import (
    AnswerNumbers,
    ShortAnswers,
    answer_numbers,
    read_short_answers,
)
from fastvbench.core._numbers import as_float
from fastvbench.core._status import Status
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record
from fastvbench.protocols._short_answer_rules import (
    ANLS,
    EXACT_MATCH,
    RELAXED_ACCURACY,
    answer_scores,
)
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY, Metric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Column = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int64]

__all__ = [
    "careful_anls_rule",
    "careful_match_rule",
    "careful_relaxed_rule",
    "careful_typed_rule",
]


def _gold_rows(batch: RuleBatch) -> tuple[list[Sequence[str]], Rows]:
    """Accepted answers of the gold rows in this batch, each once, and which one each row has."""
    answers = batch.gold.answers
    rows, places = np.unique(batch.rows, return_inverse=True)
    if answers is None:
        return [()] * len(rows), places
    return [answers[row] for row in rows.tolist()], places


def _careful_rule(
    name: str,
    source: str,
    metric: Metric,
    score: Callable[[ShortAnswers, Sequence[Sequence[str]], Rows], Column],
    version: int,
) -> Rule:
    def read(batch: RuleBatch) -> Reading:
        answers = read_short_answers(batch.texts)
        scores = score(answers, *_gold_rows(batch))
        apply_run_record(batch, answers.status)
        return Reading(
            status=answers.status,
            scores=answer_scores(metric, scores, answers.status),
            spans=answers.spans,
            answers=answers.texts,
        )

    metrics = (metric, ANSWERED_ACCURACY) if metric.key == ACCURACY.key else (metric,)
    return Rule(name=name, source=source, read=read, metrics=metrics, version=version)


def careful_anls_rule(name: str, source: str, *, version: int = 1) -> Rule:
    """ANLS of the answer proper, by `careful_anls`; every annotated row is in the denominator.

    Args:
        name: name of the rule set.
        source: what it stands for.
        version: see Rule.
    """
    return _careful_rule(name, source, ANLS, careful_anls, version)


def careful_relaxed_rule(name: str, source: str, *, version: int = 1) -> Rule:
    """Numbers within 5 %, years and zero exactly, other answers by their words: `careful_relaxed`.

    Args:
        name: name of the rule set.
        source: what it stands for.
        version: see Rule.
    """
    return _careful_rule(name, source, RELAXED_ACCURACY, careful_relaxed, version)


def careful_match_rule(
    name: str, source: str, *, metric: Metric = EXACT_MATCH, version: int = 1
) -> Rule:
    """The words of an accepted answer, whatever their case, marks and articles: `careful_match`.

    Args:
        name: name of the rule set.
        source: what it stands for.
        metric: what the share of such rows is called.
        version: see Rule.
    """
    return _careful_rule(name, source, metric, careful_match, version)


def careful_typed_rule(name: str, source: str, *, version: int = 1) -> Rule:
    """Answers of a declared type: an option, a whole number, a decimal, a list, or words.

    The columns ``question_type`` (``multi_choice`` or else), ``answer_type`` (``integer``,
    ``float``, ``list``, other: words) and ``precision`` (decimals of a ``float``) say which.
    Options are read as everywhere; whole numbers must be equal, decimals equal once rounded to
    their precision, lists equal number by number.

    Args:
        name: name of the rule set.
        source: what it stands for.
        version: see Rule.
    """

    def read(batch: RuleBatch) -> Reading:
        is_choice = np.array([kind == "multi_choice" for kind in batch.column("question_type")])
        is_choice = is_choice.astype(np.bool_)
        answers = read_short_answers(batch.texts)
        shown: list[object] = list(answers.texts())
        scores = _typed_scores(batch, answers, ~is_choice)
        letters = np.full(len(batch), -1, dtype=np.int8)
        places = np.flatnonzero(is_choice)
        if len(places):
            choices = parse_choice_lazily(
                [batch.texts[k] for k in places.tolist()],
                batch.option_counts()[places],
                lambda some: batch.options_of(places[some]),
            )
            letters[places], answers.status[places] = choices.index, choices.status
            answers.spans[places] = choices.spans
            scores[places] = _same_options(batch, places, choices.index)
            for k, letter in zip(places.tolist(), choices.letters(), strict=True):
                shown[k] = letter
        apply_run_record(batch, answers.status)
        scores[[not accepted for accepted in batch.accepted_answers()]] = np.nan
        return Reading(
            status=answers.status,
            scores=answer_scores(ACCURACY, scores, answers.status),
            spans=answers.spans,
            answers=lambda: shown,
            letters=letters,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=(ACCURACY, ANSWERED_ACCURACY),
        version=version,
    )


def _same_options(
    batch: RuleBatch, places: Rows, index: npt.NDArray[np.int8]
) -> npt.NDArray[np.bool_]:
    """Whether the option that each row names is the gold one, or another with the same text."""
    gold = batch.gold_letters()[places]
    same: npt.NDArray[np.bool_] = (index == gold) & (index >= 0)
    for k in np.flatnonzero(~same & (index >= 0) & (gold >= 0)).tolist():
        (options,) = batch.options_of(places[k : k + 1])
        if not isinstance(options, int):
            same[k] = options[index[k]] == options[gold[k]]
    return same


def _typed_scores(batch: RuleBatch, answers: ShortAnswers, asked: npt.NDArray[np.bool_]) -> Column:
    """Scores of the rows that are asked about; their statuses are adjusted."""
    golds, rows = _gold_rows(batch)
    first_golds = [next(iter(accepted), None) for accepted in golds]
    types = np.array(batch.column("answer_type"), dtype=object)
    scores = np.zeros(len(batch))
    words = asked & ~np.isin(types, ["integer", "float", "list"])
    if words.any():
        scores[words] = careful_match(answers, golds, rows)[words]
    numeric = asked & np.isin(types, ["integer", "float"])
    if numeric.any():
        given = careful_numbers(answers)
        wanted = answer_numbers(first_golds).take(rows)
        decimals = np.array([_decimals(p) for p in batch.column("precision")])
        decimals[types == "integer"] = np.inf
        scores[numeric] = _equal_numbers(given, wanted, decimals)[numeric]
        unread = numeric & (answers.status == Status.OK) & np.isnan(given.values)
        answers.status[unread & given.several] = Status.AMBIGUOUS
        answers.status[unread & ~given.several] = Status.NO_ANSWER
    listed = np.flatnonzero(asked & (types == "list") & (answers.status == Status.OK))
    texts = answers.texts() if len(listed) else []
    for k in listed.tolist():
        numbers = _listed(texts[k] or "")
        scores[k] = numbers is not None and numbers == _listed(first_golds[rows[k]] or "")
        if numbers is None:
            answers.status[k] = Status.NO_ANSWER
    return np.where(answers.status == Status.OK, scores, 0.0)


def _decimals(precision: object) -> float:
    return as_float(precision) if isinstance(precision, int | float) else 0.0


def _equal_numbers(
    given: AnswerNumbers, wanted: AnswerNumbers, decimals: Column
) -> npt.NDArray[np.bool_]:
    """Equal to so many decimals; a scale word may be part of the number or its unit."""
    allowed = 0.5 * 10.0**-decimals * (1 + 1e-9)
    target = wanted.values * wanted.scales
    equal = np.abs(given.values * given.scales - target) <= allowed
    return equal | (np.abs(given.values - target) <= allowed)


def _listed(text: str) -> list[float] | None:
    """The numbers between the last square brackets of a text, or of all of it; None for others."""
    inside = text.rpartition("[")[2].partition("]")[0] if "[" in text else text
    numbers = answer_numbers(inside.replace(";", ",").split(","))
    if np.isnan(numbers.values).any():
        return None
    values: list[float] = (numbers.values * numbers.scales).tolist()
    return values
