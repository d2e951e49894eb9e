"""Scores, their summaries with confidence intervals, and the versioned result file."""

from __future__ import annotations

from fastvbench.results._metrics import Metric
from fastvbench.results._result import Result
from fastvbench.results._strata import Stratum

__all__ = ["Metric", "Result", "Stratum"]
