"""Score a folder of result files as a suite: one table row a benchmark."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError, MissingExtraError
from fastvbench.formats import file_sha256
from fastvbench.protocols._protocol import chosen_rules
from fastvbench.protocols._report_parts import (
    SCHEMA,
    environment_entry,
    metric_entries,
    protocol_entry,
)
from fastvbench.protocols._score_answers import ScoreRequest, gold_of_files
from fastvbench.protocols._settings import score_settings
from fastvbench.protocols._suite_annotations import (
    AnnotationFolder,
    answer_protocol,
    find_annotations,
)
from fastvbench.protocols._suite_files import FolderFiles, assign_predictions, list_files
from fastvbench.results._result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.protocols._rule import AnyRule, Rule
    from fastvbench.protocols._suite_protocol import SuitePart, SuiteProtocol
    from fastvbench.results._metrics import Metric

__all__ = ["score_suite"]

Folder = str | os.PathLike[str]


@dataclass(slots=True)
class _Row:
    """One row of the suite: its benchmark's result, or why there is none."""

    part: SuitePart
    protocol: AnswerProtocol
    columns: dict[str, Rule]  # column of the suite to rule set of the benchmark
    result: Result | None = None
    problem: str | None = None

    @property
    def status(self) -> str:
        """``scored``, ``missing`` (no file) or ``failed`` (files that cannot be scored)."""
        if self.result is not None:
            return "scored"
        return "missing" if self.problem is None else "failed"

    def metric(self, column: str) -> Metric:
        """The metric that a column shows: the main one of the rule set behind it."""
        return self.columns[column].metrics[0]

    def covered(self) -> bool:
        """Whether enough of the benchmark's rows have an answer."""
        if self.result is None:
            return False
        coverage = self.result.data["coverage"]
        enough: bool = coverage["scored"] >= coverage["limit"] * coverage["expected"]
        return enough


@dataclass(frozen=True, slots=True)
class _Found:
    """What the folders hold."""

    files: FolderFiles
    golds: AnnotationFolder
    folders: list[str]


