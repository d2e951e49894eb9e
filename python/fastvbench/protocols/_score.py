"""Score saved answers: read, join, apply every rule set, summarise. No model, no GPU, no key."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fastvbench.core import info
from fastvbench.core._errors import InputError
from fastvbench.core._status import STATUS_NAMES
from fastvbench.formats import PredictionBatch, PredictionFile, file_sha256, open_predictions
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._join import JoinLedger, join_batch
from fastvbench.protocols._protocol import Protocol, ScoreOptions
from fastvbench.protocols._registry import get_protocol
from fastvbench.protocols._repeats import repeat_summary
from fastvbench.protocols._rule import Rule, RuleBatch
from fastvbench.protocols._run_columns import RunColumns
from fastvbench.protocols._subset import Subset, read_subset
from fastvbench.results._result import Result
from fastvbench.results._strata import Stratum
from fastvbench.results._summary import Clusters, RuleScores, contrast, summarize

__all__ = ["score"]

ECHO_ALARM_SHARE = 0.99
SCHEMA = 1


@dataclass(slots=True)
class _Inputs:
    """The prediction files of one call and how their rows fall into runs."""

    files: list[PredictionFile]
    repeats: bool
    ledgers: list[dict[str, int]] = field(default_factory=list)


def score(
    protocol: str | Protocol,
    predictions: object,
    annotations: object = None,
    *,
    rules: Sequence[str] | None = None,
    format: str | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    durations: str | os.PathLike[str] | None = None,
    repeats: bool = False,
    subset: str | os.PathLike[str] | Iterable[str] | None = None,
    exclude: str | os.PathLike[str] | Iterable[str] | None = None,
    seed: int = 0,
    samples: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Score what a model said.

    Args:
        protocol: name of a benchmark (`list_protocols()`) or a Protocol.
        predictions: a path, several paths (one run), ``{id: text}``, or a list of dicts with
            ``id`` and ``text``.
        annotations: a path or a list of dicts; None where the prediction files carry their gold.
        rules: names of rule sets to apply, the first being the main one; None for all.
        format: name of the prediction format, None to detect it.
        id_field: field that holds the id, None to detect it.
        text_field: field that holds the text, None to detect it.
        durations: file with video lengths, for annotations that have none.
        repeats: each file is one more run of the same model.
        subset: ids (or a file of ids) to restrict the denominator to.
        exclude: ids (or a file of ids) to take out of the denominator.
        seed: of the confidence intervals.
        samples: keep each row's excerpt and readings for the samples file and the row diff.
        progress: called with the number of rows read so far.

    Returns:
        The Result; ``result.data`` is what result.json holds.

    Raises:
        InputError: a file, row or argument that cannot be used, in one line.

    Example:
        >>> gold = [{"uid": "1", "key": "v", "question": "Q?\\n(A) x\\n(B) y", "answer": "B"}]
        >>> result = score("lvbench", {"1": "The answer is B."}, gold, rules=["robust"])
        >>> result.value("accuracy")
        1.0
    """
    declared = get_protocol(protocol) if isinstance(protocol, str) else protocol
    chosen = tuple(declared.rule(name) for name in rules) if rules else declared.rules
    files = _open_files(predictions, format, id_field, text_field)
    options = ScoreOptions(durations=None if durations is None else Path(durations))
    if annotations is None:
        gold, described = _gold_of_files(declared, files, options), "carried by the predictions"
    else:
        gold = declared.read_annotations(annotations, options)
        described = None
    restriction = read_subset(gold, subset, exclude)
    runs, join, run_names = _read_runs(chosen, gold, files, repeats, samples, progress)
    for run in runs:
        run.finish(restriction.active)
    return Result(
        _report(
            declared, chosen, gold, runs, run_names, join, restriction, files, annotations,
            described, seed,
        ),
        metrics={rule.name: rule.metrics for rule in chosen},
        rows=_sample_rows(chosen, gold, runs, restriction) if samples else None,
    )


# ---- reading ---------------------------------------------------------------------------------------


def _open_files(
    predictions: object, format: str | None, id_field: str | None, text_field: str | None
) -> list[PredictionFile]:
    several = (
        isinstance(predictions, Sequence)
        and not isinstance(predictions, str)
        and bool(predictions)
        and all(isinstance(p, str | os.PathLike) for p in predictions)
    )
    sources = list(predictions) if several else [predictions]  # type: ignore[call-overload]
    return [
        open_predictions(source, format=format, id_field=id_field, text_field=text_field)
        for source in sources
    ]


