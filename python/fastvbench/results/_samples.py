"""The rows behind a result as columns: what every reader of a samples file works on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import STATUS_NAMES
from fastvbench.intervals import Intervals
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["GoldColumns", "RuleSamples", "SampleTable", "letter_text"]

FloatArray = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def letter_text(index: int) -> str | None:
    """The letter of an option number, None for -1."""
    return None if index < 0 else chr(ord("A") + index)


@dataclass(frozen=True, slots=True)
class RuleSamples:
    """What one rule set made of n rows.

    Attributes:
        scores: float64[n] by metric key, NaN where a row is not in the denominator.
        status: uint8[n] (core.Status).
        letters: int8[n] option that was read, -1 for none or where the rule set reads none.
        aborts: bool[n], the public script would have stopped here.
        judged: bool[n], the score is a judge's verdict.
        spans: int64[n, 2] bytes of the text that were read, (-1, -1) where that is not known.
        reads: what was read, as JSON values.
        interval_status: uint8[n] of rules that read a letter and intervals; else None.
    """

    scores: Mapping[str, FloatArray]
    status: npt.NDArray[np.uint8]
    letters: npt.NDArray[np.int8]
    aborts: npt.NDArray[np.bool_]
    judged: npt.NDArray[np.bool_]
    spans: npt.NDArray[np.int64]
    reads: list[Any]
    interval_status: npt.NDArray[np.uint8] | None = None

    def given_intervals(self) -> Intervals:
        """The intervals that were read, in seconds; none where a row gave none."""
        return Intervals.from_rows([_pairs(read) for read in self.reads])

    def take(self, rows: Rows) -> RuleSamples:
        """The rows at these places."""
        return RuleSamples(
            scores={key: column[rows] for key, column in self.scores.items()},
            status=self.status[rows],
            letters=self.letters[rows],
            aborts=self.aborts[rows],
            judged=self.judged[rows],
            spans=self.spans[rows],
            reads=[self.reads[row] for row in rows.tolist()],
            interval_status=None if self.interval_status is None else self.interval_status[rows],
        )


def _pairs(read: object) -> list[tuple[float, float]]:
    """Intervals of a value that was read: a list of pairs, or an object that holds one."""
    listed = read.get("intervals") if isinstance(read, dict) else read
    if not isinstance(listed, list):
        return []
    return [
        (float(pair[0]), float(pair[1]))
        for pair in listed
        if isinstance(pair, list)
        and len(pair) in (2, 3)  # a third number is how sure the model is
        and all(isinstance(end, int | float) for end in pair[:2])
    ]


@dataclass(frozen=True, slots=True)
class GoldColumns:
    """What is right, and what is known of each question.

    Attributes:
        letters: int8[n] right option, -1 for none; None where no row has one.
        option_counts: int32[n] options of each question, 0 where that is not known.
        intervals: right intervals in seconds; None where no row has any.
        answers: accepted short answers; empty lists where a row has none.
        durations_seconds: float64[n] video length, NaN where unknown.
        evidence_seconds: float64[n, 2] begin and end of where in the video the answer is to be
            found, NaN where unknown.
        relevant: items that a query should find (retrieval); empty lists elsewhere.
    """

    letters: npt.NDArray[np.int8] | None
    option_counts: npt.NDArray[np.int32]
    intervals: Intervals | None
    answers: list[list[str]]
    durations_seconds: FloatArray
    evidence_seconds: FloatArray
    relevant: list[list[str]]

    def take(self, rows: Rows) -> GoldColumns:
        """The rows at these places."""
        places = rows.tolist()
        return GoldColumns(
            letters=None if self.letters is None else self.letters[rows],
            option_counts=self.option_counts[rows],
            intervals=None if self.intervals is None else self.intervals.take(rows),
            answers=[self.answers[row] for row in places],
            durations_seconds=self.durations_seconds[rows],
            evidence_seconds=self.evidence_seconds[rows],
            relevant=[self.relevant[row] for row in places],
        )


@dataclass(frozen=True, slots=True)
class SampleTable:
    """n rows of a result: one a run, input setting and annotated question.

    Attributes:
        result: the content of result.json.
        name: the result file's name; how messages and tables call it.
        path: the samples file, None for a result in memory.
        ids: id of each row; rows of several runs or settings share theirs.
        clusters: video of each row.
        strata: groups of rows.
        rules: by rule set, the main one first.
        gold: what is right.
        excerpts: at most 2,000 characters of what the model said, None where it said nothing.
        runs: name of the run of each row; None where there is one run.
        settings: input setting of each row; None where the result names none.
        groups: rows that are one question in several orders of its options share a group; None
            where every question stands once.
        finish_reasons: why the generation ended, None where that is not known.
        frame_counts: float64[n] frames that the model saw, NaN where that is not known.
        places: int64[n, 2] items above and tied with the best relevant one (retrieval), (-1, -1)
            where it has no place; None for other benchmarks.
    """

    result: dict[str, Any]
    name: str
    path: Path | None
    ids: list[str]
    clusters: list[str]
    strata: dict[str, Stratum]
    rules: dict[str, RuleSamples]
    gold: GoldColumns
    excerpts: list[str | None]
    runs: list[str] | None = None
    settings: list[str] | None = None
    groups: list[str] | None = None
    finish_reasons: list[str | None] = field(default_factory=list)
    frame_counts: FloatArray = field(default_factory=lambda: np.zeros(0))
    places: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def main_rule(self) -> str:
        """The rule set that headlines the result."""
        return str(self.result["main"]["rule"])

    @property
    def main_metric(self) -> str:
        """The metric that headlines the result."""
        return str(self.result["main"]["metric"])

    @property
    def run_names(self) -> list[str]:
        """Names of the runs, in order; one empty name where there is one run."""
        return [""] if self.runs is None else list(dict.fromkeys(self.runs))

    @property
    def setting_names(self) -> list[str]:
        """Names of the input settings, the main one first; empty where the result names none."""
        return [] if self.settings is None else list(dict.fromkeys(self.settings))

    def ledger_class(self, rule: str | None = None) -> list[str]:
        """The one class of the coverage ledger that each row is in: its status by a rule set.

        Args:
            rule: the rule set, None for the main one.
        """
        status = self.rules[rule or self.main_rule].status
        return [STATUS_NAMES[code] for code in status.tolist()]

    def of_setting(self, setting: str | None = None) -> SampleTable:
        """The rows of one input setting; None for the main one."""
        if self.settings is None:
            return self
        wanted = setting if setting is not None else self.setting_names[0]
        return self.take(np.flatnonzero(np.array([name == wanted for name in self.settings])))

    def of_run(self, run: str) -> SampleTable:
        """The rows of one run."""
        if self.runs is None:
            return self
        return self.take(np.flatnonzero(np.array([name == run for name in self.runs])))

    def take(self, rows: Rows) -> SampleTable:
        """The rows at these places, in this order."""
        places = rows.tolist()

        def of(values: Sequence[Any] | None) -> Any:
            return None if values is None else [values[row] for row in places]

        return replace(
            self,
            ids=of(self.ids),
            clusters=of(self.clusters),
            strata={name: _taken(stratum, rows) for name, stratum in self.strata.items()},
            rules={name: rule.take(rows) for name, rule in self.rules.items()},
            gold=self.gold.take(rows),
            excerpts=of(self.excerpts),
            runs=of(self.runs),
            settings=of(self.settings),
            groups=of(self.groups),
            finish_reasons=of(self.finish_reasons),
            frame_counts=self.frame_counts[rows],
            places=None if self.places is None else self.places[rows],
        )


def _taken(stratum: Stratum, rows: Rows) -> Stratum:
    names = stratum.of_row()
    return Stratum.multiple([names.get(row, []) for row in rows.tolist()], stratum.categories)
