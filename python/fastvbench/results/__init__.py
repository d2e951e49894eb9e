"""Scores, their summaries with confidence intervals, comparisons, and the versioned files."""

from __future__ import annotations

from fastvbench.results._compare import compare
from fastvbench.results._comparison import Comparison
from fastvbench.results._metrics import Metric
from fastvbench.results._result import Result
from fastvbench.results._samples import SampleTable
from fastvbench.results._samples_file import read_result, read_samples, samples_of
from fastvbench.results._strata import Stratum

__all__ = [
    "Comparison",
    "Metric",
    "Result",
    "SampleTable",
    "Stratum",
    "compare",
    "read_result",
    "read_samples",
    "samples_of",
]
