"""From a run folder's rows to its result.json, with what a reader must know of the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastvbench.protocols import score
from fastvbench.runs._guard import exceeding
from fastvbench.runs._responses import read_rows, row_hash, rows_hash

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.results import Result
    from fastvbench.runs._folder import RunFolder

__all__ = ["score_folder"]

_EXAMPLES = 5
_TOKENS = ("prompt_tokens", "visual_tokens", "completion_tokens")
_COUNTS = {name: name for name in (*_TOKENS, "images")} | {"frames": "frame_count"}


def score_folder(
    folder: RunFolder,
    protocol: AnswerProtocol,
    annotations: object,
    ids: Sequence[str],
    *,
    rules: Sequence[str],
    durations: Path | None = None,
    seed: int = 0,
) -> Result | None:
    """Score what a folder holds and write its result.json; None where it holds no row.

    A question without an answer is wrong, or out of the denominator, as each rule set says; the
    result's ``run`` names it.

    Args:
        folder: the run, whose record is complete.
        protocol: its benchmark.
        annotations: path or rows.
        ids: the questions of the run, in the order of the annotations.
        rules: names of rule sets, the main one first.
        durations: file with video lengths.
        seed: of the intervals.
    """
    sums = _Sums()
    if folder.responses.exists():
        for row, _ in read_rows(folder.responses):
            sums.add(row)
    if not sums.hash_of_id:
        return None
    record = folder.record
    result = score(
        protocol,
        folder.responses,
        annotations,
        rules=rules,
        durations=durations,
        subset=None if len(ids) == record["selection"]["annotated"] else ids,
        setting=record["identity"]["setting"],
        seed=seed,
    )
    result.data["diagnostics"]["protocol_deviations"] = exceeding(
        record["protocol_deviations"],
        record["published_most_visual_tokens"],
        sums.most_visual_tokens,
    )
    result.data["run"] = _summary(record, sums, ids)
    result.write(folder.result)
    return result


@dataclass(slots=True)
class _Sums:
    """What is kept of rows as they go by: they are too many and too long to be held."""

    hash_of_id: dict[str, bytes] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    most_visual_tokens: int = 0

    def add(self, row: dict[str, Any]) -> None:
        """One more row."""
        self.hash_of_id[row["id"]] = row_hash(row)
        if row["error"]:
            self.failed[row["id"]] = row["error"]
        self.seconds += row["latency_seconds"]
        self.most_visual_tokens = max(self.most_visual_tokens, row["visual_tokens"] or 0)
        for name, in_row in _COUNTS.items():
            if row[in_row] is not None:
                self.counts[name] = self.counts.get(name, 0) + row[in_row]

    def cost(self) -> dict[str, Any]:
        """Sums over rows; None where no row knows."""
        return {name: self.counts.get(name) for name in _COUNTS} | {
            "latency_seconds": round(self.seconds, 3)
        }


def _summary(record: dict[str, Any], sums: _Sums, ids: Sequence[str]) -> dict[str, Any]:
    """What a result says of its run; only ``*_seconds`` differ between two equal runs."""
    missing = [ident for ident in ids if ident not in sums.hash_of_id]
    failed = {ident: sums.failed[ident] for ident in ids if ident in sums.failed}
    return {
        "complete": not failed and not missing,
        "expected": len(ids),
        "answered": len(ids) - len(failed) - len(missing),
        "failed": len(failed),
        "failed_examples": dict(list(failed.items())[:_EXAMPLES]),
        "missing": len(missing),
        "missing_examples": missing[:_EXAMPLES],
        **record["identity"],
        "selection": {name: record["selection"][name] for name in ("limit", "shard")},
        "responses_sha256_without_times": rows_hash(sums.hash_of_id),
        "cost": sums.cost(),
    }
