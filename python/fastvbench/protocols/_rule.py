"""A rule set: how one scorer reads model text and what it counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import Status
from fastvbench.protocols._gold import LETTER_INDEX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastvbench.protocols._gold import Gold
    from fastvbench.results._metrics import Metric

__all__ = [
    "LENGTH_REASONS",
    "AnyRule",
    "Reading",
    "Rule",
    "RuleBatch",
    "apply_run_record",
    "apply_verdicts",
    "no_spans",
]

LENGTH_REASONS = frozenset({"length", "max_tokens", "max_new_tokens", "MAX_TOKENS"})


@dataclass(slots=True)
class RuleBatch:
    """k prediction rows that were matched to annotations.

    Attributes:
        texts: raw model text, None where missing.
        fields: other columns that the file carries, each of length k.
        rows: int64[k], the annotation row of each.
        gold: the annotations.
        verdicts: what a judge said of each row, None where it said nothing; None where no verdict
            was given at all.
    """

    texts: list[str | None]
    fields: dict[str, list[Any]]
    rows: npt.NDArray[np.int64]
    gold: Gold
    verdicts: list[bool | None] | None = None
    _bare: npt.NDArray[np.int8] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.texts)

    def with_texts(self, texts: list[str | None]) -> RuleBatch:
        """The same rows with other texts."""
        return RuleBatch(texts, self.fields, self.rows, self.gold, self.verdicts)

    def column(self, name: str) -> list[Any]:
        """Values of one of the annotations' further columns, k of them."""
        values = self.gold.columns[name]
        return [values[row] for row in self.rows.tolist()]

    def accepted_answers(self) -> list[Sequence[str]]:
        """Accepted short answers of each row, k lists; empty ones where a row has none."""
        answers = self.gold.answers
        if answers is None:
            return [()] * len(self)
        return [answers[row] for row in self.rows.tolist()]

    def gold_letters(self) -> npt.NDArray[np.int8]:
        """int8[k] gold option of each row, -1 where it has none."""
        if self.gold.letters is None:
            return np.full(len(self), -1, dtype=np.int8)
        return self.gold.letters[self.rows]

    def bare_letters(self) -> npt.NDArray[np.int8]:
        """int8[k]: which capital letter a text is and nothing else; -1 for any other text."""
        if self._bare is None:
            index = LETTER_INDEX.get
            self._bare = np.array(
                [-1 if text is None else index(text, -1) for text in self.texts], dtype=np.int8
            )
        return self._bare

    def option_counts(self) -> npt.NDArray[np.int32]:
        """int32[k] number of options of each row."""
        return self.gold.option_counts[self.rows]

    def options_of(self, places: npt.NDArray[np.int64]) -> list[list[str] | int]:
        """Option texts (or how many letters) of the rows at these places of the batch."""
        options = self.gold.options
        assert options is not None
        rows = self.rows[places]
        # Samples ask for the same few rows again and again: each is made once, and shared.
        counts = self.gold.option_counts
        made = {row: options[row] or int(counts[row]) for row in np.unique(rows).tolist()}
        return [made[row] for row in rows.tolist()]

    def durations(self) -> npt.NDArray[np.float64] | None:
        """float64[k] seconds, NaN where unknown; None where no row's is known."""
        return None if self.gold.durations is None else self.gold.durations[self.rows]


