"""fastvbench: right numbers from what a model said about long videos.

This module loads numpy and the compiled core only; scoring and file formats load on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.answers import Choices, parse_choice, parse_timestamps
from fastvbench.core import (
    VERSION,
    DeviceError,
    FastvbenchError,
    Flag,
    InputError,
    MissingExtraError,
    Status,
    info,
)
from fastvbench.intervals import (
    DeviceIntervals,
    Intervals,
    Matches,
    average_precision,
    interval_set_iou,
    match_intervals,
    mean_iou,
    recall_at_iou,
    temporal_iou,
)

if TYPE_CHECKING:
    from fastvbench import video
    from fastvbench.answers._short_answer_scores import anls, exact_match, relaxed_accuracy
    from fastvbench.protocols import (
        Protocol,
        Submission,
        export,
        get_protocol,
        list_protocols,
        retrieve,
        score,
    )
    from fastvbench.report import write_report
    from fastvbench.results import Comparison, Result, compare
    from fastvbench.retrieval import (
        Gallery,
        Ranks,
        TopK,
        hit_rate_at_k,
        mean_reciprocal_rank,
        median_rank,
        ndcg_at_k,
        ranks,
        recall_at_k,
        search,
    )
    from fastvbench.runs import merge, run

__all__ = [
    "Choices",
    "Comparison",
    "DeviceError",
    "DeviceIntervals",
    "FastvbenchError",
    "Flag",
    "Gallery",
    "InputError",
    "Intervals",
    "Matches",
    "MissingExtraError",
    "Protocol",
    "Ranks",
    "Result",
    "Status",
    "Submission",
    "TopK",
    "anls",
    "average_precision",
    "compare",
    "exact_match",
    "export",
    "get_protocol",
    "hit_rate_at_k",
    "info",
    "interval_set_iou",
    "list_protocols",
    "match_intervals",
    "mean_iou",
    "mean_reciprocal_rank",
    "median_rank",
    "merge",
    "ndcg_at_k",
    "parse_choice",
    "parse_timestamps",
    "ranks",
    "recall_at_iou",
    "recall_at_k",
    "relaxed_accuracy",
    "retrieve",
    "run",
    "score",
    "search",
    "temporal_iou",
    "video",
    "write_report",
]

__version__ = VERSION

_LOADED_ON_USE = {
    "anls": "fastvbench.answers._short_answer_scores",
    "exact_match": "fastvbench.answers._short_answer_scores",
    "relaxed_accuracy": "fastvbench.answers._short_answer_scores",
    "Protocol": "fastvbench.protocols",
    "Submission": "fastvbench.protocols",
    "export": "fastvbench.protocols",
    "get_protocol": "fastvbench.protocols",
    "list_protocols": "fastvbench.protocols",
    "retrieve": "fastvbench.protocols",
    "score": "fastvbench.protocols",
    "Comparison": "fastvbench.results",
    "Result": "fastvbench.results",
    "compare": "fastvbench.results",
    "merge": "fastvbench.runs",
    "run": "fastvbench.runs",
    "Gallery": "fastvbench.retrieval",
    "Ranks": "fastvbench.retrieval",
    "TopK": "fastvbench.retrieval",
    "hit_rate_at_k": "fastvbench.retrieval",
    "mean_reciprocal_rank": "fastvbench.retrieval",
    "median_rank": "fastvbench.retrieval",
    "ndcg_at_k": "fastvbench.retrieval",
    "ranks": "fastvbench.retrieval",
    "recall_at_k": "fastvbench.retrieval",
    "search": "fastvbench.retrieval",
    "write_report": "fastvbench.report",
}
_ROOMS_LOADED_ON_USE = ("video",)


def __getattr__(name: str) -> object:
    """Load the part of the public API that brings file formats with it."""
    import importlib  # noqa: PLC0415

    if name in _ROOMS_LOADED_ON_USE:
        return importlib.import_module(f"fastvbench.{name}")
    if name not in _LOADED_ON_USE:
        raise AttributeError(f"module 'fastvbench' has no attribute {name!r}")

    return getattr(importlib.import_module(_LOADED_ON_USE[name]), name)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LOADED_ON_USE) | set(_ROOMS_LOADED_ON_USE))