def score_suite(
    suite: SuiteProtocol,
    predictions: Folder | Sequence[Folder],
    annotations: Folder | None = None,
    *,
    rules: str | Sequence[str] | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Score every benchmark of a suite that a folder holds results of.

    Args:
        suite: the declaration.
        predictions: a folder of result files, or several folders and files.
        annotations: a folder with the benchmarks' annotations; None where all files carry theirs.
        rules: columns to show, the first being the main one; None for all.
        seed: of the confidence intervals.
        progress: called with the number of rows read so far.

    Returns:
        A result of kind ``suite``: under each rule set a value for each row, beside it each
        benchmark's own result, what was used and what was left.

    Raises:
        InputError: no such folder, or not one file of a benchmark of the suite in it.
    """
    columns = chosen_rules(suite.rules, rules, suite.name)
    sources = [predictions] if isinstance(predictions, str | os.PathLike) else list(predictions)
    for source in sources:
        if not isinstance(source, str | os.PathLike):
            raise InputError(
                "a suite is scored from files", value=source, expected="a folder of result files"
            )
    golds = find_annotations(annotations, suite.parts)
    known = {name: found.gold for name, found in golds.of_protocol.items()}
    files = assign_predictions(list_files(sources), suite.parts, known)
    if not files.of_part:
        left = "; ".join(f"{name}: {reason}" for name, reason in files.unassigned.items())
        raise InputError(
            f"no result file of {suite.title} in it" + (f" ({left})" if left else ""),
            path=sources[0],
            expected="files named after their benchmarks",
        )
    rows_before = 0

    def of_all(rows: int) -> None:
        if progress is not None:
            progress(rows_before + rows)

    request = ScoreRequest(seed=seed, samples=False, progress=of_all)
    scored = []
    for part in suite.parts:
        row = _row(part, columns)
        _score_row(row, files, golds, request)
        if row.result is not None:
            rows_before += row.result.data["coverage"]["expected"]
        scored.append(row)
    found = _Found(files, golds, [Path(source).name for source in sources])
    return Result(
        _report(suite, columns, scored, found),
        metrics={column.name: _shown_metrics(column.name, scored) for column in columns},
    )


def _row(part: SuitePart, columns: Sequence[AnyRule]) -> _Row:
    protocol = answer_protocol(part.protocol)
    has = {rule.name: rule for rule in protocol.rules}
    behind = {}
    for column in columns:
        wanted = part.rules.get(column.name, (column.name,))
        name = next((name for name in wanted if name in has), None)
        if name is not None:
            behind[column.name] = has[name]
    return _Row(part, protocol, behind)


def _score_row(
    row: _Row, files: FolderFiles, golds: AnnotationFolder, request: ScoreRequest
) -> None:
    assigned = files.of_part.get(row.part.key)
    if not assigned or not row.columns:
        return
    name = row.part.protocol
    annotations = golds.of_protocol.get(name)
    verdicts = files.verdicts.get(name)
    try:
        if annotations is None and name in golds.problems:
            raise InputError(f"its annotations cannot be used: {golds.problems[name]}")
        opened = [each.file for each in assigned]
        gold = gold_of_files(row.protocol, opened) if annotations is None else annotations.gold
        row.result = score_settings(
            row.protocol,
            tuple({rule.name: rule for rule in row.columns.values()}.values()),
            {None if row.part.setting is None else row.part.setting.subset: opened},
            gold,
            annotations=None if annotations is None else annotations.source,
            request=replace(request, verdicts=None if verdicts is None else verdicts.path),
        )
    except (InputError, MissingExtraError) as error:
        row.problem = str(error)


def _shown_metrics(column: str, rows: Sequence[_Row]) -> tuple[Metric, ...]:
    """A metric a row, named after the row: `Result.value` and tables find them by it."""
    return tuple(
        replace(
            row.metric(column),
            key=row.part.key,
            title=row.part.title,
            statistic="mean",
            over=None,
        )
        for row in rows
        if column in row.columns
    )


def _report(
    suite: SuiteProtocol,
    columns: Sequence[AnyRule],
    rows: Sequence[_Row],
    found: _Found,
) -> dict[str, Any]:
    core = [row for row in rows if row.part.core]
    shown = [metric for column in columns for metric in _shown_metrics(column.name, rows)]
    return {
        "schema": SCHEMA,
        "kind": "suite",
        "protocol": protocol_entry(suite),
        "main": {"rule": columns[0].name, "metric": rows[0].part.key},
        "rules": {column.name: _column(column, rows) for column in columns},
        "metrics": metric_entries(shown),
        "rows": {row.part.key: _described(row, found) for row in rows},
        "coverage": {
            "expected": len(core),
            "scored": sum(row.covered() for row in core),
            "missing": sum(row.status == "missing" for row in core),
            "failed": sum(row.status == "failed" for row in rows),
            "limit": suite.coverage_limit,
        },
        "unassigned": {
            "predictions": found.files.unassigned,
            "annotations": found.golds.unassigned,
        },
        "warnings": list(_warnings(rows)),
        "inputs": {"folders": found.folders},
        "results": {row.part.key: row.result.data for row in rows if row.result is not None},
        "environment": environment_entry(),
    }


def _column(column: AnyRule, rows: Sequence[_Row]) -> dict[str, Any]:
    overall = {}
    for row in rows:
        if column.name not in row.columns or row.result is None:
            continue
        rule, metric = row.columns[column.name], row.metric(column.name)
        entry = row.result.data["rules"][rule.name]["overall"][metric.key]
        overall[row.part.key] = {"metric": metric.key, "rule": rule.name} | entry
    return {"overall": overall, "source": column.source}


def _described(row: _Row, folders: _Found) -> dict[str, Any]:
    """What a row was made of."""
    part, result = row.part, row.result
    files, golds = folders.files, folders.golds
    entry: dict[str, Any] = {
        "title": part.title,
        "protocol": part.protocol,
        "setting": None if part.setting is None else part.setting.subset,
        "core": part.core,
        "status": row.status,
        "files": [
            {"name": each.name, "format": each.file.format, "found_by": list(each.found_by)}
            for each in files.of_part.get(part.key, ())
        ],
    }
    found = golds.of_protocol.get(part.protocol)
    if found is not None:
        entry["annotations"] = found.source.name
        if found.durations is not None:
            entry["durations"] = {
                "name": found.durations.name,
                "sha256": file_sha256(found.durations),
            }
    if part.protocol in files.verdicts and result is not None:
        entry["verdicts"] = files.verdicts[part.protocol].name
    if row.problem is not None:
        entry["problem"] = row.problem
    if result is not None:
        coverage: Mapping[str, Any] = result.data["coverage"]
        entry["coverage"] = {
            name: coverage[name] for name in ("expected", "scored", "missing", "status")
        }
        entry["covered"] = row.covered()
    return entry


def _warnings(rows: Sequence[_Row]) -> Sequence[str]:
    warnings = []
    for row in rows:
        if row.problem is not None:
            warnings.append(f"{row.part.title}: {row.problem}")
        if row.result is not None:
            warnings += [f"{row.part.title}: {text}" for text in row.result.data["warnings"]]
    return warnings
