"""Models: what answers questions about videos, and what turns captions and frames into vectors."""

from __future__ import annotations

from fastvbench.models._specifications import load_embedder, load_generator
from fastvbench.models._types import (
    Embedded,
    Embedder,
    FinishReason,
    Frames,
    GenerationSettings,
    Generator,
    ModelLostError,
    Request,
    Response,
)

__all__ = [
    "Embedded",
    "Embedder",
    "FinishReason",
    "Frames",
    "GenerationSettings",
    "Generator",
    "ModelLostError",
    "Request",
    "Response",
    "load_embedder",
    "load_generator",
]