@dataclass(slots=True)
class Reading:
    """What a rule set made of a batch of k rows.

    Attributes:
        status: uint8[k] (core.Status).
        scores: float64[k] per metric key; NaN leaves the denominator.
        spans: int64[k, 2] bytes of the text that were read, (-1, -1) where that is not known.
        answers: JSON values of what was read, made only when somebody will see them.
        letters: int8[k] option that was read, -1 for none; None for rules that read no letter.
        aborts: bool[k], the public script would have stopped here.
        interval_status: uint8[k], where a row has a letter and intervals: how the intervals read.
        judged: bool[k], rows whose score is a judge's verdict; None where no row's is.
    """

    status: npt.NDArray[np.uint8]
    scores: dict[str, npt.NDArray[np.float64]]
    spans: npt.NDArray[np.int64]
    answers: Callable[[], Sequence[object]]
    letters: npt.NDArray[np.int8] | None = None
    aborts: npt.NDArray[np.bool_] | None = None
    interval_status: npt.NDArray[np.uint8] | None = None
    judged: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyRule:
    """A named way to score, declared by a protocol: what rule sets of every kind have.

    Attributes:
        name: ``robust``, ``paper``, ``official`` or the stack and date that published it.
        source: what is reproduced, for people.
        metrics: what it reports, the first being its main one.
        missing: what an absent row does: ``wrong`` counts as a miss, ``dropped`` leaves the
            denominator.
        denominator: the denominator in words.
        version: raised whenever the same input would score differently.
        options: further values that move a score.
    """

    name: str
    source: str
    metrics: tuple[Metric, ...]
    missing: Literal["wrong", "dropped"] = "wrong"
    denominator: str = "all annotated rows"
    version: int = 1
    options: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a metric whose numbers come from one that is not declared.

        Raises:
            ValueError: for example ``macro_accuracy`` without ``accuracy``.
        """
        keys = {metric.key for metric in self.metrics}
        for metric in self.metrics:
            if metric.base not in keys:
                raise ValueError(f"{self.name}: {metric.key} without {metric.base}")

    def fingerprint(self) -> dict[str, object]:
        """Every field that moves a score."""
        return {
            "name": self.name,
            "version": self.version,
            "metrics": [[m.key, m.unit, *([m.over] if m.over else [])] for m in self.metrics],
            "missing": self.missing,
            "options": self.options,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(AnyRule):
    """A way to read model text and score it.

    Attributes:
        read: scores a batch; must treat a text of None as a missing answer.
        text: ``filtered`` reads lmms-eval's post-processed output where the file has it.
        bare_letter_share: warn where fewer than this share of rows is a bare letter.
    """

    read: Callable[[RuleBatch], Reading]
    text: Literal["raw", "filtered"] = "raw"
    bare_letter_share: float | None = None

    def fingerprint(self) -> dict[str, object]:
        """Every field that moves a score."""
        return AnyRule.fingerprint(self) | {"text": self.text}


def no_spans(row_count: int) -> npt.NDArray[np.int64]:
    """Spans of rules that do not say what they read."""
    return np.full((row_count, 2), -1, dtype=np.int64)


def apply_verdicts(
    batch: RuleBatch, status: npt.NDArray[np.uint8], correct: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Let a judge decide the rows that need one, in place.

    A row of status ``needs_judge`` with a verdict becomes ``ok`` and scores 1 or 0; without one it
    stays as it is. A verdict on any other row changes nothing.

    Args:
        batch: the rows and what the judge said of them.
        status: uint8[k].
        correct: float64[k] of the metric that the verdict is about.

    Returns:
        bool[k]: the rows that were decided so, for `Reading.judged`.
    """
    judged = np.zeros(len(batch), dtype=np.bool_)
    if batch.verdicts is None:
        return judged
    for k in np.flatnonzero(status == Status.NEEDS_JUDGE).tolist():
        verdict = batch.verdicts[k]
        if verdict is not None:
            status[k], correct[k], judged[k] = Status.OK, float(verdict), True
    return judged


def apply_run_record(batch: RuleBatch, status: npt.NDArray[np.uint8]) -> None:
    """Let the run's own record explain rows without an answer, in place.

    A recorded error explains a missing text, and one that no answer could be read from (some
    frameworks write the error in place of the text); so does a generation that hit its length
    limit.
    """
    errors = batch.fields.get("error")
    if errors is not None:
        for k, error in enumerate(errors):
            if error and status[k] in (Status.MISSING, Status.EMPTY, Status.NO_ANSWER):
                status[k] = Status.ERROR
    reasons = batch.fields.get("finish_reason")
    if reasons is not None:
        unread = (Status.EMPTY, Status.NO_ANSWER, Status.NO_NUMBER, Status.ONE_NUMBER)
        for k, reason in enumerate(reasons):
            if reason in LENGTH_REASONS and status[k] in unread:
                status[k] = Status.TRUNCATED
