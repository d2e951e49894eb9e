"""Numbers that others report, beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.report._published import beside
from fastvbench.report.charts._chart import ChartTable, IntervalChart, Series

if TYPE_CHECKING:
    from fastvbench.report._published import Beside
    from fastvbench.report._view import ResultView

__all__ = ["published_chart", "published_table"]

MOST_SHOWN = 24
MOST_NAMED = 5


def published_chart(view: ResultView) -> IntervalChart | None:
    """Ours with its interval among what others report in the main metric; None without any.

    Of many numbers the ones nearest to ours are drawn, people and guessing always.
    """
    ours = view.headline()
    metric = view.metric(view.main_metric)
    pairs = [
        pair for pair in beside(view.data, parts=False) if pair.published.metric == view.main_metric
    ]
    if not pairs or ours.value is None:
        return None
    middle = ours.value
    pairs.sort(key=lambda pair: abs(pair.published.value * metric.scale - middle))
    drawn = [pair for pair in pairs if pair.published.kind != "model"]
    drawn += [pair for pair in pairs if pair.published.kind == "model"]
    drawn = drawn[:MOST_SHOWN]
    within = [pair.published.model for pair in pairs if pair.place == "in our interval"]
    entries = [(pair.published.value * metric.scale, _name(pair)) for pair in drawn]
    own = f"{view.label} (ours)"
    ordered = sorted([*entries, (middle, own)], key=lambda entry: -entry[0])
    names = [name for _, name in ordered]
    place = names.index(own)
    blank: list[float | None] = [None] * len(names)
    low, high, mine, theirs = list(blank), list(blank), list(blank), list(blank)
    for i, (value, _) in enumerate(ordered):
        (mine if i == place else theirs)[i] = value
    low[place], high[place] = ours.low, ours.high
    axis = view.axis(view.main_metric)
    left_out = len(pairs) - len(drawn)
    return IntervalChart(
        "Published numbers beside ours",
        f"{axis.title}: ours is {axis.shown(middle)} under {view.main_rule}. "
        f"{_within_words(within, len(pairs))} Others may have used other frames, "
        "prompts and rules: the table says what is known."
        + (f" {left_out} numbers further away are in the table only." if left_out else ""),
        "model",
        names,
        [
            Series("ours", mine, low, high) if ours.low is not None else Series("ours", mine),
            Series("published", theirs),
        ],
        axis,
    )


def _within_words(within: list[str], count: int) -> str:
    if not within:
        return f"None of {count} published numbers lies in our 95 % interval."
    names = ", ".join(dict.fromkeys(within[:MOST_NAMED]))
    more = " and others" if len(within) > MOST_NAMED else ""
    return f"{len(within)} of {count} published numbers lie in our 95 % interval: {names}{more}."


def _name(pair: Beside) -> str:
    theirs = pair.published
    return f"{theirs.model} (people)" if theirs.kind == "human" else theirs.model


def published_table(view: ResultView) -> ChartTable:
    """Every published number that the result has a value for, with what is known of it."""
    rows = []
    for pair in beside(view.data):
        theirs, metric = pair.published, view.metric(pair.published.metric)
        part = "all" if theirs.stratum is None else f"{theirs.stratum}: {theirs.category}"
        rows.append(
            [
                _name(pair),
                metric.title,
                part.replace("_", " "),
                f"{theirs.value * metric.scale:.{metric.decimals}f}",
                metric.shown(pair.value),
                pair.place or "-",
                "-" if theirs.n is None else f"{theirs.n:,}",
                theirs.frames or "not stated",
                theirs.rule or "not stated",
                theirs.note,
                theirs.source + (" (quoted)" if theirs.quoted else ""),
                theirs.date,
            ]
        )
    header = ["model", "metric", "rows", "published", "ours", "published is"]
    header += ["n", "frames", "rule", "note", "source", "date"]
    return ChartTable(header, rows)
