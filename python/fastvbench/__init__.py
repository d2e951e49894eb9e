"""fastvbench: right numbers from what a model said about long videos.

This module loads numpy and the compiled core only; scoring and file formats load on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.answers import Choices, parse_choice, parse_timestamps
from fastvbench.core import FastvbenchError, Flag, InputError, MissingExtraError, Status, info
from fastvbench.intervals import (
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
    from fastvbench.protocols import Protocol, get_protocol, list_protocols, score
    from fastvbench.results import Result

__all__ = [
    "Choices",
    "FastvbenchError",
    "Flag",
    "InputError",
    "Intervals",
    "Matches",
    "MissingExtraError",
    "Protocol",
    "Result",
    "Status",
    "average_precision",
    "get_protocol",
    "info",
    "interval_set_iou",
    "list_protocols",
    "match_intervals",
    "mean_iou",
    "parse_choice",
    "parse_timestamps",
    "recall_at_iou",
    "score",
    "temporal_iou",
]

__version__ = str(info()["version"])

_LOADED_ON_USE = {
    "Protocol": "fastvbench.protocols",
    "get_protocol": "fastvbench.protocols",
    "list_protocols": "fastvbench.protocols",
    "score": "fastvbench.protocols",
    "Result": "fastvbench.results",
}


def __getattr__(name: str) -> object:
    """Load the part of the public API that brings file formats with it."""
    if name not in _LOADED_ON_USE:
        raise AttributeError(f"module 'fastvbench' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    return getattr(importlib.import_module(_LOADED_ON_USE[name]), name)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LOADED_ON_USE))
