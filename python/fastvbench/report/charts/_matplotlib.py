"""Draws charts with matplotlib, for pictures."""

from __future__ import annotations

import importlib.util
import io
import math
from typing import TYPE_CHECKING, Any

from fastvbench.core import MissingExtraError
from fastvbench.report.charts._chart import (
    BarChart,
    Chart,
    HeatChart,
    HistogramChart,
    IntervalChart,
    LineChart,
    StackChart,
)
from fastvbench.report.charts._colours import INK, SERIES, part_colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.report.charts._chart import Axis

__all__ = ["picture", "require_matplotlib"]

PANEL_WIDTH_INCHES = 6.0
LEGEND_COLUMNS = 3
ROW_INCHES = 0.32
LONGEST_LABEL = 28
DOTS_PER_INCH = 130
_MARKERS = "os^Dv*Pp"


def require_matplotlib() -> None:
    """Refuse early what drawing would refuse later.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("a picture of results", "report")


def picture(charts: Sequence[Chart], *, title: str) -> bytes:
    """Charts as one PNG, two beside each other.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415

    columns = min(2, len(charts))
    rows = math.ceil(len(charts) / columns)
    heights = [
        max(_inches(chart) for chart in charts[columns * i : columns * (i + 1)])
        for i in range(rows)
    ]
    figure = Figure(
        figsize=(PANEL_WIDTH_INCHES * columns, sum(heights) + 0.5), layout="constrained"
    )
    panels = figure.subplots(rows, columns, squeeze=False, height_ratios=heights).ravel()
    for panel, chart in zip(panels, charts, strict=False):
        _draw(panel, chart)
    for panel in panels[len(charts) :]:
        panel.set_axis_off()
    figure.suptitle(_plain(title), fontsize=13)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DOTS_PER_INCH)
    return content.getvalue()


def _inches(chart: Chart) -> float:
    if isinstance(chart, IntervalChart):
        return 1.3 + ROW_INCHES * len(chart.categories) * max(1.0, 0.6 * len(chart.series))
    if isinstance(chart, StackChart):
        return 1.5 + ROW_INCHES * (len(chart.bars) + _legend_rows(chart))
    return 3.2


