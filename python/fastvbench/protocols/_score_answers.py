"""From open prediction files and annotations to a result: join, apply every rule set, sum up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.formats import PredictionFile, open_predictions
from fastvbench.protocols._join import join_batch
from fastvbench.protocols._report import ScoredRuns
from fastvbench.protocols._rule import RuleBatch
from fastvbench.protocols._run_columns import RunTable
from fastvbench.protocols._subset import read_subset
from fastvbench.protocols._verdicts import VerdictSource, join_verdicts

if TYPE_CHECKING:
    from fastvbench.formats import PredictionBatch
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.protocols._rule import Rule

__all__ = [
    "ScoreRequest",
    "gold_of_files",
    "open_files",
    "read_answers",
    "refuse_repeated_ids",
]

MOST_RUNS = 1_024  # a table of every run is held in memory

Ids = str | os.PathLike[str] | Iterable[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRequest:
    """What a caller may ask for beside files and annotations; see `score`."""

    repeats: bool = False
    subset: Ids | None = None
    exclude: Ids | None = None
    verdicts: VerdictSource | None = None
    seed: int = 0
    samples: bool = True
    progress: Callable[[int], None] | None = None


def read_answers(
    protocol: AnswerProtocol,
    rules: tuple[Rule, ...],
    files: list[PredictionFile],
    gold: Gold,
    *,
    annotations: object,
    request: ScoreRequest,
    setting: str | None = None,
) -> ScoredRuns:
    """Read open files and apply every rule set; nothing is summed up yet.

    Args:
        protocol: the benchmark.
        rules: which of its rule sets, the main one first.
        files: what the model said.
        gold: the annotations.
        annotations: where they came from, for the record; None where the files carry them.
        request: everything else.
        setting: the input setting that the files are of, where that is known.

    Raises:
        InputError: a file, row or argument that cannot be used, in one line.
    """
    refuse_repeated_ids(gold, annotations)
    restriction = read_subset(gold, request.subset, request.exclude)
    table = RunTable(rules, gold, keep_samples=request.samples)
    joined = join_verdicts(request.verdicts, gold)
    scored = ScoredRuns(
        protocol, rules, gold, restriction, files, annotations, table, request.seed, joined
    )
    scored.setting = setting
    _read_runs(scored, repeats=request.repeats, progress=request.progress)
    if joined is not None:
        joined.check_runs(table)
    table.finish(restriction.active)
    return scored


def open_files(
    predictions: object, format: str | None, id_field: str | None, text_field: str | None
) -> list[PredictionFile]:
    """Open one path, several paths of one run, or rows in memory.

    Raises:
        InputError: not readable as predictions.
    """
    if isinstance(predictions, Sequence) and not isinstance(predictions, str) and predictions:
        several = all(isinstance(p, str | os.PathLike) for p in predictions)
        sources: list[Any] = list(predictions) if several else [predictions]
    else:
        sources = [predictions]
    return [
        open_predictions(source, format=format, id_field=id_field, text_field=text_field)
        for source in sources
    ]


def gold_of_files(protocol: AnswerProtocol, files: list[PredictionFile]) -> Gold:
    """Gold that the prediction files carry themselves.

    Raises:
        InputError: they carry none, or nothing that tells their rows apart.
    """
    first = files[0]
    if protocol.gold_fields is None or not all(file.carries_gold for file in files):
        raise InputError(
            f"{protocol.name} needs annotations, this {first.format} file carries no gold answers",
            path=first.path,
            expected="--annotations FILE",
        )
    columns: dict[str, list[Any]] = {"id": []}
    count = 0
    for file in files:
        for batch in file.batches():
            columns["id"].extend(batch.ids)
            for name, values in batch.fields.items():
                column = columns.setdefault(name, [])
                column.extend([None] * (count - len(column)))
                column.extend(values)
            count += len(batch.ids)
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    tells_rows_apart = "query" in columns or {"video", "order"} <= columns.keys()
    if not tells_rows_apart and None in columns["id"]:
        raise InputError(
            "carries gold answers, but neither ids nor queries that tell rows apart",
            path=first.path,
            expected="--annotations FILE",
        )
    return protocol.gold_fields(columns)


def refuse_repeated_ids(gold: Gold, annotations: object) -> None:
    """Refuse annotations in which an id stands twice.

    Raises:
        InputError: one does.
    """
    if len(gold.row_of_id) < len(gold):
        seen: set[str] = set()
        for place, ident in enumerate(gold.ids, 1):
            if ident in seen:
                raise InputError(
                    f"the same id stands twice in the annotations (again as question {place:,})",
                    path=annotations if isinstance(annotations, str | os.PathLike) else None,
                    field="id",
                    value=ident,
                    expected="unique ids",
                )
            seen.add(ident)


def _read_runs(
    scored: ScoredRuns, *, repeats: bool, progress: Callable[[int], None] | None
) -> None:
    """Read all files and fill `scored.table` and `scored.join`."""
    for number, file in enumerate(scored.files):
        for batch in file.batches():
            rows = join_batch(batch, scored.gold, file.path, scored.join)
            kept = np.flatnonzero(rows >= 0)
            if len(kept):
                matched = batch if len(kept) == len(batch) else batch.take(kept.tolist())
                names, run_of_row = _runs_of(matched, file.path, number, repeats)
                if len(names) + len(scored.table) > MOST_RUNS:
                    _refuse_many_runs(scored.table, names, file.path)
                cells = scored.table.cells(names, run_of_row, rows[kept])
                _refuse_second_file(scored, matched, rows[kept], cells, number)
                rule_batch = RuleBatch(matched.texts, matched.fields, rows[kept], scored.gold)
                if scored.verdicts is not None:
                    rule_batch.verdicts = scored.verdicts.of_rows(names, run_of_row, rows[kept])
                fresh = scored.table.put(rule_batch, cells, number)
                scored.join.duplicates += len(cells) - fresh
            if progress is not None:
                progress(scored.join.rows)
    if not len(scored.table):
        examples = ", ".join(scored.join.unexpected_examples) or "none"
        raise InputError(
            f"no prediction belongs to an annotated row (ids such as {examples})",
            path=scored.files[0].path,
            field="id",
            expected=f"ids such as {', '.join(scored.gold.ids[:3])}",
        )


def _refuse_many_runs(table: RunTable, names: list[str], path: Path | str) -> None:
    if len({*table.names, *names}) > MOST_RUNS:
        raise InputError(
            f"more than {MOST_RUNS:,} runs",
            path=path,
            field="sample",
            expected="the number of a repeated generation, not a name of each row",
        )


def _runs_of(
    batch: PredictionBatch, path: Path | str, file_number: int, repeats: bool
) -> tuple[list[str], npt.NDArray[np.int64] | None]:
    """Names of the runs of the batch, and which one each row belongs to (None: all to the one).

    Raises:
        InputError: a ``sample`` field that names no sample.
    """
    prefix = f"file {file_number + 1}" if repeats else ""
    samples = batch.fields.get("sample")
    if samples is None or not (set(map(type, samples)) - {type(None)}):
        return [prefix], None
    if set(map(type, samples)) - {type(None), str, int, float, bool}:
        place = next(
            k for k, s in enumerate(samples) if not isinstance(s, str | int | float | None)
        )
        raise InputError(
            "not the number or name of a sample",
            path=path,
            line=batch.lines[place],
            field="sample",
            value=samples[place],
            expected="a number or text",
        )
    number_of = {sample: number for number, sample in enumerate(dict.fromkeys(samples))}
    numbers = np.array([number_of[sample] for sample in samples], dtype=np.int64)
    return [f"{prefix} sample {sample}".lstrip() for sample in number_of], numbers


def _refuse_second_file(
    scored: ScoredRuns,
    batch: PredictionBatch,
    rows: npt.NDArray[np.int64],
    cells: npt.NDArray[np.int64],
    number: int,
) -> None:
    """The same id in two files of one run is an error: which of them counts?"""
    earlier = scored.table.source[cells]
    clash = np.flatnonzero((earlier >= 0) & (earlier != number))
    if len(clash):
        k = int(clash[0])
        raise InputError(
            f"the same id stands in {scored.files[int(earlier[k])].path} too",
            path=scored.files[number].path,
            line=batch.lines[k],
            field="id",
            value=scored.gold.ids[int(rows[k])],
            expected="each id in one file, or --repeats for several runs",
        )