def _gold_of_files(
    protocol: Protocol, files: list[PredictionFile], options: ScoreOptions
) -> Gold:
    first = files[0]
    if protocol.gold_fields is None or not all(file.carries_gold for file in files):
        raise InputError(
            f"{protocol.name} needs annotations, this {first.format} file carries no gold answers",
            path=first.path,
            expected="--annotations FILE",
        )
    columns: dict[str, list[Any]] = {}
    count = 0
    for file in files:
        for batch in file.batches():
            for name, values in batch.fields.items():
                column = columns.setdefault(name, [])
                column.extend([None] * (count - len(column)))
                column.extend(values)
            count += len(batch.ids)
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    for name in ("video", "query", "gold"):
        if name not in columns:
            raise InputError(
                "carries gold answers, but rows lack a field that tells them apart",
                path=first.path,
                field=name,
                expected="--annotations FILE",
            )
    del options
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


def _run_keys(batch: PredictionBatch, file_number: int, repeats: bool) -> list[str] | str:
    """Name of the run of each row, or of all rows."""
    samples = batch.fields.get("sample")
    prefix = f"file {file_number + 1}" if repeats else ""
    if samples is None or all(sample is None for sample in samples):
        return prefix
    return [f"{prefix} sample {sample}".strip() for sample in samples]


def _read_runs(
    rules: tuple[Rule, ...],
    gold: Gold,
    files: list[PredictionFile],
    repeats: bool,
    keep_samples: bool,
    progress: Callable[[int], None] | None,
) -> tuple[list[RunColumns], JoinLedger, list[str]]:
    runs: dict[str, RunColumns] = {}
    ledger = JoinLedger()
    for number, file in enumerate(files):
        for batch in file.batches():
            rows = join_batch(batch, gold, file.path, ledger)
            kept = np.flatnonzero(rows >= 0)
            if len(kept):
                keys = _run_keys(batch, number, repeats)
                names = np.array(keys)[kept] if isinstance(keys, list) else None
                for name in [keys] if isinstance(keys, str) else dict.fromkeys(names.tolist()):  # type: ignore[union-attr]
                    of_run = kept if names is None else kept[names == name]
                    if name not in runs:
                        runs[name] = RunColumns(rules, gold, keep_samples=keep_samples)
                    _put(runs[name], _take(batch, of_run), rows[of_run], gold, number, files, ledger)
            if progress is not None:
                progress(ledger.rows)
    if not runs:
        examples = ", ".join(ledger.unexpected_examples) or "none"
        raise InputError(
            f"no prediction belongs to an annotated row (ids such as {examples})",
            path=files[0].path,
            field="id",
            expected=f"ids such as {', '.join(gold.ids[:3])}",
        )
    return list(runs.values()), ledger, list(runs)


def _put(
    run: RunColumns,
    batch: PredictionBatch,
    rows: npt.NDArray[np.int64],
    gold: Gold,
    number: int,
    files: list[PredictionFile],
    ledger: JoinLedger,
) -> None:
    earlier = run.source[rows]
    clash = np.flatnonzero((earlier >= 0) & (earlier != number))
    if len(clash):
        k = int(clash[0])
        raise InputError(
            f"the same id stands in {files[int(earlier[k])].path} too",
            path=files[number].path,
            line=batch.lines[k],
            field="id",
            value=gold.ids[int(rows[k])],
            expected="each id in one file, or --repeats for several runs",
        )
    before = int(run.seen.sum())
    run.put(RuleBatch(batch.texts, batch.fields, rows, gold), batch.fields.get("filtered"))
    run.source[rows] = number
    ledger.duplicates += len(rows) - (int(run.seen.sum()) - before)


# ---- reporting -------------------------------------------------------------------------------------


def _mean_scores(
    rule: Rule, runs: list[RunColumns]
) -> dict[str, npt.NDArray[np.float64]]:
    """Each row's mean over the runs that score it."""
    if len(runs) == 1:
        return runs[0].rules[rule.name].scores
    means = {}
    for metric in rule.metrics:
        stacked = np.stack([run.rules[rule.name].scores[metric.key] for run in runs])
        counted = ~np.isnan(stacked)
        with np.errstate(invalid="ignore"):
            means[metric.key] = np.nansum(stacked, axis=0) / counted.sum(axis=0)
    return means


def _status_counts(status: npt.NDArray[np.uint8]) -> dict[str, int]:
    counts = np.bincount(status, minlength=len(STATUS_NAMES))
    return {name: int(n) for name, n in zip(STATUS_NAMES, counts, strict=True) if n}


