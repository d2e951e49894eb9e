"""Retrieval: how many relevant items are found within the first k."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.report.charts._chart import Axis, BarChart, Line, LineChart, Series

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from fastvbench.report._view import ResultView
    from fastvbench.report.charts._chart import Chart

__all__ = ["retrieval_charts"]

_PREFIX = "recall@"
_CURVE_CUTS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def retrieval_charts(view: ResultView) -> Iterator[Chart]:
    """Recall within k by direction, and where the best relevant item stands."""
    if not view.is_retrieval:
        return
    yield _reported_recall(view)
    if view.rows is not None and view.rows.places is not None:
        yield from _places(view, view.rows.places)


def _reported_recall(view: ResultView) -> LineChart:
    """The recalls that the result reports, with their intervals: by direction."""
    directions = view.data["rules"][view.main_rule]["strata"]["direction"]
    lines = []
    words = []
    for direction, entries in directions.items():
        cuts = sorted(int(key[len(_PREFIX) :]) for key in entries if key.startswith(_PREFIX))
        shown = [view.shown(entries[f"{_PREFIX}{k}"], f"{_PREFIX}{k}") for k in cuts]
        pairs = [(k, s) for k, s in zip(cuts, shown, strict=True) if s.value is not None]
        known = all(s.low is not None and s.high is not None for _, s in pairs)
        lines.append(
            Line(
                direction.replace("_", " "),
                [float(k) for k, _ in pairs],
                [s.value or 0.0 for _, s in pairs],
                [s.low or 0.0 for _, s in pairs] if known else [],
                [s.high or 0.0 for _, s in pairs] if known else [],
            )
        )
        words.append(
            f"{direction.replace('_', ' ')}: "
            + ", ".join(f"{s.value:.1f} % within {k}" for k, s in pairs)
        )
    return LineChart(
        "Recall within the first k",
        f"Share of relevant items among the first k, mean over queries, with 95 % intervals. "
        f"{'; '.join(words)}.",
        lines,
        Axis("k", log=True, decimals=0),
        Axis("recall %", low=0, high=100),
    )


def _places(view: ResultView, places: npt.NDArray[np.int64]) -> Iterator[Chart]:
    """Where the best relevant item stands, counting those tied with it as half above it."""
    assert view.rows is not None
    ranked = places[:, 1] > 0
    if not ranked.any():
        return
    lines, words = [], []
    stratum = view.rows.strata.get("direction")
    groups = (
        [(name, stratum.rows[stratum.category == i]) for i, name in enumerate(stratum.categories)]
        if stratum is not None
        else [("all queries", np.arange(len(places)))]
    )
    for name, rows in groups:
        above, tied = places[rows, 0], np.maximum(places[rows, 1], 1)
        found = places[rows, 1] > 0
        largest = int((above + tied)[found].max()) if found.any() else 1
        cuts = [k for k in _CURVE_CUTS if k <= largest] or [1]
        # One relevant item among equals is within k in the share of their orders that put it there.
        shares = [
            100 * float(np.where(found, np.clip((k - above) / tied, 0.0, 1.0), 0.0).mean())
            for k in cuts
        ]
        lines.append(Line(name.replace("_", " "), [float(k) for k in cuts], shares))
        middle = float(np.median((above + (tied + 1) / 2)[found])) if found.any() else 0.0
        words.append(f"{name.replace('_', ' ')}: median place {middle:,.1f}")
    yield LineChart(
        "Queries whose best relevant item is within the first k",
        "Share of queries, counted from where each one's best relevant item stands; items with "
        f"equal scores count by the share of their orders. {'; '.join(words)}.",
        lines,
        Axis("k", log=True, decimals=0),
        Axis("queries %", low=0, high=100),
    )
    deep = places[ranked, 0] + 1
    edges = [0.5, 1.5, 5.5, 10.5, 20.5, 50.5, 100.5, 1000.5, float(max(deep.max(), 1001)) + 0.5]
    counts = np.histogram(deep, edges)[0].astype(int).tolist()
    names = ("1", "2-5", "6-10", "11-20", "21-50", "51-100", "101-1,000", "beyond 1,000")
    yield BarChart(
        "Where the best relevant item stands",
        f"Queries by the place of their best relevant item. First in {counts[0]:,} of "
        f"{len(deep):,}; not ranked at all in {int((~ranked).sum()):,}.",
        "place",
        list(names),
        [Series("queries", [float(count) for count in counts])],
        Axis("queries", low=0, decimals=0),
    )
