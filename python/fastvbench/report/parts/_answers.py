"""Letters: which options were given and which are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.report.charts._chart import Axis, BarChart, HeatChart, Series
from fastvbench.results._samples import letter_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.report._view import ResultView
    from fastvbench.report.charts._chart import Chart

__all__ = ["answer_charts"]

NONE_READ = "none"
MOST_LETTERS = 12


def answer_charts(view: ResultView) -> Iterator[Chart]:
    """Options given beside options right, and how they pair up."""
    if view.rows is None or view.rows.gold.letters is None:
        return
    gold, given = view.rows.gold.letters, view.rows.rules[view.main_rule].letters
    keyed = gold >= 0
    if not keyed.any() or not (given[keyed] >= 0).any():
        return
    gold, given = gold[keyed].astype(np.int64), given[keyed].astype(np.int64)
    most = int(max(gold.max(), given.max())) + 1
    if most > MOST_LETTERS:
        return
    letters = [letter_text(i) or "" for i in range(most)]
    given_counts = np.bincount(given[given >= 0], minlength=most)
    gold_counts = np.bincount(gold, minlength=most)
    total = len(gold)
    unread = int((given < 0).sum())
    largest = int(given_counts.argmax())
    yield BarChart(
        "Options given and options right",
        f"How often each letter is right, and how often {view.main_rule} reads it, of {total:,} "
        f"rows. Given most often: {letters[largest]}, {given_counts[largest]:,} times; it is right "
        f"{gold_counts[largest]:,} times. No letter was read in {unread:,} rows.",
        "option",
        [*letters, NONE_READ] if unread else letters,
        [
            Series("right", [float(n) for n in gold_counts] + ([0.0] if unread else [])),
            Series("given", [float(n) for n in given_counts] + ([float(unread)] if unread else [])),
        ],
        Axis("rows", low=0, decimals=0),
    )
    pairs = np.zeros((most, most + 1), dtype=np.int64)
    np.add.at(pairs, (gold, np.where(given < 0, most, given)), 1)
    recalls = [
        f"{letters[i]} {100 * pairs[i, i] / gold_counts[i]:.1f} %"
        for i in range(most)
        if gold_counts[i]
    ]
    yield HeatChart(
        "Which option was taken for which",
        "Rows by right option (from top to bottom) and option given (from left to right); the "
        f"diagonal is right. Found of each right option: {', '.join(recalls)}.",
        "right",
        "given",
        letters,
        [*letters, NONE_READ] if unread else letters,
        (pairs if unread else pairs[:, :most]).tolist(),
    )
