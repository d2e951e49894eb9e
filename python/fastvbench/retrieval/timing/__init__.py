"""The retrieval-time study: with and without I/O, engine by engine, each in its own process."""

from __future__ import annotations

from fastvbench.retrieval.timing._csv import flat_rows, study_csv
from fastvbench.retrieval.timing._data import LOVR_CLIPS, LOVR_VIDEOS, write_generated
from fastvbench.retrieval.timing._plan import StudyPlan, usable_threads
from fastvbench.retrieval.timing._plot import check_plot, plot_study
from fastvbench.retrieval.timing._study import run_study

__all__ = [
    "LOVR_CLIPS",
    "LOVR_VIDEOS",
    "StudyPlan",
    "check_plot",
    "flat_rows",
    "plot_study",
    "run_study",
    "study_csv",
    "usable_threads",
    "write_generated",
]
