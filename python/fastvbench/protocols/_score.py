"""Score saved answers: read, join, apply every rule set, summarise. No model, no GPU, no key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._collection import paused_collection
from fastvbench.core._errors import InputError
from fastvbench.formats import PredictionBatch, PredictionFile, open_predictions
from fastvbench.protocols._derived import reported_metrics
from fastvbench.protocols._join import join_batch
from fastvbench.protocols._protocol import (
    AnswerProtocol,
    Protocol,
    ScoreOptions,
    chosen_rules,
)
from fastvbench.protocols._registry import get_protocol
from fastvbench.protocols._report import ScoredRuns, build_report, sample_rows
from fastvbench.protocols._retrieval_rule import RetrievalProtocol
from fastvbench.protocols._retrieve import retrieve
from fastvbench.protocols._rule import RuleBatch
from fastvbench.protocols._run_columns import RunTable
from fastvbench.protocols._subset import read_subset
from fastvbench.protocols._verdicts import VerdictSource, join_verdicts
from fastvbench.results._result import Result

if TYPE_CHECKING:
    from fastvbench.protocols._gold import Gold

__all__ = ["score"]

MOST_RUNS = 1_024  # a table of every run is held in memory


@paused_collection()
def score(
    protocol: str | Protocol,
    predictions: object,
    annotations: object = None,
    *,
    rules: str | Sequence[str] | None = None,
    format: str | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    durations: str | os.PathLike[str] | None = None,
    repeats: bool = False,
    subset: str | os.PathLike[str] | Iterable[str] | None = None,
    exclude: str | os.PathLike[str] | Iterable[str] | None = None,
    verdicts: VerdictSource | None = None,
    seed: int = 0,
    samples: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Result:
    r"""Score what a model said, or finished rankings.

    Args:
        protocol: name of a benchmark (`list_protocols()`) or a Protocol.
        predictions: a path, several paths (one run), ``{id: text}``, or a list of dicts with
            ``id`` and ``text``. For a retrieval benchmark, finished rankings: a path, or
            ``{query id: [item ids, best first]}``; `retrieve` takes embeddings, and options.
        annotations: a path or a list of dicts; None where the prediction files carry their gold.
            For a retrieval benchmark the truth: a path, or ``{query id: [item ids]}``; None where
            a query's item has the query's id.
        rules: names of rule sets to apply (a list, or one text with commas), the first being the
            main one; None for all.
        format: name of the prediction format, None to detect it.
        id_field: field that holds the id, None to detect it.
        text_field: field that holds the text, None to detect it.
        durations: file with video lengths, for annotations that have none.
        repeats: each file is one more run of the same model.
        subset: ids (or a file of ids) to restrict the denominator to.
        exclude: ids (or a file of ids) to take out of the denominator.
        verdicts: a judge's verdicts on answers that no rule can read: a file, ``{id: bool}``, or
            a list of dicts with ``id``, ``verdict`` and, for several runs, ``run``.
        seed: of the confidence intervals.
        samples: keep each row's excerpt and readings for the samples file and the row diff.
        progress: called with the number of rows read so far.

    Returns:
        The Result; ``result.data`` is what result.json holds.

    Raises:
        InputError: a file, row or argument that cannot be used, in one line.

    Example:
        >>> gold = [{"uid": "1", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"}]
        >>> result = score("lvbench", {"1": "The answer is B."}, gold, rules=["robust"])
        >>> result.value("accuracy")
        1.0
    """
    declared = get_protocol(protocol) if isinstance(protocol, str) else protocol
    if isinstance(declared, RetrievalProtocol):
        beside = {
            "format": format,
            "id_field": id_field,
            "text_field": text_field,
            "durations": durations,
            "repeats": repeats or None,
            "subset": subset,
            "exclude": exclude,
            "verdicts": verdicts,
        }
        rankings = _only_rankings(declared.name, predictions, beside)
        return retrieve(
            declared, rankings=rankings, truth=annotations, rules=rules, seed=seed, samples=samples
        )
    if not isinstance(declared, AnswerProtocol):
        raise TypeError(f"a protocol of unknown kind: {type(declared).__name__}")
    chosen = chosen_rules(declared.rules, rules, declared.name)
    files = _open_files(predictions, format, id_field, text_field)
    options = ScoreOptions(durations=None if durations is None else Path(durations))
    if annotations is not None:
        gold = declared.read_annotations(annotations, options)
    elif durations is None:
        gold = _gold_of_files(declared, files)
    else:
        raise InputError(
            "video lengths complete an annotation file, and none is given",
            path=durations,
            expected="--annotations FILE beside --durations FILE",
        )
    _refuse_repeated_ids(gold, annotations)
    restriction = read_subset(gold, subset, exclude)
    table = RunTable(chosen, gold, keep_samples=samples)
    joined = join_verdicts(verdicts, gold)
    scored = ScoredRuns(
        declared, chosen, gold, restriction, files, annotations, table, seed, joined
    )
    _read_runs(scored, repeats=repeats, progress=progress)
    if joined is not None:
        joined.check_runs(table)
    table.finish(restriction.active)
    return Result(
        build_report(scored),
        metrics={rule.name: reported_metrics(rule, gold) for rule in chosen},
        rows=sample_rows(scored) if samples else None,
    )


def _only_rankings(name: str, predictions: object, beside: Mapping[str, object]) -> Any:
    """The one file (or mapping) of rankings.

    Raises:
        InputError: several, or options that are about texts.
    """
    for option, value in beside.items():
        if value is not None:
            raise InputError(
                f"is about answers, and {name} scores rankings",
                field=option,
                value=value,
                expected="fastvbench retrieve (fastvbench.retrieve) for everything but rankings",
            )
    if isinstance(predictions, Sequence) and not isinstance(predictions, str):
        if len(predictions) != 1:
            raise InputError(
                f"{name} scores one file of rankings",
                value=f"{len(predictions)} files",
                expected="one",
            )
        return predictions[0]
    return predictions


def _refuse_repeated_ids(gold: Gold, annotations: object) -> None:
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


def _open_files(
    predictions: object, format: str | None, id_field: str | None, text_field: str | None
) -> list[PredictionFile]:
    if isinstance(predictions, Sequence) and not isinstance(predictions, str) and predictions:
        several = all(isinstance(p, str | os.PathLike) for p in predictions)
        sources: list[Any] = list(predictions) if several else [predictions]
    else:
        sources = [predictions]
    return [
        open_predictions(source, format=format, id_field=id_field, text_field=text_field)
        for source in sources
    ]


def _gold_of_files(protocol: AnswerProtocol, files: list[PredictionFile]) -> Gold:
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
    if "query" not in columns and None in columns["id"]:
        raise InputError(
            "carries gold answers, but neither ids nor queries that tell rows apart",
            path=first.path,
            expected="--annotations FILE",
        )
    return protocol.gold_fields(columns)


def _take(batch: PredictionBatch, kept: npt.NDArray[np.int64]) -> PredictionBatch:
    if len(kept) == len(batch.ids):
        return batch
    rows = kept.tolist()
    return PredictionBatch(
        [batch.ids[k] for k in rows],
        [batch.texts[k] for k in rows],
        [batch.lines[k] for k in rows],
        {name: [values[k] for k in rows] for name, values in batch.fields.items()},
    )


def _read_runs(
    scored: ScoredRuns, *, repeats: bool, progress: Callable[[int], None] | None
) -> None:
    """Read all files and fill `scored.table` and `scored.join`."""
    for number, file in enumerate(scored.files):
        for batch in file.batches():
            rows = join_batch(batch, scored.gold, file.path, scored.join)
            kept = np.flatnonzero(rows >= 0)
            if len(kept):
                matched = _take(batch, kept)
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