def _status_by_stratum(
    status: npt.NDArray[np.uint8], active: npt.NDArray[np.bool_], strata: Mapping[str, Stratum]
) -> dict[str, dict[str, dict[str, int]]]:
    report: dict[str, dict[str, dict[str, int]]] = {}
    for name, stratum in strata.items():
        member = active[stratum.rows]
        rows, codes = stratum.rows[member], stratum.category[member]
        report[name] = {
            category: _status_counts(status[rows[codes == k]])
            for k, category in enumerate(stratum.categories)
        }
    return report


def _letter_counts(letters: npt.NDArray[np.int8]) -> dict[str, int]:
    counts = np.bincount(letters[letters >= 0], minlength=1)
    return {chr(ord("A") + i): int(n) for i, n in enumerate(counts) if n}


def _report(
    protocol: Protocol,
    rules: tuple[Rule, ...],
    gold: Gold,
    runs: list[RunColumns],
    run_names: list[str],
    join: JoinLedger,
    subset: Subset,
    files: list[PredictionFile],
    annotations: object,
    gold_described: str | None,
    seed: int,
) -> dict[str, Any]:
    active = subset.active
    clusters = Clusters.of(gold.videos)
    scored = {
        rule.name: RuleScores(rule.metrics, _mean_scores(rule, runs)) for rule in rules
    }
    by_rule, method = summarize(scored, gold.strata, clusters, seed=seed)
    warnings = [f"{protocol.title}: {note}" for note in protocol.notes if "erified" in note]
    report: dict[str, Any] = {}
    for rule in rules:
        first = runs[0].rules[rule.name]
        entry = by_rule[rule.name]
        entry["status"] = _sum_counts(
            _status_counts(run.rules[rule.name].status[active]) for run in runs
        )
        if first.interval_status is not None:
            entry["interval_status"] = _sum_counts(
                _status_counts(run.rules[rule.name].interval_status[active])  # type: ignore[index]
                for run in runs
            )
        entry["status_by_stratum"] = _status_by_stratum(first.status, active, gold.strata)
        entry["public_script_aborts"] = sum(
            int(run.rules[rule.name].aborts[active].sum()) for run in runs
        )
        entry["denominator"] = rule.denominator
        entry["missing"] = rule.missing
        entry["source"] = rule.source
        contrasts = [
            contrast(
                scored[rule.name].columns[metric], gold.strata[stratum], a, b, clusters, seed=seed
            )
            | {"metric": metric, "stratum": stratum, "a": a, "b": b}
            for metric, stratum, a, b in protocol.contrasts
            if metric in scored[rule.name].columns
        ]
        if contrasts:
            entry["contrasts"] = contrasts
        report[rule.name] = entry
        warnings.extend(_rule_warnings(rule, entry, runs, active))
    main = rules[0]
    expected = int(active.sum())
    present = np.mean([int((run.seen & active).sum()) for run in runs])
    status = report[main.name]["status"]
    echo = float(np.mean([run.gold_echo[run.seen].mean() if run.seen.any() else 0 for run in runs]))
    if gold.letters is not None and echo >= ECHO_ALARM_SHARE:
        warnings.append(
            f"{echo:.1%} of the texts equal the gold answer exactly: is this the annotation file?"
        )
    coverage: dict[str, Any] = {
        "expected": expected,
        "scored": int(present) if present == int(present) else float(present),
        "missing": expected - (int(present) if present == int(present) else float(present)),
        "unexpected": join.unexpected,
        "duplicates": join.duplicates,
        "status": status,
        "limit": protocol.coverage_limit,
    }
    if join.unexpected_examples:
        coverage["unexpected_examples"] = join.unexpected_examples
    if gold.letters is not None:
        letters = np.concatenate([run.rules[main.name].letters[active] for run in runs])
        diagnostics: dict[str, Any] = {
            "given_letters": _letter_counts(letters),
            "gold_letters": _letter_counts(gold.letters[active]),
            "text_equals_gold_share": echo,
        }
    else:
        diagnostics = {}
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "score",
        "protocol": {
            "name": protocol.name,
            "title": protocol.title,
            "version": protocol.version,
            "fingerprint": protocol.fingerprint(),
            "published_size": protocol.published_size,
            "annotated": len(gold),
        },
        "main": {"rule": main.name, "metric": main.metrics[0].key},
        "rules": report,
        "metrics": {
            m.key: {"title": m.title, "unit": m.unit, "scale": m.scale, "decimals": m.decimals}
            for rule in rules
            for m in rule.metrics
        },
        "interval_method": method,
        "coverage": coverage,
        "diagnostics": diagnostics,
        "warnings": warnings,
        "inputs": {
            "predictions": [
                {
                    "name": Path(file.path).name,
                    "sha256": file.sha256,
                    "format": file.format,
                    "ledger": file.ledger,
                }
                for file in files
            ],
            "annotations": _described_annotations(annotations, gold, gold_described),
        },
        "environment": {
            "fastvbench": info()["version"],
            "python": platform.python_version(),
            "numpy": np.__version__,
            "platform": sys.platform,
            "cpu_level": info()["cpu_level"],
        },
    }
    if subset.described is not None:
        data["subset"] = subset.described
    if len(runs) > 1:
        data["repeats"] = repeat_summary(rules, runs, run_names, gold)
    return data


