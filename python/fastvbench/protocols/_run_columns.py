"""The scores of all runs: a column per rule set and metric over runs x annotated rows.

Cell ``run * n + row`` belongs to annotated row `row` of run `run`, so a batch is scored once and
scattered once, however many runs its rows belong to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import Status
from fastvbench.protocols._derived import derived_scores, reported_metrics
from fastvbench.protocols._prompt_echoes import prompt_echoes
from fastvbench.protocols._rule import Reading, Rule, RuleBatch
from fastvbench.protocols._run_record import frame_count, frames_seen, length_limited
from fastvbench.results._spool import SampleSpool, excerpt

if TYPE_CHECKING:
    from fastvbench.protocols._gold import Gold

__all__ = ["RuleColumns", "RunTable"]

_Scalar = TypeVar("_Scalar", bound=np.generic)
Cells = npt.NDArray[np.int64]


@dataclass(slots=True)
class RuleColumns:
    """One rule set's outcome, every array [runs, n] once the table is finished.

    Attributes:
        scores: float64 per metric key, NaN where the row is not in the denominator.
        status: uint8.
        letters: int8 option that was read, -1 for none.
        aborts: bool, the public script would have stopped at this row.
        judged: bool, the score is a judge's verdict.
        interval_status: uint8, for rules that read a letter and intervals; else None.
    """

    scores: dict[str, npt.NDArray[np.float64]]
    status: npt.NDArray[np.uint8]
    letters: npt.NDArray[np.int8]
    aborts: npt.NDArray[np.bool_]
    judged: npt.NDArray[np.bool_]
    interval_status: npt.NDArray[np.uint8] | None = None

    @classmethod
    def empty(cls, rule: Rule, cell_count: int) -> RuleColumns:
        """Cells in which every row is missing and in no denominator."""
        return cls(
            scores={m.key: np.full(cell_count, np.nan) for m in rule.metrics if m.base == m.key},
            status=np.full(cell_count, Status.MISSING, dtype=np.uint8),
            letters=np.full(cell_count, -1, dtype=np.int8),
            aborts=np.zeros(cell_count, dtype=np.bool_),
            judged=np.zeros(cell_count, dtype=np.bool_),
        )

    def put(self, cells: Cells, reading: Reading) -> None:
        """Store a batch; where a cell stands twice in it, the last one stays."""
        for key, column in self.scores.items():
            column[cells] = reading.scores[key]
        self.status[cells] = reading.status
        if reading.letters is not None:
            self.letters[cells] = reading.letters
        self.aborts[cells] = False if reading.aborts is None else reading.aborts
        self.judged[cells] = False if reading.judged is None else reading.judged
        if reading.interval_status is not None:
            if self.interval_status is None:
                self.interval_status = np.full(len(self.status), Status.MISSING, dtype=np.uint8)
            self.interval_status[cells] = reading.interval_status

    def resize(self, cell_count: int) -> None:
        """Grow or shrink to this many cells."""
        self.scores = {key: _sized(c, cell_count, np.nan) for key, c in self.scores.items()}
        self.status = _sized(self.status, cell_count, Status.MISSING)
        self.letters = _sized(self.letters, cell_count, -1)
        self.aborts = _sized(self.aborts, cell_count, False)
        self.judged = _sized(self.judged, cell_count, False)
        if self.interval_status is not None:
            self.interval_status = _sized(self.interval_status, cell_count, Status.MISSING)

    def reshape(self, row_count: int) -> None:
        """Turn flat cells into [runs, n]."""
        self.scores = {key: c.reshape(-1, row_count) for key, c in self.scores.items()}
        self.status = self.status.reshape(-1, row_count)
        self.letters = self.letters.reshape(-1, row_count)
        self.aborts = self.aborts.reshape(-1, row_count)
        self.judged = self.judged.reshape(-1, row_count)
        if self.interval_status is not None:
            self.interval_status = self.interval_status.reshape(-1, row_count)


def _sized(column: npt.NDArray[_Scalar], size: int, fill: object) -> npt.NDArray[_Scalar]:
    kept = column[:size]
    if len(kept) == size:
        return kept.copy() if len(column) > size else kept
    grown = np.full(size, fill, dtype=column.dtype)
    grown[: len(kept)] = kept
    return grown


class RunTable:
    """Everything that the runs of a model gave.

    Args:
        rules: the rule sets to apply.
        gold: the annotations, n rows.
        keep_samples: also keep excerpts and what each rule read, on disk.

    Attributes:
        names: name of each run, in order of first appearance.
        rules: outcome by rule set.
        seen: bool, a prediction was found.
        source: int32, number of the file that gave the row, -1 for none.
        gold_echo: bool, the text is the gold letter or an accepted answer itself.
        bare_letter: bool, the text is one capital letter and nothing else.
        limited: int8, the generation hit its length limit (1) or did not (0); -1 where no file
            says.
        frame_count: float64 frames that the model saw, NaN where no file says.
        video_seconds: float64 length of the video as decoded, NaN where no file says.
        output: int64, equal for equal texts, 0 where there is none or letters are read.
        prompt_echo: bool, the answer is the example of a published grounding prompt.
        spool: excerpts and readings by cell, None where they are not kept.
    """

    def __init__(self, rules: tuple[Rule, ...], gold: Gold, *, keep_samples: bool) -> None:
        self._declared = rules
        self._gold = gold
        self._capacity = 1
        self._fields: set[str] = set()  # columns that any file carried
        cells = len(gold)
        self.names: dict[str, int] = {}
        self.rules = {rule.name: RuleColumns.empty(rule, cells) for rule in rules}
        self.seen: npt.NDArray[np.bool_] = np.zeros(cells, dtype=np.bool_)
        self.source: npt.NDArray[np.int32] = np.full(cells, -1, dtype=np.int32)
        self.gold_echo: npt.NDArray[np.bool_] = np.zeros(cells, dtype=np.bool_)
        self.bare_letter: npt.NDArray[np.bool_] = np.zeros(cells, dtype=np.bool_)
        self.limited: npt.NDArray[np.int8] = np.full(cells, -1, dtype=np.int8)
        self.frame_count: npt.NDArray[np.float64] = np.full(cells, np.nan)
        self.video_seconds: npt.NDArray[np.float64] = np.full(cells, np.nan)
        self.output: npt.NDArray[np.int64] = np.zeros(cells, dtype=np.int64)
        self.prompt_echo: npt.NDArray[np.bool_] = np.zeros(cells, dtype=np.bool_)
        self.spool = SampleSpool() if keep_samples else None

    def __len__(self) -> int:
        return len(self.names)

    def cells(
        self,
        names: list[str],
        run_of_row: npt.NDArray[np.int64] | None,
        rows: npt.NDArray[np.int64],
    ) -> Cells:
        """Cell of each annotated row in its run; runs that are new get their place.

        Args:
            names: names of the runs that the rows belong to.
            run_of_row: int64[k], place in `names` of each row's run; None where all are names[0].
            rows: int64[k] annotated rows.
        """
        known = self.names
        places = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
        runs = places[0] if run_of_row is None else places[run_of_row]
        cells: Cells = rows + runs * len(self._gold)
        names_count = len(known)
        if names_count > self._capacity:
            self._capacity = max(names_count, 2 * self._capacity)
            self._resize(self._capacity * len(self._gold))
        return cells

    def _resize(self, cell_count: int) -> None:
        for columns in self.rules.values():
            columns.resize(cell_count)
        self.seen = _sized(self.seen, cell_count, False)
        self.source = _sized(self.source, cell_count, -1)
        self.gold_echo = _sized(self.gold_echo, cell_count, False)
        self.bare_letter = _sized(self.bare_letter, cell_count, False)
        self.limited = _sized(self.limited, cell_count, -1)
        self.frame_count = _sized(self.frame_count, cell_count, np.nan)
        self.video_seconds = _sized(self.video_seconds, cell_count, np.nan)
        self.output = _sized(self.output, cell_count, 0)
        self.prompt_echo = _sized(self.prompt_echo, cell_count, False)

    def put(self, batch: RuleBatch, cells: Cells, source: int) -> int:
        """Score a batch of matched rows by every rule set.

        Args:
            batch: the rows, with raw text.
            cells: where each belongs.
            source: number of the file that they come from.

        Returns:
            How many cells had no prediction before.
        """
        self._fields.update(batch.fields)
        filtered = batch.fields.get("filtered")
        readings: dict[str, Reading] = {}
        for rule in self._declared:
            read_batch = batch
            if rule.text == "filtered" and filtered is not None:
                read_batch = batch.with_texts(filtered)
            readings[rule.name] = rule.read(read_batch)
            self.rules[rule.name].put(cells, readings[rule.name])
        seen_before = np.count_nonzero(self.seen)
        self.seen[cells] = True
        self.source[cells] = source
        echo = np.zeros(len(batch), dtype=np.bool_)
        if batch.gold.letters is not None:
            given = batch.bare_letters()
            self.bare_letter[cells] = given >= 0
            echo |= (given >= 0) & (given == batch.gold_letters())
        if batch.gold.answers is not None:
            accepted = batch.accepted_answers()
            echo |= [text in golds for text, golds in zip(batch.texts, accepted, strict=True)]
        self.gold_echo[cells] = echo
        self.limited[cells] = length_limited(batch)
        self.frame_count[cells], self.video_seconds[cells] = frames_seen(batch)
        if batch.gold.letters is None:  # letters say themselves what is constant
            hashes = np.fromiter(map(hash, batch.texts), np.int64, len(batch))
            hashes[hashes == hash(None)] = 0  # as that of an empty text is
            self.output[cells] = hashes
        if batch.gold.intervals is not None:
            self.prompt_echo[cells] = prompt_echoes(batch.texts, batch.fields)
        if self.spool is not None:
            _keep(batch, cells, readings, self.spool)
        return int(np.count_nonzero(self.seen) - seen_before)

    def finish(self, active: npt.NDArray[np.bool_]) -> None:
        """Give absent rows what each rule set gives them, take inactive rows out, shape [runs, n].

        Args:
            active: bool[n], rows that are in the denominator at all.
        """
        run_count, row_count = len(self.names), len(self._gold)
        if run_count != self._capacity:
            self._resize(run_count * row_count)
        everywhere = np.tile(active, run_count)
        absent = np.flatnonzero(everywhere & ~self.seen)
        for rule in self._declared:
            columns = self.rules[rule.name]
            if len(absent) and rule.missing == "wrong":
                # They lack every column that the others have, which a rule may have to know.
                nothing: list[Any] = [None] * len(absent)
                fields = dict.fromkeys(self._fields, nothing)
                missing = RuleBatch(nothing, fields, absent % row_count, self._gold)
                columns.put(absent, rule.read(missing))
            for column in columns.scores.values():
                column[~everywhere] = np.nan
            columns.reshape(row_count)
            columns.scores = derived_scores(
                reported_metrics(rule, self._gold), columns.scores, self._gold
            )
        self.seen = self.seen.reshape(-1, row_count)
        self.source = self.source.reshape(-1, row_count)
        self.gold_echo = self.gold_echo.reshape(-1, row_count)
        self.bare_letter = self.bare_letter.reshape(-1, row_count)
        self.limited = self.limited.reshape(-1, row_count)
        self.frame_count = self.frame_count.reshape(-1, row_count)
        self.video_seconds = self.video_seconds.reshape(-1, row_count)
        self.output = self.output.reshape(-1, row_count)
        self.prompt_echo = self.prompt_echo.reshape(-1, row_count)


def _keep(batch: RuleBatch, cells: Cells, readings: dict[str, Reading], spool: SampleSpool) -> None:
    answers = {name: reading.answers() for name, reading in readings.items()}
    spans = {name: reading.spans.tolist() for name, reading in readings.items()}
    reasons = batch.fields.get("finish_reason", [None] * len(batch))
    counts = list(map(frame_count, batch.fields.get("frames", [None] * len(batch))))
    record: dict[str, list[Any]] = {"finish_reason": reasons, "frame_count": counts}
    for k, (cell, text) in enumerate(zip(cells.tolist(), batch.texts, strict=True)):
        kept: dict[str, Any] = {
            "excerpt": excerpt(text),
            "read": {name: _printable(values[k]) for name, values in answers.items()},
            "span": {name: pairs[k] if pairs[k][0] >= 0 else None for name, pairs in spans.items()},
        }
        kept |= {name: values[k] for name, values in record.items() if values[k] is not None}
        spool.put(cell, kept)


def _printable(value: object) -> object:
    return excerpt(value) if isinstance(value, str) else value
