"""One declarative file per video benchmark, and the engine that scores by it."""

from __future__ import annotations

from fastvbench.protocols._export import Submission, export
from fastvbench.protocols._protocol import Protocol
from fastvbench.protocols._registry import get_protocol, list_protocols
from fastvbench.protocols._retrieve import retrieve
from fastvbench.protocols._score import score

__all__ = [
    "Protocol",
    "Submission",
    "export",
    "get_protocol",
    "list_protocols",
    "retrieve",
    "score",
]
