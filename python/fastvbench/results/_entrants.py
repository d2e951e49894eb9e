"""Models that are compared: the rows of each, means over its runs, and rows that two have alike."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.results._metrics import Metric, metrics_of
from fastvbench.results._model_names import model_of
from fastvbench.results._result import Result
from fastvbench.results._samples import SampleTable
from fastvbench.results._samples_file import read_samples, result_path, samples_of

__all__ = [
    "Entrant",
    "ModelSource",
    "PairedRows",
    "open_entrants",
    "paired_rows",
]

FloatArray = npt.NDArray[np.float64]

ModelSource: TypeAlias = (
    str
    | os.PathLike[str]
    | Result
    | SampleTable
    | Sequence[str | os.PathLike[str] | Result | SampleTable]
)


@dataclass(frozen=True, slots=True)
class Entrant:
    """One model: its runs on one benchmark.

    Attributes:
        name: how tables and sentences call it.
        runs: a table a run, all of one rule set and one input setting.
        row_of_id: row of each id in each run.
    """

    name: str
    runs: list[SampleTable]
    row_of_id: list[dict[str, int]]

    @property
    def first(self) -> SampleTable:
        """The first run, which also stands for what all have alike."""
        return self.runs[0]

    def metrics(self, rule: str) -> dict[str, Metric]:
        """What a rule set reports of it, by key."""
        return metrics_of(self.first.result, rule)

    def means(self, rule: str, key: str, ids: Sequence[str]) -> FloatArray:
        """float64[len(ids)]: each row's mean over the runs that score it, NaN where none does."""
        if len(self.runs) == 1:
            rows = self.row_of_id[0]
            return self.first.rules[rule].scores[key][[rows[ident] for ident in ids]]
        columns = np.full((len(self.runs), len(ids)), np.nan)
        for column, run, rows in zip(columns, self.runs, self.row_of_id, strict=True):
            known = [(k, rows[ident]) for k, ident in enumerate(ids) if ident in rows]
            where, places = np.array(known, np.int64).reshape(-1, 2).T
            column[where] = run.rules[rule].scores[key][places]
        counted = (~np.isnan(columns)).sum(axis=0)
        totals = np.nansum(columns, axis=0)
        return np.where(counted > 0, totals / np.maximum(counted, 1), np.nan)


def open_entrants(
    sources: Sequence[ModelSource],
    *,
    names: Sequence[str] | None = None,
    setting: str | None = None,
) -> list[Entrant]:
    """Read the results of several models.

    Args:
        sources: per model a result (a path, one in memory, or its rows), or a list of them: runs
            that differ in nothing but the seed.
        names: what the models are called; None for names of files and folders.
        setting: the input setting to compare; None for the main one.

    Raises:
        InputError: a result that cannot be read or has no rows, or names that do not fit.
        TypeError: something that is no result.
    """
    listed = [list(s) if isinstance(s, list | tuple) else [s] for s in sources]
    opened = [[_opened(one) for one in several] for several in listed]
    labels = _labels(opened, listed) if names is None else list(names)
    if len(labels) != len(opened) or len(set(labels)) < len(labels):
        raise InputError(
            "names do not fit the results",
            field="names",
            value=labels,
            expected=f"{len(opened)} different names",
        )
    return [_entrant(name, tables, setting) for name, tables in zip(labels, opened, strict=True)]


def _opened(source: object) -> SampleTable:
    if isinstance(source, SampleTable):
        return source
    if isinstance(source, Result):
        return samples_of(source)
    if isinstance(source, str | os.PathLike):
        return read_samples(source, excerpts=False)
    raise TypeError(f"a result is a path or what score returns, not {type(source).__name__}")


def _labels(opened: list[list[SampleTable]], sources: list[list[Any]]) -> list[str]:
    """The models' names; where they do not tell results apart, the files' with their folders."""
    paths = []
    models = []
    for place, (tables, given) in enumerate(zip(opened, sources, strict=True), 1):
        if isinstance(given[0], str | os.PathLike):
            target = result_path(given[0]).absolute()
            paths.append([*target.parts[1:-1], target.name.removesuffix(".json")])
            models.append(model_of(target, tables[0].result))
        else:
            paths.append([f"model {place}"])
            models.append(f"model {place}")
    if len(set(models)) == len(models):
        return models
    if all(parts[-1] == "result" for parts in paths):
        paths = [parts[:-1] for parts in paths]  # run folders are known by their own names
    for depth in range(1, max(map(len, paths)) + 1):
        labels = ["/".join(parts[-depth:]) for parts in paths]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{parts[-1]} ({place})" for place, parts in enumerate(paths, 1)]


def _entrant(name: str, tables: list[SampleTable], setting: str | None) -> Entrant:
    runs = []
    for table in tables:
        if setting is not None and setting not in table.setting_names:
            raise InputError(
                "the result has no such input setting",
                path=table.path,
                field="setting",
                value=setting,
                expected=", ".join(table.setting_names) or "none, it names no setting",
            )
        chosen = table.of_setting(setting)
        runs += [chosen.of_run(run) for run in chosen.run_names]
    return Entrant(name, runs, [dict(zip(run.ids, range(len(run)), strict=True)) for run in runs])


@dataclass(frozen=True, slots=True)
class PairedRows:
    """Rows that two models have alike.

    Attributes:
        ids: their ids, in the first model's order.
        rows: int64[n], their places in the first model's first run.
        only_a: rows of the first model that the second lacks.
        only_b: the other way round.
    """

    ids: list[str]
    rows: npt.NDArray[np.int64]
    only_a: int
    only_b: int


def paired_rows(a: Entrant, b: Entrant, *, mixed: bool) -> PairedRows:
    """The rows of both models, where their annotations agree.

    Raises:
        InputError: no row in common, or rows whose right answer differs, unless `mixed`.
    """
    of_a, of_b = a.row_of_id[0], b.row_of_id[0]
    ids = [ident for ident in a.first.ids if ident in of_b]
    if not ids:
        raise InputError(
            f"{a.name} and {b.name} have no question in common",
            path=b.first.path,
            field="id",
            value=b.first.ids[0],
            expected=f"ids such as {a.first.ids[0]}",
        )
    rows = np.array([of_a[ident] for ident in ids], np.int64)
    if not mixed:
        others = np.array([of_b[ident] for ident in ids], np.int64)
        differs = _different_gold(a.first, rows, b.first, others)
        if differs.any():
            raise InputError(
                f"the right answer differs on {int(differs.sum()):,} rows from that in {a.name}",
                path=b.first.path,
                field="id",
                value=ids[int(differs.argmax())],
                expected="results of one annotation file (or --mixed)",
            )
    return PairedRows(ids, rows, len(of_a) - len(ids), len(of_b) - len(ids))


def _different_gold(
    a: SampleTable, rows: npt.NDArray[np.int64], b: SampleTable, others: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """bool[n]: rows whose letter, answers, intervals or relevant items are not the same."""
    first, second = a.gold.take(rows), b.gold.take(others)
    differs = np.zeros(len(rows), dtype=np.bool_)
    if first.letters is not None and second.letters is not None:
        differs |= first.letters != second.letters
    for left, right in ((first.answers, second.answers), (first.relevant, second.relevant)):
        differs |= np.array([x != y for x, y in zip(left, right, strict=True)], np.bool_)
    if first.intervals is not None and second.intervals is not None:
        pairs = zip(first.intervals.rows(), second.intervals.rows(), strict=True)
        differs |= np.array([x != y for x, y in pairs], np.bool_)
    return differs
