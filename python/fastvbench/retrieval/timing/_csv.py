"""A study as flat rows: one per engine, gallery, mode, and kind of time."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from fastvbench.retrieval.timing._clock import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["flat_rows", "study_csv"]

_STATISTICS = ("mean", "p50", "p95", "total")
_COUNTS = ("queries", "passes", "calls")
_STAGE_NAMES = (*STAGES, "other")
COLUMNS = (
    "engine",
    "rows",
    "dimension",
    "source",
    "k",
    "mode",
    "queries_per_call",
    "time",
    "page_cache",
    *(f"{name}_ms" for name in _STATISTICS),
    *_COUNTS,
    *(f"{name}_ms" for name in _STAGE_NAMES),
    "wall_ms",
    "recall_strict",
    "recall_with_ties",
    "peak_memory_bytes",
    "status",
    "reason",
)


def study_csv(study: dict[str, Any]) -> str:
    """The study as CSV with a header; a cell is empty where there is nothing to say."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat_rows(study))
    return text.getvalue()


def flat_rows(study: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows of the CSV as dictionaries; an engine without results has one, with its reason."""
    for run in study["runs"]:
        gallery = study["galleries"][run["gallery"]]
        about = {name: gallery[name] for name in ("rows", "dimension", "source")}
        about |= {name: run[name] for name in ("engine", "status", "reason")}
        if run["status"] != "ok":
            yield about
            continue
        about |= {"k": run["k"], "peak_memory_bytes": run["peak_memory_bytes"]}
        for mode, measured in run["modes"].items():
            shares = measured["check"]["recall"]
            of_mode = about | {
                "mode": mode,
                "queries_per_call": measured["queries_per_call"],
                "recall_strict": shares["strict"],
                "recall_with_ties": shares["with_ties"],
            }
            times = [("time_without_io", "", measured["time_without_io_ms"])]
            times += [
                ("time_with_io", cache, entry)
                for cache, entry in measured["time_with_io_ms"].items()
            ]
            for name, cache, entry in times:
                yield of_mode | {"time": name, "page_cache": cache} | _figures(entry)


def _figures(entry: dict[str, Any]) -> dict[str, Any]:
    if "not_possible" in entry:
        return {"reason": entry["not_possible"]}
    figures = {f"{name}_ms": entry[name] for name in _STATISTICS}
    figures |= {name: entry[name] for name in _COUNTS}
    if "stages_ms" in entry:
        figures |= {f"{name}_ms": entry["stages_ms"][name] for name in _STAGE_NAMES}
        figures["wall_ms"] = entry["wall_ms"]
    return figures
