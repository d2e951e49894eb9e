"""From scored runs to the rows of the samples file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._status import STATUS_NAMES
from fastvbench.results._samples import letter_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._report import ScoredRuns
    from fastvbench.protocols._run_columns import RuleColumns

__all__ = ["sample_rows"]


def sample_rows(scored: ScoredRuns) -> Callable[[], Iterator[dict[str, Any]]]:
    """Makes the rows of the samples file: one a run and annotated row, in annotation order."""
    of_stratum = {name: stratum.of_row() for name, stratum in scored.gold.strata.items()}
    groups = scored.gold.groups

    def rows() -> Iterator[dict[str, Any]]:
        for row in np.flatnonzero(scored.active).tolist():
            strata = {name: names.get(row, []) for name, names in of_stratum.items()}
            for name, run in scored.table.names.items():
                entry = {"id": scored.gold.ids[row], "cluster": scored.gold.videos[row]}
                if scored.setting is not None:
                    entry["setting"] = scored.setting
                if len(scored.table) > 1:
                    entry["run"] = name
                if groups is not None:
                    entry["group"] = groups[row]
                yield entry | {"strata": strata} | _sample(scored, run, row)

    return rows


def _sample(scored: ScoredRuns, run: int, row: int) -> dict[str, Any]:
    spool = scored.table.spool
    kept = (None if spool is None else spool.get(run * len(scored.gold) + row)) or {}
    read, span = kept.get("read", {}), kept.get("span", {})
    sample: dict[str, Any] = {"gold": _gold_value(scored.gold, row)}
    sample["rules"] = {
        rule.name: _outcome(scored.table.rules[rule.name], run, row)
        | {"read": read.get(rule.name), "span": span.get(rule.name)}
        for rule in scored.rules
    }
    for key in ("finish_reason", "frame_count"):
        if key in kept:
            sample[key] = kept[key]
    return sample | {"excerpt": kept.get("excerpt")}


def _outcome(columns: RuleColumns, run: int, row: int) -> dict[str, Any]:
    """What a rule set made of one cell."""
    outcome: dict[str, Any] = {
        "status": STATUS_NAMES[columns.status[run, row]],
        "letter": letter_text(int(columns.letters[run, row])),
        "aborts": bool(columns.aborts[run, row]),
        "scores": {
            key: None if np.isnan(column[run, row]) else float(column[run, row])
            for key, column in columns.scores.items()
        },
    }
    if columns.judged[run, row]:
        outcome["judged"] = True
    if columns.interval_status is not None:
        outcome["interval_status"] = STATUS_NAMES[columns.interval_status[run, row]]
    return outcome


def _gold_value(gold: Gold, row: int) -> dict[str, Any]:
    """What is right, and what is known of the question."""
    value: dict[str, Any] = {}
    if gold.letters is not None:
        value["answer"] = letter_text(int(gold.letters[row]))
        value["options"] = int(gold.option_counts[row])
    if gold.answers is not None and gold.answers[row]:
        value["answers"] = list(gold.answers[row])
    if gold.intervals is not None:
        begin, end = gold.intervals.offsets[row : row + 2].tolist()
        value["intervals"] = gold.intervals.values[begin:end].tolist()
    if gold.durations is not None and not np.isnan(gold.durations[row]):
        value["duration_seconds"] = float(gold.durations[row])
    if gold.evidence is not None and not np.isnan(gold.evidence[row, 0]):
        value["evidence_seconds"] = gold.evidence[row].tolist()
    return value
