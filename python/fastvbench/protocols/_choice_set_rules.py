"""Rule sets of choice sets whose options can be the same text twice, or lack the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.answers import parse_choice, parse_choice_lazily
from fastvbench.answers.rules import mlvu_official, vlmevalkit
from fastvbench.core._status import Status
from fastvbench.protocols._choice_rules import METRICS, ChoiceRow, ChoiceVerdict, row_choice_rule
from fastvbench.protocols._gold import ALPHABET
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record
from fastvbench.results._metrics import ACCURACY, ANSWERED_ACCURACY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    import numpy.typing as npt

    from fastvbench.results._metrics import Metric

__all__ = [
    "careful_set_rule",
    "inferred_index",
    "known_texts",
    "last_equal_letter",
    "letter_rule",
    "letter_verdict",
    "texts_and_answer",
]


def careful_set_rule(name: str, source: str, *, metrics: tuple[Metric, ...] = METRICS) -> Rule:
    """The parser's own reading; options of the same text are one option.

    Columns ``twin_of`` and ``unanswerable`` of the annotations are those of `gold_of_questions`.
    A question without a right option stays in the denominator, and nothing is right.

    Args:
        name: name of the rule set.
        source: what it stands for.
        metrics: see `careful_choice_rule`.
    """

    def read(batch: RuleBatch) -> Reading:
        twins = batch.column("twin_of")

        def texts_once(places: npt.NDArray[np.int64]) -> list[list[str] | int]:
            given = batch.options_of(places)
            return [
                options if twin is None or isinstance(options, int) else _once(options, twin)
                for options, twin in zip(given, (twins[k] for k in places.tolist()), strict=True)
            ]

        counts = batch.option_counts()
        if batch.gold.options is None:
            choices = parse_choice(batch.texts, options=counts)
        else:
            choices = parse_choice_lazily(batch.texts, counts, texts_once)
        index, gold = choices.index.copy(), batch.gold_letters().copy()
        for k, twin in enumerate(twins):
            if twin is not None:
                index[k] = twin[index[k]] if index[k] >= 0 else -1
                gold[k] = twin[gold[k]] if gold[k] >= 0 else -1
        status = choices.status.copy()
        apply_run_record(batch, status)
        unanswerable = np.array(batch.column("unanswerable"), dtype=np.bool_)
        correct = np.where(gold >= 0, (index == gold) & (index >= 0), np.nan)
        correct[unanswerable] = 0.0
        return Reading(
            status=status,
            scores={
                ACCURACY.key: correct,
                ANSWERED_ACCURACY.key: np.where(status == Status.OK, correct, np.nan),
            },
            spans=choices.spans,
            answers=lambda: [ALPHABET[i] if i >= 0 else None for i in choices.index.tolist()],
            letters=choices.index,
        )

    return Rule(
        name=name,
        source=source,
        read=read,
        metrics=metrics,
        options={"same_texts": "one option", "no_right_option": "wrong"},
    )


def _once(options: Sequence[str], twin: Sequence[int]) -> list[str]:
    """Option texts with every repetition blank, so that a text names its first option only."""
    pairs = enumerate(zip(options, twin, strict=True))
    return [text if first == place else "" for place, (text, first) in pairs]


def known_texts(row: ChoiceRow) -> Sequence[str]:
    """A row's option texts; texts that no answer holds where they are not known."""
    return row.options or [f"\0{letter}" for letter in row.alphabet]


def texts_and_answer(row: ChoiceRow) -> tuple[Sequence[str], str | None]:
    """Option texts and the right one's, made up where only letters are known.

    The answer may be none of the options; it is None where it is not public.
    """
    texts = known_texts(row)
    if row.options and row.columns["answer"] is not None:
        return texts, row.columns["answer"]
    return texts, texts[row.gold_index] if row.gold_index >= 0 else None


def last_equal_letter(row: ChoiceRow) -> str:
    """Gold letter of scripts that look through all options: the last that is the answer.

    ``@`` where none is, and empty where the answer is not public.
    """
    texts, answer = texts_and_answer(row)
    return "" if answer is None else mlvu_official.gold_letter(answer, texts)


def inferred_index(text: str, options: Sequence[str]) -> int:
    """The option that VLMEvalKit infers without a judge, -1 for none."""
    letter = vlmevalkit.can_infer(text, options)
    return -1 if letter in ("", vlmevalkit.NO_OPTION) else ALPHABET.index(letter)


def letter_verdict(given: str, gold: str, row: ChoiceRow) -> ChoiceVerdict:
    """The verdict of a scorer that compares texts: what it read, and the gold letter.

    Args:
        given: what is compared, of any length.
        gold: the gold letter; empty where the right answer is not public.
        row: the question.
    """
    is_option = len(given) == 1 and given in row.alphabet
    return ChoiceVerdict(
        index=row.alphabet.index(given) if is_option else -1,
        correct=given == gold if gold else None,
        status=None if is_option else Status.EMPTY if not given else Status.NOT_AN_OPTION,
    )


def letter_rule(
    name: str,
    source: str,
    letter: Callable[[str, ChoiceRow], str],
    gold: Callable[[ChoiceRow], str],
    *,
    text: Literal["raw", "filtered"] = "raw",
    missing: Literal["wrong", "dropped"] = "wrong",
    denominator: str = "all annotated rows",
    metrics: tuple[Metric, ...] = METRICS,
) -> Rule:
    """A published scorer that compares what it reads with a gold letter of its own making.

    Args:
        name: name of the rule set.
        source: the public scorer.
        letter: what is read of a text, ``""`` for nothing; may raise PublicScriptAborts.
        gold: the scorer's gold letter, ``""`` where the right answer is not public.
        text: which text of an lmms-eval file is read.
        missing: see Rule.
        denominator: in words.
        metrics: see `careful_choice_rule`.
    """

    def judge(answer: str, row: ChoiceRow) -> ChoiceVerdict:
        return letter_verdict(letter(answer, row), gold(row), row)

    return row_choice_rule(
        name,
        source,
        judge,
        text=text,
        missing=missing,
        denominator=denominator,
        metrics=metrics,
    )
