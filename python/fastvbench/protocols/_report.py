"""From scored runs to the content of result.json and the rows of the samples file."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core import info
from fastvbench.core._status import STATUS_NAMES
from fastvbench.formats import PredictionFile, file_sha256
from fastvbench.protocols._join import JoinLedger
from fastvbench.protocols._repeats import repeat_summary
from fastvbench.results._summary import Clusters, RuleScores, contrast, summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._protocol import Protocol
    from fastvbench.protocols._rule import Rule
    from fastvbench.protocols._run_columns import RunColumns
    from fastvbench.protocols._subset import Subset

__all__ = ["ScoredRuns", "build_report", "sample_rows"]

SCHEMA = 1
ECHO_ALARM_SHARE = 0.99

StatusCounts = dict[str, int]


@dataclass(slots=True)
class ScoredRuns:
    """Everything one call of `score` knows before it sums up."""

    protocol: Protocol
    rules: tuple[Rule, ...]
    gold: Gold
    subset: Subset
    files: list[PredictionFile]
    annotations: object
    seed: int
    runs: dict[str, RunColumns] = field(default_factory=dict)
    join: JoinLedger = field(default_factory=JoinLedger)

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """bool[n]: rows that are in the denominator at all."""
        return self.subset.active


def build_report(scored: ScoredRuns) -> dict[str, Any]:
    """The content of result.json."""
    scores = {
        rule.name: RuleScores(rule.metrics, _mean_scores(rule, list(scored.runs.values())))
        for rule in scored.rules
    }
    clusters = Clusters.of(scored.gold.videos)
    by_rule, method = summarize(scores, scored.gold.strata, clusters, seed=scored.seed)
    for rule in scored.rules:
        _complete_rule(by_rule[rule.name], rule, scored, scores[rule.name], clusters)
    main = scored.rules[0]
    protocol = scored.protocol
    diagnostics = _diagnostics(scored)
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "score",
        "protocol": {
            "name": protocol.name,
            "title": protocol.title,
            "version": protocol.version,
            "fingerprint": protocol.fingerprint(),
            "published_size": protocol.published_size,
            "annotated": len(scored.gold),
        },
        "main": {"rule": main.name, "metric": main.metrics[0].key},
        "rules": by_rule,
        "metrics": {
            m.key: {"title": m.title, "unit": m.unit, "scale": m.scale, "decimals": m.decimals}
            for rule in scored.rules
            for m in rule.metrics
        },
        "interval_method": method,
        "coverage": _coverage(scored, by_rule[main.name]["status"]),
        "diagnostics": diagnostics,
        "warnings": _warnings(scored, by_rule, diagnostics),
        "inputs": {
            "predictions": [
                {
                    "name": Path(file.path).name,
                    "sha256": file.sha256,
                    "format": file.format,
                    "ledger": file.ledger,
                }
                for file in scored.files
            ],
            "annotations": _described_annotations(scored),
        },
        "environment": {
            "fastvbench": info()["version"],
            "python": platform.python_version(),
            "numpy": np.__version__,
            "platform": sys.platform,
            "cpu_level": info()["cpu_level"],
        },
    }
    if scored.subset.described is not None:
        data["subset"] = scored.subset.described
    if len(scored.runs) > 1:
        data["repeats"] = repeat_summary(
            scored.rules, list(scored.runs.values()), list(scored.runs), scored.gold
        )
    return data


def _mean_scores(rule: Rule, runs: list[RunColumns]) -> dict[str, npt.NDArray[np.float64]]:
    """Each row's mean over the runs that score it."""
    if len(runs) == 1:
        return runs[0].rules[rule.name].scores
    means = {}
    for metric in rule.metrics:
        stacked = np.stack([run.rules[rule.name].scores[metric.key] for run in runs])
        counted = (~np.isnan(stacked)).sum(axis=0)
        means[metric.key] = np.where(
            counted > 0, np.nansum(stacked, axis=0) / np.maximum(counted, 1), np.nan
        )
    return means


def _complete_rule(
    entry: dict[str, Any], rule: Rule, scored: ScoredRuns, scores: RuleScores, clusters: Clusters
) -> None:
    """Add what stands beside a rule set's values: statuses, aborts, denominators, contrasts."""
    active, gold = scored.active, scored.gold
    columns = [run.rules[rule.name] for run in scored.runs.values()]
    entry["status"] = _sum_counts(_status_counts(c.status[active]) for c in columns)
    interval_status = [c.interval_status for c in columns if c.interval_status is not None]
    if interval_status:
        entry["interval_status"] = _sum_counts(_status_counts(s[active]) for s in interval_status)
    entry["status_by_stratum"] = {
        name: {
            category: _sum_counts(
                _status_counts(c.status[rows[active[rows]]])
                for c in columns
                for rows in (stratum.rows[stratum.category == k],)
            )
            for k, category in enumerate(stratum.categories)
        }
        for name, stratum in gold.strata.items()
    }
    entry["public_script_aborts"] = sum(int(c.aborts[active].sum()) for c in columns)
    entry["denominator"] = rule.denominator
    entry["missing"] = rule.missing
    entry["source"] = rule.source
    contrasts = [
        {"metric": metric, "stratum": stratum, "a": a, "b": b}
        | contrast(scores.columns[metric], gold.strata[stratum], a, b, clusters, seed=scored.seed)
        for metric, stratum, a, b in scored.protocol.contrasts
        if metric in scores.columns
    ]
    if contrasts:
        entry["contrasts"] = contrasts


def _status_counts(status: npt.NDArray[np.uint8]) -> StatusCounts:
    counts = np.bincount(status, minlength=len(STATUS_NAMES)).tolist()
    return {name: n for name, n in zip(STATUS_NAMES, counts, strict=True) if n}


