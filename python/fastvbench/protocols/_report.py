"""From scored runs to the content of result.json."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import Status
from fastvbench.formats import PredictionFile, file_sha256
from fastvbench.protocols._derived import if_all_right, reported_metrics
from fastvbench.protocols._diagnostic_columns import diagnostic_columns
from fastvbench.protocols._join import JoinLedger
from fastvbench.protocols._repeats import repeat_summary
from fastvbench.protocols._report_parts import (
    SCHEMA,
    StatusCounts,
    environment_entry,
    metric_entries,
    protocol_entry,
    status_by_category,
    status_counts,
)
from fastvbench.results._diagnostics import diagnose
from fastvbench.results._summary import Clusters, RuleScores, contrast, summarize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.protocols._rule import Rule
    from fastvbench.protocols._run_columns import RunTable
    from fastvbench.protocols._subset import Subset
    from fastvbench.protocols._verdicts import JoinedVerdicts

__all__ = ["ScoredRuns", "build_report", "rule_scores"]

ECHO_ALARM_SHARE = 0.99


@dataclass(slots=True)
class ScoredRuns:
    """Everything one call of `score` knows of one setting before it sums up."""

    protocol: AnswerProtocol
    rules: tuple[Rule, ...]
    gold: Gold
    subset: Subset
    files: list[PredictionFile]
    annotations: object
    table: RunTable
    seed: int
    verdicts: JoinedVerdicts | None = None
    join: JoinLedger = field(default_factory=JoinLedger)
    setting: str | None = None

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """bool[n]: rows that are in the denominator at all."""
        return self.subset.active


def build_report(scored: ScoredRuns) -> dict[str, Any]:
    """The content of result.json."""
    scores = {rule.name: rule_scores(rule, scored) for rule in scored.rules}
    clusters = Clusters.of(scored.gold.videos, scored.active)
    by_rule, method = summarize(scores, scored.gold.strata, clusters, seed=scored.seed)
    for rule in scored.rules:
        _complete_rule(by_rule[rule.name], rule, scored, scores[rule.name], clusters)
    main = scored.rules[0]
    diagnostics = _diagnostics(scored, by_rule[main.name], clusters)
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "score",
        "protocol": protocol_entry(scored.protocol) | {"annotated": len(scored.gold)},
        "main": {"rule": main.name, "metric": main.metrics[0].key},
        "rules": by_rule,
        "metrics": metric_entries(m for entry in scores.values() for m in entry.metrics),
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
        "environment": environment_entry(),
    }
    if scored.setting is not None:
        data["setting"] = scored.setting
    if scored.verdicts is not None:
        data["inputs"]["verdicts"] = scored.verdicts.described(scored.table)
    if scored.subset.described is not None:
        data["subset"] = scored.subset.described
    if len(scored.table) > 1:
        data["repeats"] = repeat_summary(scored.rules, scored.table, scored.gold)
    return data


def rule_scores(rule: Rule, scored: ScoredRuns) -> RuleScores:
    """A rule set's per-row scores, means over the runs."""
    columns, metrics = scored.table.rules[rule.name], reported_metrics(rule, scored.gold)
    upper = if_all_right(metrics, columns.scores, columns.status, scored.gold)
    return RuleScores(
        metrics, _mean_scores(columns.scores), None if upper is None else _mean_scores(upper)
    )


def _mean_scores(
    by_key: Mapping[str, npt.NDArray[np.float64]],
) -> dict[str, npt.NDArray[np.float64]]:
    """float64[n] per metric: each row's mean over the runs that score it."""
    means = {}
    for key, scores in by_key.items():
        if len(scores) == 1:
            means[key] = scores[0]
            continue
        counted = (~np.isnan(scores)).sum(axis=0)
        totals = np.nansum(scores, axis=0)
        means[key] = np.where(counted > 0, totals / np.maximum(counted, 1), np.nan)
    return means


def _complete_rule(
    entry: dict[str, Any], rule: Rule, scored: ScoredRuns, scores: RuleScores, clusters: Clusters
) -> None:
    """Add what stands beside a rule set's values: statuses, aborts, denominators, contrasts."""
    active, gold = scored.active, scored.gold
    columns = scored.table.rules[rule.name]
    entry["status"] = status_counts(columns.status[:, active])
    if columns.interval_status is not None:
        entry["interval_status"] = status_counts(columns.interval_status[:, active])
    entry["status_by_stratum"] = {
        name: status_by_category(columns.status, stratum, active)
        for name, stratum in gold.strata.items()
    }
    if scored.verdicts is not None:
        entry["judged"] = int(columns.judged[:, active].sum())
    entry["public_script_aborts"] = int(columns.aborts[:, active].sum())
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


def _coverage(scored: ScoredRuns, status: StatusCounts) -> dict[str, Any]:
    """The ledger: over several runs, counts are means a run, statuses are sums.

    `missing` rows have no answer: they are absent, or they are in the file `without_text`.
    """
    expected = int(scored.active.sum())
    seen = scored.table.seen[:, scored.active]
    blank = seen & _without_answer(scored)[:, scored.active]
    run_count = len(scored.table)

    def a_run(total: int) -> float:
        return total // run_count if total % run_count == 0 else total / run_count

    found = a_run(int(seen.sum()) - int(blank.sum()))
    coverage: dict[str, Any] = {
        "expected": expected,
        "scored": found,
        "missing": expected - found,
        "without_text": a_run(int(blank.sum())),
        "unexpected": scored.join.unexpected,
        "duplicates": scored.join.duplicates,
        "status": status,
        "limit": scored.protocol.coverage_limit,
    }
    judged = scored.table.rules[scored.rules[0].name].judged
    if scored.verdicts is not None:
        coverage["judged"] = a_run(int(judged[:, scored.active].sum()))
    if scored.join.unexpected_examples:
        coverage["unexpected_examples"] = scored.join.unexpected_examples
    return coverage


def _without_answer(scored: ScoredRuns) -> npt.NDArray[np.bool_]:
    """bool[runs, n]: neither text nor given values, or only the record of an error."""
    columns = scored.table.rules[scored.rules[0].name]
    blank = np.isin(columns.status, (Status.MISSING, Status.ERROR))
    if columns.interval_status is not None:
        blank &= np.isin(columns.interval_status, (Status.MISSING, Status.ERROR))
    return blank


def _diagnostics(
    scored: ScoredRuns, main_entry: dict[str, Any], clusters: Clusters
) -> dict[str, Any]:
    """Letters given against letters right, gold in place of answers, and every diagnostic."""
    gold, table = scored.gold, scored.table
    diagnostics: dict[str, Any] = {}
    if gold.letters is not None:
        given = table.rules[scored.rules[0].name].letters[:, scored.active]
        diagnostics["given_letters"] = _letter_counts(given)
        diagnostics["gold_letters"] = _letter_counts(gold.letters[scored.active])
    if gold.letters is not None or gold.answers is not None:
        echo = table.gold_echo[table.seen]
        diagnostics["text_equals_gold_share"] = float(echo.mean()) if len(echo) else 0.0
    return diagnostics | diagnose(diagnostic_columns(scored, main_entry, clusters))


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
            bare = scored.table.bare_letter[scored.table.seen & scored.active]
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