def _plain(text: str) -> str:
    """Text that matplotlib takes as it is: a dollar sign would begin a formula."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return shown.replace("$", r"\$")


def _short(labels: list[str]) -> list[str]:
    return [_plain(x if len(x) <= LONGEST_LABEL else x[: LONGEST_LABEL - 1] + "…") for x in labels]


def _draw(panel: Any, chart: Chart) -> None:
    if isinstance(chart, IntervalChart):
        _intervals(panel, chart)
    elif isinstance(chart, StackChart):
        _stack(panel, chart)
    elif isinstance(chart, BarChart):
        _bars(panel, chart)
    elif isinstance(chart, HistogramChart):
        _histogram(panel, chart)
    elif isinstance(chart, LineChart):
        _lines(panel, chart)
    elif isinstance(chart, HeatChart):
        _heat(panel, chart)
    else:
        raise TypeError(f"no drawing for {type(chart).__name__}")
    panel.set_title(_plain(chart.title), fontsize=11, loc="left")
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def _ends(axis: Axis, current: tuple[float, float]) -> tuple[float, float]:
    air = 0.0 if axis.low is None or axis.high is None else 0.02 * (axis.high - axis.low)
    low = current[0] if axis.low is None else axis.low - air
    high = current[1] if axis.high is None else axis.high + air
    return low, high


def _legend(panel: Any, count: int, **place: Any) -> None:
    if count > 1:
        panel.legend(fontsize=8, frameon=False, ncols=min(count, LEGEND_COLUMNS), **place)


def _intervals(panel: Any, chart: IntervalChart) -> None:
    several = len(chart.series)
    for place, series in enumerate(chart.series):
        offset = 0.0 if several == 1 else 0.5 * place / (several - 1) - 0.25
        shown = [i for i, value in enumerate(series.values) if value is not None]
        values = [series.values[i] or 0.0 for i in shown]
        colour = SERIES[place % len(SERIES)]
        errors = None
        if series.low:
            ends = [(series.low[i], series.high[i]) for i in shown]
            errors = [
                [
                    max(v - (v if low is None else low), 0.0)
                    for v, (low, _) in zip(values, ends, strict=True)
                ],
                [
                    max((v if high is None else high) - v, 0.0)
                    for v, (_, high) in zip(values, ends, strict=True)
                ],
            ]
        panel.errorbar(
            values,
            [i + offset for i in shown],
            xerr=errors,
            fmt=_MARKERS[place % len(_MARKERS)],
            color=colour,
            markersize=6,
            markerfacecolor=colour if place == 0 else "white",
            elinewidth=2,
            label=_plain(series.name),
        )
    panel.set_yticks(range(len(chart.categories)), _short(chart.categories), fontsize=9)
    panel.set_ylim(len(chart.categories) - 0.4, -0.6)
    if chart.reference is not None:
        panel.axvline(chart.reference, color=INK, linestyle="--", linewidth=1)
    panel.set_xlim(*_ends(chart.axis, panel.get_xlim()))
    panel.set_xlabel(_plain(chart.axis.title), fontsize=9)
    panel.grid(axis="x", alpha=0.3)
    _legend(panel, several)


def _legend_rows(chart: StackChart) -> int:
    return math.ceil(len(chart.parts) / LEGEND_COLUMNS)


def _stack(panel: Any, chart: StackChart) -> None:
    begin = [0] * len(chart.bars)
    for place, (part, counts) in enumerate(chart.parts.items()):
        panel.barh(
            range(len(chart.bars)),
            counts,
            left=begin,
            height=0.6,
            color=part_colour(part, place),
            label=_plain(part),
        )
        begin = [b + c for b, c in zip(begin, counts, strict=True)]
    panel.set_yticks(range(len(chart.bars)), _short(chart.bars), fontsize=9)
    # Bars may fill the whole width, so the legend has rows of its own above them.
    panel.set_ylim(len(chart.bars) - 0.5, -0.5 - _legend_rows(chart))
    panel.set_xlabel(_plain(chart.axis.title), fontsize=9)
    _legend(panel, max(len(chart.parts), 2), loc="upper right")


def _bars(panel: Any, chart: BarChart) -> None:
    wide = 0.8 / len(chart.series)
    for place, series in enumerate(chart.series):
        offset = wide * (place - (len(chart.series) - 1) / 2)
        panel.bar(
            [i + offset for i in range(len(chart.categories))],
            [value or 0.0 for value in series.values],
            width=0.9 * wide,
            color=SERIES[place % len(SERIES)],
            label=_plain(series.name),
        )
    panel.set_xticks(range(len(chart.categories)), _short(chart.categories), fontsize=9)
    panel.set_xlabel(_plain(chart.category_title), fontsize=9)
    panel.set_ylabel(_plain(chart.axis.title), fontsize=9)
    _legend(panel, len(chart.series))


def _histogram(panel: Any, chart: HistogramChart) -> None:
    below = [0] * (len(chart.edges) - 1)
    widths = [b - a for a, b in zip(chart.edges[:-1], chart.edges[1:], strict=True)]
    for place, (name, counts) in enumerate(chart.counts.items()):
        colour = SERIES[0] if len(chart.counts) == 1 else part_colour(name, place)
        panel.bar(
            chart.edges[:-1],
            counts,
            width=widths,
            bottom=below,
            align="edge",
            color=colour,
            edgecolor="white",
            linewidth=0.5,
            label=_plain(name),
        )
        below = [b + c for b, c in zip(below, counts, strict=True)]
    for mark in chart.marks:
        panel.axvline(mark, color=INK, linestyle="--", linewidth=1)
    panel.set_xlabel(_plain(chart.x_axis.title), fontsize=9)
    panel.set_ylabel(_plain(chart.y_axis.title), fontsize=9)
    _legend(panel, len(chart.counts))


def _lines(panel: Any, chart: LineChart) -> None:
    paired = any(line.dashed for line in chart.lines)
    for place, line in enumerate(chart.lines):
        colour = SERIES[(place // 2 if paired else place) % len(SERIES)]
        panel.plot(
            line.x,
            line.y,
            "--" if line.dashed else "-",
            color=colour,
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=4,
            label=_plain(line.name),
        )
        if line.low:
            panel.fill_between(line.x, line.low, line.high, color=colour, alpha=0.18, linewidth=0)
    if chart.x_axis.log:
        panel.set_xscale("log")
    if chart.y_axis.log:
        panel.set_yscale("log")
    panel.set_xlim(*_ends(chart.x_axis, panel.get_xlim()))
    panel.set_ylim(*_ends(chart.y_axis, panel.get_ylim()))
    panel.set_xlabel(_plain(chart.x_axis.title), fontsize=9)
    panel.set_ylabel(_plain(chart.y_axis.title), fontsize=9)
    panel.grid(alpha=0.3)
    _legend(panel, len(chart.lines))


def _heat(panel: Any, chart: HeatChart) -> None:
    panel.imshow(chart.counts, cmap="Blues", aspect="auto")
    most = max((count for counts in chart.counts for count in counts), default=1)
    for i, counts in enumerate(chart.counts):
        for j, count in enumerate(counts):
            colour = "white" if count > 0.55 * most else "black"
            panel.text(j, i, f"{count:,}", ha="center", va="center", fontsize=8, color=colour)
    panel.set_xticks(range(len(chart.columns)), _short(chart.columns), fontsize=9)
    panel.set_yticks(range(len(chart.rows)), _short(chart.rows), fontsize=9)
    panel.set_xlabel(_plain(chart.column_title), fontsize=9)
    panel.set_ylabel(_plain(chart.row_title), fontsize=9)
