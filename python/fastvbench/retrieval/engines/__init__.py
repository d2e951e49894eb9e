"""The engines of the timing study and of the speed benchmarks, each with its best settings."""

from __future__ import annotations

from fastvbench.retrieval.engines._cpu import cpu_model
from fastvbench.retrieval.engines._engine import Engine, Neighbours, unit_rows
from fastvbench.retrieval.engines._faiss import faiss_environment
from fastvbench.retrieval.engines._registry import (
    ENGINES,
    MissingEngineError,
    check_installed,
    engine_environment,
    engine_variables,
    is_installed,
    make_engine,
)

__all__ = [
    "ENGINES",
    "Engine",
    "MissingEngineError",
    "Neighbours",
    "check_installed",
    "cpu_model",
    "engine_environment",
    "engine_variables",
    "faiss_environment",
    "is_installed",
    "make_engine",
    "unit_rows",
]
