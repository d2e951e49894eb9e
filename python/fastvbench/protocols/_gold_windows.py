"""Gold intervals of annotation files: any number a row, ordered, clamped and counted."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.core._numbers import as_float
from fastvbench.intervals import Intervals
from fastvbench.protocols._durations import durations_of
from fastvbench.protocols._gold import Gold

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastvbench.protocols._annotations import Record
    from fastvbench.protocols._rule import RuleBatch

__all__ = ["GoldRows", "duration_of", "listed_windows", "raw_windows", "windows_of"]

Pairs = list[tuple[float, float]]
_RAW = "gold_windows"


@dataclass(slots=True)
class GoldRows:
    """Annotated rows as they are read, one call of `add` each."""

    ids: list[str] = field(default_factory=list)
    videos: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    windows: list[Pairs] = field(default_factory=list)
    durations: list[float] = field(default_factory=list)

    def add(self, ident: str, video: str, query: str, windows: Pairs, duration: float) -> None:
        """One more row: seconds as the file gives them, NaN for an unknown duration."""
        self.ids.append(ident)
        self.videos.append(video)
        self.queries.append(query)
        self.windows.append(windows)
        self.durations.append(duration)

    def gold(self, lengths: Path | None) -> Gold:
        """The rows as columns.

        For `robust`, reversed windows are swapped and ends beyond the video clamped to it;
        published rule sets see the numbers as the file gives them (`raw_windows`). What was found
        is counted.

        Args:
            lengths: file with video lengths, for annotations that have none.
        """
        ledger: dict[str, int] = {}
        known = np.array(self.durations, np.float64)
        durations = durations_of(
            self.videos, lengths, None if np.isnan(known).all() else known, ledger
        )
        counts = np.fromiter(map(len, self.windows), np.int64, len(self.windows))
        values = np.array([pair for row in self.windows for pair in row], np.float64).reshape(-1, 2)
        return Gold(
            ids=self.ids,
            videos=self.videos,
            queries=self.queries,
            intervals=_ordered(values, counts, durations, ledger),
            raw_intervals=np.array(
                [row[0] if row else (np.nan, np.nan) for row in self.windows], np.float64
            ).reshape(-1, 2),
            durations=durations,
            columns={_RAW: self.windows},
            ledger={key: count for key, count in ledger.items() if count},
        )


def _ordered(
    values: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    durations: npt.NDArray[np.float64] | None,
    ledger: dict[str, int],
) -> Intervals:
    ordered = np.sort(values, axis=1)
    ends = np.full(len(values), np.inf)
    if durations is not None:
        ends = np.repeat(np.where(np.isnan(durations), np.inf, durations), counts)
    ledger["gold_reversed_swapped"] = int((values[:, 1] < values[:, 0]).sum())
    ledger["gold_beyond_duration_clamped"] = int((ordered[:, 1] > ends).sum())
    ledger["gold_before_zero_clamped"] = int((ordered[:, 0] < 0).sum())
    clamped = np.clip(ordered, 0.0, ends[:, None])
    ledger["gold_zero_length"] = int((clamped[:, 0] == clamped[:, 1]).sum())
    ledger["gold_without_interval"] = int((counts == 0).sum())
    return Intervals(clamped, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def raw_windows(batch: RuleBatch) -> list[Pairs]:
    """Gold windows of each row of a batch, as the annotation file gives them."""
    windows: list[Pairs] | None = batch.gold.columns.get(_RAW)
    if windows is not None:
        return [windows[row] for row in batch.rows.tolist()]
    single = batch.gold.raw_intervals
    assert single is not None
    return [[] if np.isnan(start) else [(start, end)] for start, end in single[batch.rows].tolist()]


def windows_of(record: Record, name: str) -> Pairs:
    """The windows in one field of a record: a list of pairs, or one pair.

    Raises:
        InputError: anything else.
    """
    return listed_windows(record, name, record.values.get(name))


def listed_windows(record: Record, name: str, value: object) -> Pairs:
    """`value` as windows; see `windows_of`."""
    if not isinstance(value, list | tuple):
        raise record.error("not windows", name, "[[start, end], ...] in seconds", value)
    pairs: Sequence[object] = value
    if value and not isinstance(value[0], list | tuple):
        pairs = [value]
    return [record.seconds_pair(name, pair) for pair in pairs]


def duration_of(record: Record, value: object) -> float:
    """A video's length in seconds, NaN where the record has none.

    Raises:
        InputError: it is no positive number.
    """
    if value is None:
        return float("nan")
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not (value > 0 and math.isfinite(as_float(value)))
    ):
        raise record.error("not a duration", "duration", "seconds > 0", value)
    return float(value)