def _sum_counts(several: Iterable[StatusCounts]) -> StatusCounts:
    total: StatusCounts = {}
    for counts in several:
        for name, n in counts.items():
            total[name] = total.get(name, 0) + n
    return {name: total[name] for name in STATUS_NAMES if name in total}


def _coverage(scored: ScoredRuns, status: StatusCounts) -> dict[str, Any]:
    """The ledger: over several runs, counts are means a run, statuses are sums."""
    expected = int(scored.active.sum())
    present = [int((run.seen & scored.active).sum()) for run in scored.runs.values()]
    mean = sum(present) / len(present)
    found: float = int(mean) if mean.is_integer() else mean
    coverage: dict[str, Any] = {
        "expected": expected,
        "scored": found,
        "missing": expected - found,
        "unexpected": scored.join.unexpected,
        "duplicates": scored.join.duplicates,
        "status": status,
        "limit": scored.protocol.coverage_limit,
    }
    if scored.join.unexpected_examples:
        coverage["unexpected_examples"] = scored.join.unexpected_examples
    return coverage


def _diagnostics(scored: ScoredRuns) -> dict[str, Any]:
    """Letters given against letters right, and how many texts are the gold letter itself."""
    letters = scored.gold.letters
    if letters is None:
        return {}
    runs = list(scored.runs.values())
    main = scored.rules[0].name
    given = np.concatenate([run.rules[main].letters[scored.active] for run in runs])
    echo = np.concatenate([run.gold_echo[run.seen] for run in runs])
    return {
        "given_letters": _letter_counts(given),
        "gold_letters": _letter_counts(letters[scored.active]),
        "text_equals_gold_share": float(echo.mean()) if len(echo) else 0.0,
    }


def _letter_counts(letters: npt.NDArray[np.int8]) -> dict[str, int]:
    counts = np.bincount(letters[letters >= 0], minlength=1).tolist()
    return {chr(ord("A") + i): n for i, n in enumerate(counts) if n}


def _warnings(
    scored: ScoredRuns, by_rule: dict[str, Any], diagnostics: dict[str, Any]
) -> list[str]:
    warnings = [note for note in scored.protocol.notes if note.startswith("Not verified")]
    echo = diagnostics.get("text_equals_gold_share", 0.0)
    if echo >= ECHO_ALARM_SHARE:
        warnings.append(
            f"{echo:.1%} of the texts equal the gold answer exactly: is this an annotation file?"
        )
    for rule in scored.rules:
        entry = by_rule[rule.name]
        if entry["public_script_aborts"]:
            warnings.append(
                f"{rule.name}: the public script would stop on "
                f"{entry['public_script_aborts']:,} rows and print no score; they count as wrong"
            )
        if rule.bare_letter_share is not None:
            runs = scored.runs.values()
            bare = np.concatenate([run.bare_letter[run.seen & scored.active] for run in runs])
            if len(bare) and bare.mean() < rule.bare_letter_share:
                warnings.append(
                    f"{rule.name}: {1 - bare.mean():.1%} of the texts are no bare letter; this "
                    "rule set expects letters that were extracted before"
                )
        if entry["overall"][rule.metrics[0].key]["n"] == 0:
            needs = rule.options.get("needs_duration")
            hint = "; it needs video lengths (--durations FILE)" if needs else ""
            warnings.append(f"{rule.name}: no row has a score{hint}")
    return warnings


def _described_annotations(scored: ScoredRuns) -> dict[str, Any]:
    entry: dict[str, Any] = {"rows": len(scored.gold)}
    source = scored.annotations
    if source is None:
        entry["source"] = "carried by the predictions"
    elif isinstance(source, str | os.PathLike):
        entry |= {"name": Path(source).name, "sha256": file_sha256(source)}
    else:
        entry["source"] = "memory"
    if scored.gold.ledger:
        entry["ledger"] = scored.gold.ledger
    return entry


def sample_rows(scored: ScoredRuns) -> Callable[[], Iterator[dict[str, Any]]]:
    """Makes the rows of the samples file: one a run and annotated row, in annotation order."""
    of_stratum = {name: stratum.of_row() for name, stratum in scored.gold.strata.items()}

    def rows() -> Iterator[dict[str, Any]]:
        for row in np.flatnonzero(scored.active).tolist():
            strata = {name: names.get(row, []) for name, names in of_stratum.items()}
            for name, run in scored.runs.items():
                entry = {"id": scored.gold.ids[row], "cluster": scored.gold.videos[row]}
                if len(scored.runs) > 1:
                    entry["run"] = name
                yield entry | {"strata": strata} | _sample(scored, run, row)

    return rows


def _sample(scored: ScoredRuns, run: RunColumns, row: int) -> dict[str, Any]:
    kept = (run.spool.get(row) if run.spool is not None else None) or {}
    read, span = kept.get("read", {}), kept.get("span", {})
    rules = {}
    for rule in scored.rules:
        columns = run.rules[rule.name]
        rules[rule.name] = {
            "status": STATUS_NAMES[columns.status[row]],
            "read": read.get(rule.name),
            "span": span.get(rule.name),
            "aborts": bool(columns.aborts[row]),
            "scores": {
                key: None if np.isnan(column[row]) else float(column[row])
                for key, column in columns.scores.items()
            },
        }
    return {"gold": _gold_value(scored.gold, row), "rules": rules, "excerpt": kept.get("excerpt")}


def _gold_value(gold: Gold, row: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    if gold.letters is not None:
        letter = int(gold.letters[row])
        value["answer"] = None if letter < 0 else chr(ord("A") + letter)
    if gold.intervals is not None:
        begin, end = gold.intervals.offsets[row : row + 2].tolist()
        value["intervals"] = gold.intervals.values[begin:end].tolist()
    return value
