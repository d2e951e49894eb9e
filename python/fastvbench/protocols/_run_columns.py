"""The scores of one run: a column per rule set and metric over all annotated rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import Status
from fastvbench.protocols._rule import Reading, Rule, RuleBatch
from fastvbench.results._spool import SampleSpool, excerpt

if TYPE_CHECKING:
    from fastvbench.protocols._gold import Gold

__all__ = ["RuleColumns", "RunColumns"]


@dataclass(slots=True)
class RuleColumns:
    """One rule set's outcome for n annotated rows.

    Attributes:
        scores: float64[n] per metric key, NaN where the row is not in the denominator.
        status: uint8[n].
        letters: int8[n] option that was read, None for rules that read none.
        aborts: bool[n], the public script would have stopped at this row.
        interval_status: uint8[n], for rules that read a letter and intervals.
    """

    scores: dict[str, npt.NDArray[np.float64]]
    status: npt.NDArray[np.uint8]
    letters: npt.NDArray[np.int8]
    aborts: npt.NDArray[np.bool_]
    interval_status: npt.NDArray[np.uint8] | None = None

    @classmethod
    def empty(cls, rule: Rule, row_count: int) -> RuleColumns:
        """Columns in which every row is missing and in no denominator."""
        return cls(
            scores={m.key: np.full(row_count, np.nan) for m in rule.metrics},
            status=np.full(row_count, Status.MISSING, dtype=np.uint8),
            letters=np.full(row_count, -1, dtype=np.int8),
            aborts=np.zeros(row_count, dtype=np.bool_),
        )

    def put(self, rows: npt.NDArray[np.int64], reading: Reading) -> None:
        """Store a batch; where a row stands twice in it, the last one stays."""
        for key, column in self.scores.items():
            column[rows] = reading.scores[key]
        self.status[rows] = reading.status
        if reading.letters is not None:
            self.letters[rows] = reading.letters
        self.aborts[rows] = False if reading.aborts is None else reading.aborts
        if reading.interval_status is not None:
            if self.interval_status is None:
                self.interval_status = np.full(len(self.status), Status.MISSING, dtype=np.uint8)
            self.interval_status[rows] = reading.interval_status


class RunColumns:
    """Everything that one run of a model gave, row by row of the annotations.

    Args:
        rules: the rule sets to apply.
        gold: the annotations.
        keep_samples: also keep excerpts and what each rule read, on disk.
    """

    def __init__(self, rules: tuple[Rule, ...], gold: Gold, *, keep_samples: bool) -> None:
        self.rules = {rule.name: RuleColumns.empty(rule, len(gold)) for rule in rules}
        self.seen = np.zeros(len(gold), dtype=np.bool_)
        self.source = np.full(len(gold), -1, dtype=np.int32)  # which file gave the row
        self.gold_echo = np.zeros(len(gold), dtype=np.bool_)
        self.bare_letter = np.zeros(len(gold), dtype=np.bool_)
        self.spool = SampleSpool(len(gold)) if keep_samples else None
        self._declared = rules
        self._gold = gold

    def put(self, batch: RuleBatch, filtered: list[str | None] | None) -> None:
        """Score a batch of matched rows by every rule set.

        Args:
            batch: the rows, with raw text.
            filtered: lmms-eval's post-processed text of each row, where the file has it.
        """
        readings: dict[str, Reading] = {}
        for rule in self._declared:
            read_batch = batch
            if rule.text == "filtered" and filtered is not None:
                read_batch = RuleBatch(filtered, batch.fields, batch.rows, batch.gold)
            reading = rule.read(read_batch)
            self.rules[rule.name].put(batch.rows, reading)
            readings[rule.name] = reading
        self.seen[batch.rows] = True
        if batch.gold.letters is not None:
            letters = [chr(ord("A") + i) if i >= 0 else None for i in range(-1, 26)]
            wanted = [letters[i + 1] for i in batch.gold_letters().tolist()]
            self.gold_echo[batch.rows] = [
                text == letter for text, letter in zip(batch.texts, wanted, strict=True)
            ]
            known = set(letters[1:])
            self.bare_letter[batch.rows] = [text in known for text in batch.texts]
        if self.spool is not None:
            self._keep(batch, readings, self.spool)

    def _keep(self, batch: RuleBatch, readings: dict[str, Reading], spool: SampleSpool) -> None:
        answers = {name: reading.answers() for name, reading in readings.items()}
        spans = {name: reading.spans.tolist() for name, reading in readings.items()}
        for k, (row, text) in enumerate(zip(batch.rows.tolist(), batch.texts, strict=True)):
            spool.put(
                row,
                {
                    "excerpt": excerpt(text),
                    "read": {name: _printable(values[k]) for name, values in answers.items()},
                    "span": {
                        name: (pairs[k] if pairs[k][0] >= 0 else None)
                        for name, pairs in spans.items()
                    },
                },
            )

    def finish(self, active: npt.NDArray[np.bool_]) -> None:
        """Give absent rows what each rule set gives them, and take inactive rows out."""
        absent = np.flatnonzero(active & ~self.seen)
        for rule in self._declared:
            columns = self.rules[rule.name]
            if len(absent) and rule.missing == "wrong":
                columns.put(
                    absent, rule.read(RuleBatch([None] * len(absent), {}, absent, self._gold))
                )
            for column in columns.scores.values():
                column[~active] = np.nan


def _printable(value: object) -> object:
    return excerpt(value) if isinstance(value, str) else value
