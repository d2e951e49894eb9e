"""Rule sets of `robust` for short answers: similarity, tolerance, answers of a declared type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.answers import parse_choice, parse_choice_lazily
from fastvbench.answers._short_text import (
    ShortText,
    as_number,
    comparable,
    only_number,
    read_short_text,
)
from fastvbench.answers.rules._edit_distance import edit_distance
from fastvbench.core._status import Status
from fastvbench.protocols._extraction_rules import TypedQuestion, typed_questions
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record, no_spans
from fastvbench.protocols._short_answer_rules import ANLS, RELAXED_ACCURACY, answer_scores
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastvbench.results._metrics import Metric

__all__ = ["careful_anls_rule", "careful_relaxed_rule", "careful_typed_rule"]

_ANLS_THRESHOLD = 0.5
_TOLERANCE = 0.05
_YEARS = (1800, 2099)
_UNREAD = (Status.MISSING, Status.EMPTY, Status.TRUNCATED, Status.REFUSED)


def _readings(batch: RuleBatch) -> tuple[npt.NDArray[np.uint8], list[ShortText]]:
    """Status and answer of each row; refusals and cut reasoning as the choice parser sees them."""
    status = np.full(len(batch), Status.OK, dtype=np.uint8)
    seen = parse_choice(batch.texts, options=26).status
    read = []
    for k, text in enumerate(batch.texts):
        found = ShortText(None) if text is None else read_short_text(text)
        if seen[k] in (Status.MISSING, Status.EMPTY, Status.TRUNCATED):
            status[k], found = seen[k], ShortText(None)
        elif found.answer is None:
            status[k] = Status.NO_ANSWER
        elif seen[k] == Status.REFUSED and not found.declared:
            status[k], found = Status.REFUSED, ShortText(None)
        read.append(found)
    return status, read


def _careful_rule(
    name: str,
    source: str,
    metric: Metric,
    score: Callable[[ShortText, Sequence[str]], float],
    version: int,
) -> Rule:
    def read(batch: RuleBatch) -> Reading:
        status, answers = _readings(batch)
        apply_run_record(batch, status)
        scores = np.zeros(len(batch))
        for k, (answer, accepted) in enumerate(zip(answers, batch.accepted_answers(), strict=True)):
            if not accepted:
                scores[k] = np.nan
            elif status[k] == Status.OK:
                scores[k] = score(answer, accepted)
        return Reading(
            status=status,
            scores=answer_scores(metric, scores, status),
            spans=no_spans(len(batch)),
            answers=lambda: [answer.answer for answer in answers],
        )

    return Rule(name=name, source=source, read=read, metrics=(metric,), version=version)


def careful_anls_rule(name: str, source: str, *, version: int = 1) -> Rule:
    """Similarity of texts that are normalised alike on both sides; below one half it is 0.

    Args:
        name: name of the rule set.
        source: what it stands for.
        version: see Rule.
    """
    return _careful_rule(name, source, ANLS, _anls, version)


def _anls(read: ShortText, accepted: Sequence[str]) -> float:
    readings = [comparable(text) for text in (read.answer, *read.others) if text is not None]
    best = max(_similarity(reading, comparable(gold)) for reading in readings for gold in accepted)
    return best if best >= _ANLS_THRESHOLD else 0.0


def _similarity(text: str, gold: str) -> float:
    length = max(len(text), len(gold))
    return 1.0 if length == 0 else 1 - edit_distance(text, gold) / length


def careful_relaxed_rule(name: str, source: str, *, version: int = 1) -> Rule:
    """Numbers within 5 % of the gold, years and zero exactly; other answers equal as texts.

    Args:
        name: name of the rule set.
        source: what it stands for.
        version: see Rule.
    """
    return _careful_rule(name, source, RELAXED_ACCURACY, _relaxed, version)


def _relaxed(read: ShortText, accepted: Sequence[str]) -> float:
    return float(any(_is_close(read, gold) for gold in accepted))


def _is_close(read: ShortText, gold: str) -> bool:
    readings = [text for text in (read.answer, *read.others) if text is not None]
    if any(comparable(text) == comparable(gold) for text in readings):
        return True
    wanted = _whole_number_text(gold)
    given = only_number(read)
    if wanted is None or given is None:
        return False
    scales = [1.0]
    if any("%" in text for text in readings) != ("%" in gold):
        scales.append(100.0 if "%" in gold else 0.01)  # "50 %" and "0.5" are one number
    return any(_within(given * scale, wanted) for scale in scales)


def _whole_number_text(gold: str) -> float | None:
    """The number of a gold answer that is one, but for a sign of currency or per cent."""
    bare = gold.strip().strip("$€£%").strip()
    if not bare or not all(c.isdigit() or c in "+-−.,eE" for c in bare):
        return None
    return as_number(bare)


def _within(given: float, wanted: float) -> bool:
    is_year = wanted.is_integer() and _YEARS[0] <= wanted <= _YEARS[1]
    if is_year or wanted == 0:
        return given == wanted
    return abs(given - wanted) <= _TOLERANCE * abs(wanted)


def careful_typed_rule(name: str, source: str, *, version: int = 1) -> Rule:
    """Options by the choice parser; whole numbers exactly; decimals to their precision; lists.

    Args:
        name: name of the rule set.
        source: what it stands for.
        version: see Rule.
    """

    def read(batch: RuleBatch) -> Reading:
        questions = typed_questions(batch)
        status, answers = _readings(batch)
        scores = np.zeros(len(batch))
        shown: list[object] = [answer.answer for answer in answers]
        letters = np.full(len(batch), -1, dtype=np.int8)
        spans = no_spans(len(batch))
        is_choice = np.array([q.question_type == "multi_choice" for q in questions], dtype=bool)
        places = np.flatnonzero(is_choice)
        if len(places):
            texts = [batch.texts[k] for k in places.tolist()]
            counts = batch.option_counts()[places]
            choices = parse_choice_lazily(texts, counts, lambda k: batch.options_of(places[k]))
            letters[places] = choices.index
            status[places], spans[places] = choices.status, choices.spans
            for k, letter in zip(places.tolist(), choices.letters(), strict=True):
                shown[k] = letter
        scores[is_choice] = (letters == batch.gold_letters())[is_choice] & (letters[is_choice] >= 0)
        for k in np.flatnonzero(~is_choice & (status == Status.OK)).tolist():
            right, shown[k] = _typed_score(answers[k], questions[k])
            if right is None:
                status[k] = Status.NO_ANSWER
            scores[k] = bool(right)
        apply_run_record(batch, status)
        for k, question in enumerate(questions):
            if question.answer is None:
                scores[k] = np.nan
        return Reading(
            status=status,
            scores=answer_scores(ACCURACY, scores, status),
            spans=spans,
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


def _typed_score(read: ShortText, question: TypedQuestion) -> tuple[bool | None, object]:
    """Whether an answer of a declared type is right (None: it holds none), and what was read."""
    gold = question.answer or ""
    if question.answer_type == "list":
        given = _listed(read.answer or "")
        return (None if given is None else given == _listed(gold)), given
    number, wanted = only_number(read), as_number(gold)
    if number is None or wanted is None:
        return None, None
    if question.answer_type == "integer":
        return number == wanted, number
    allowed = 0.5 * 10.0 ** -(question.precision or 0)
    return abs(number - wanted) <= allowed * (1 + 1e-9), number


def _listed(text: str) -> list[float] | None:
    """The numbers between the last square brackets of a text."""
    inside = text.rpartition("[")[2].partition("]")[0] if "[" in text else text
    numbers = [as_number(part) for part in inside.split(",")]
    return None if None in numbers else [number for number in numbers if number is not None]