def _sum_counts(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for name, n in one.items():
            total[name] = total.get(name, 0) + n
    return {name: total[name] for name in STATUS_NAMES if name in total}


def _rule_warnings(
    rule: Rule, entry: dict[str, Any], runs: list[RunColumns], active: npt.NDArray[np.bool_]
) -> list[str]:
    warnings = []
    aborts = entry["public_script_aborts"]
    if aborts:
        warnings.append(
            f"{rule.name}: the public script would stop on {aborts} rows and print no score; "
            "they count as wrong here"
        )
    if rule.bare_letter_share is not None:
        present = np.concatenate([run.seen & active for run in runs])
        bare = np.concatenate([run.bare_letter for run in runs])[present]
        if len(bare) and bare.mean() < rule.bare_letter_share:
            warnings.append(
                f"{rule.name}: {1 - bare.mean():.1%} of the texts are no bare letter; this rule "
                "set expects letters that were extracted before"
            )
    first = rule.metrics[0].key
    if entry["overall"][first]["n"] == 0:
        reason = "no row has a score"
        if rule.options.get("needs_duration"):
            reason += "; it needs video lengths: --durations FILE"
        warnings.append(f"{rule.name}: {reason}")
    return warnings


def _described_annotations(
    annotations: object, gold: Gold, described: str | None
) -> dict[str, Any]:
    entry: dict[str, Any] = {"rows": len(gold)}
    if described is not None:
        entry["source"] = described
    elif isinstance(annotations, str | os.PathLike):
        entry |= {"name": Path(annotations).name, "sha256": file_sha256(Path(annotations))}
    else:
        entry["source"] = "memory"
    if gold.ledger:
        entry["ledger"] = gold.ledger
    return entry


def _sample_rows(
    rules: tuple[Rule, ...], gold: Gold, runs: list[RunColumns], subset: Subset
) -> Callable[[], Iterable[dict[str, Any]]]:
    """Makes the rows of the samples file, one a run and annotated row, in annotation order."""
    of_stratum = {name: stratum.of_row() for name, stratum in gold.strata.items()}

    def rows() -> Iterable[dict[str, Any]]:
        for row in np.flatnonzero(subset.active).tolist():
            for number, run in enumerate(runs):
                kept = (run.spool.get(row) if run.spool is not None else None) or {}
                read, span = kept.get("read", {}), kept.get("span", {})
                entry: dict[str, Any] = {
                    "id": gold.ids[row],
                    "cluster": gold.videos[row],
                    "strata": {name: names.get(row, []) for name, names in of_stratum.items()},
                    "gold": _gold_value(gold, row),
                    "rules": {
                        rule.name: {
                            "status": STATUS_NAMES[run.rules[rule.name].status[row]],
                            "read": read.get(rule.name),
                            "span": span.get(rule.name),
                            "scores": {
                                key: None if np.isnan(column[row]) else float(column[row])
                                for key, column in run.rules[rule.name].scores.items()
                            },
                        }
                        for rule in rules
                    },
                    "excerpt": kept.get("excerpt"),
                }
                if len(runs) > 1:
                    entry["run"] = number
                yield entry

    return rows


def _gold_value(gold: Gold, row: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    if gold.letters is not None:
        letter = int(gold.letters[row])
        value["answer"] = None if letter < 0 else chr(ord("A") + letter)
    if gold.intervals is not None:
        begin, end = gold.intervals.offsets[row : row + 2].tolist()
        value["intervals"] = gold.intervals.values[begin:end].tolist()
    return value
