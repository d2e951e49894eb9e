"""From a run folder's rows to its result.json, with what a reader must know of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.protocols import score
from fastvbench.runs._responses import read_rows, rows_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from fastvbench.protocols._protocol import AnswerProtocol
    from fastvbench.results import Result
    from fastvbench.runs._folder import RunFolder

__all__ = ["score_folder"]

_EXAMPLES = 5


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
    rows = [row for row, _ in read_rows(folder.responses)] if folder.responses.exists() else []
    if not rows:
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
    result.data["diagnostics"]["protocol_deviations"] = record["protocol_deviations"]
    result.data["run"] = _summary(record, rows, ids)
    result.write(folder.result)
    return result


def _summary(
    record: dict[str, Any], rows: list[dict[str, Any]], ids: Sequence[str]
) -> dict[str, Any]:
    """What a result says of its run; only ``*_seconds`` differ between two equal runs."""
    answered = {row["id"] for row in rows if not row["error"]}
    failed = {row["id"]: row["error"] for row in rows if row["error"]}
    missing = [ident for ident in ids if ident not in answered and ident not in failed]
    return {
        "complete": not failed and not missing,
        "expected": len(ids),
        "answered": len(answered),
        "failed": len(failed),
        "failed_examples": dict(list(failed.items())[:_EXAMPLES]),
        "missing": len(missing),
        "missing_examples": missing[:_EXAMPLES],
        **record["identity"],
        "selection": {name: record["selection"][name] for name in ("limit", "shard")},
        "responses_sha256_without_times": rows_hash(rows),
        "cost": _cost(rows),
    }


def _cost(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Sums over rows; None where no row knows."""
    return {
        "prompt_tokens": _sum(row["prompt_tokens"] for row in rows),
        "visual_tokens": _sum(row["visual_tokens"] for row in rows),
        "completion_tokens": _sum(row["completion_tokens"] for row in rows),
        "frames": sum(row["frame_count"] for row in rows),
        "images": sum(row["images"] for row in rows),
        "latency_seconds": round(sum(row["latency_seconds"] for row in rows), 3),
    }


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
