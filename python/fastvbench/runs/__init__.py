"""Runs: carry a benchmark through a model, and survive everything on the way."""

from __future__ import annotations

from fastvbench.runs._merge import merge
from fastvbench.runs._run import run

__all__ = ["merge", "run"]
