"""Draws charts with Bokeh, for a page that is wide or narrow, light or dark.

Text and grid take their colours from the page's style sheet (``--bk-...`` properties), so that one
drawing serves both grounds.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

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
from fastvbench.results._strict_json import json_line

if TYPE_CHECKING:
    from fastvbench.report.charts._chart import Axis

__all__ = ["PlotData", "plot_data", "require_bokeh", "script_text"]

LONGEST_LABEL = 24
LEGEND_ROW_PIXELS = 22
LIGHT_CELL = (219, 232, 245)
DEEP_CELL = (24, 88, 148)
WHITE_FROM_SHARE = 0.5
_MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star", "plus")


def require_bokeh() -> None:
    """Refuse early what drawing would refuse later.

    Raises:
        MissingExtraError: Bokeh is not installed.
    """
    try:
        import bokeh  # noqa: F401, PLC0415
    except ImportError:
        raise MissingExtraError("an HTML report", "report") from None


def script_text() -> str:
    """Bokeh's own script for the browser, whole, so that a page needs no network."""
    from bokeh.resources import INLINE  # noqa: PLC0415

    return "\n".join(INLINE.clone(components=["bokeh"]).js_raw)


class PlotData(NamedTuple):
    """What the browser needs to draw a chart, and the room that it will take."""

    json: str
    height_pixels: int


def plot_data(chart: Chart) -> PlotData:
    """What the browser needs to draw a chart.

    Raises:
        MissingExtraError: Bokeh is not installed.
    """
    require_bokeh()
    from bokeh.embed import json_item  # noqa: PLC0415

    figure = _figure(chart)
    item = json_item(figure)
    return PlotData(json_line(json.loads(json.dumps(item))).decode().strip(), int(figure.height))


def _figure(chart: Chart) -> Any:
    if isinstance(chart, IntervalChart):
        return _intervals(chart)
    if isinstance(chart, StackChart):
        return _stack(chart)
    if isinstance(chart, BarChart):
        return _bars(chart)
    if isinstance(chart, HistogramChart):
        return _histogram(chart)
    if isinstance(chart, LineChart):
        return _lines(chart)
    if isinstance(chart, HeatChart):
        return _heat(chart)
    raise TypeError(f"no drawing for {type(chart).__name__}")


# ---- what all figures share ---------------------------------------------------------------------


def _short(labels: list[str]) -> list[str]:
    """Labels that fit a phone, still apart from each other."""
    cut = [x if len(x) <= LONGEST_LABEL else x[: LONGEST_LABEL - 1] + "…" for x in labels]
    seen: dict[str, int] = {}
    apart = []
    for label in cut:
        seen[label] = seen.get(label, 0) + 1
        apart.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return apart


def _blank(height: int, **settings: Any) -> Any:
    from bokeh.plotting import figure  # noqa: PLC0415

    plot = figure(
        height=height,
        sizing_mode="stretch_width",
        tools="",
        toolbar_location=None,
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_alpha=0,
        min_border_right=14,
        **settings,
    )
    for axis in (plot.xaxis, plot.yaxis):
        axis.axis_line_alpha = 0.35
        axis.axis_line_color = INK
        axis.major_tick_line_color = INK
        axis.minor_tick_line_alpha = 0
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = "12px"
        axis.major_label_text_font_size = "12px"
    plot.grid.grid_line_alpha = 0.28
    plot.grid.grid_line_color = INK
    return plot


def _hover(plot: Any, renderers: list[Any], tooltips: list[tuple[str, str]]) -> None:
    from bokeh.models import HoverTool  # noqa: PLC0415

    plot.add_tools(HoverTool(renderers=renderers, tooltips=tooltips, point_policy="follow_mouse"))


def _legend(plot: Any, items: list[tuple[str, list[Any]]], *, height: int) -> None:
    """A legend above the plot, in as many columns as a phone can show."""
    from bokeh.models import Legend  # noqa: PLC0415

    longest = max(len(name) for name, _ in items)
    columns = 3 if longest <= 10 else 2 if longest <= 20 else 1
    legend = Legend(
        items=[(name if len(name) <= 40 else name[:39] + "…", glyphs) for name, glyphs in items],
        ncols=columns,
        click_policy="hide",
        background_fill_alpha=0,
        border_line_alpha=0,
        label_text_font_size="12px",
        padding=2,
        margin=2,
        spacing=4,
        glyph_width=16,
        glyph_height=16,
        stylesheets=[".bk-label { color: inherit !important; }"],  # of the page, light or dark
    )
    plot.add_layout(legend, "above")
    plot.height = height + LEGEND_ROW_PIXELS * (-(-len(items) // columns))


def _numbers(plot: Any, axis: Axis, *, vertical: bool = False) -> None:
    """Ends, ticks and number format of an axis that measures."""
    from bokeh.models import BasicTicker, NumeralTickFormatter  # noqa: PLC0415

    span, drawn = (plot.y_range, plot.yaxis) if vertical else (plot.x_range, plot.xaxis)
    # Marks at an end of the axis are drawn whole: there is a little air beyond it.
    air = 0.0 if axis.low is None or axis.high is None else 0.02 * (axis.high - axis.low)
    if axis.low is not None:
        span.start = axis.low - air
    if axis.high is not None:
        span.end = axis.high + air
    drawn.axis_label = axis.title
    if axis.ticks is not None:
        drawn.ticker = list(axis.ticks)
    elif not axis.log:
        drawn.ticker = BasicTicker(desired_num_ticks=5)  # as many as a phone has room for
    drawn.formatter = NumeralTickFormatter(format="0,0[.]" + "0" * 3 if axis.log else "0,0[.][00]")


def _room(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis that shows these values with some air."""
    air = 0.06 * (high - low) or max(abs(high) * 0.1, 1.0)
    return low - air, high + air


# ---- one function a kind of chart ---------------------------------------------------------------


def _intervals(chart: IntervalChart) -> Any:
    from bokeh.models import ColumnDataSource, FactorRange, Range1d, Span  # noqa: PLC0415
    from bokeh.transform import dodge  # noqa: PLC0415

    names = _short(chart.categories)
    several = len(chart.series)
    row_pixels = max(26, 15 * several)
    height = 74 + row_pixels * max(len(names), 1)
    known = [
        x
        for s in chart.series
        for x in (*s.values, *s.low, *s.high, chart.reference)
        if x is not None
    ]
    low, high = _room(min(known), max(known)) if known else (0.0, 1.0)
    plot = _blank(
        height,
        y_range=FactorRange(*reversed(names), range_padding=0.02),
        x_range=Range1d(
            low if chart.axis.low is None else chart.axis.low,
            high if chart.axis.high is None else chart.axis.high,
        ),
    )
    plot.ygrid.visible = False
    items = []
    for place, series in enumerate(chart.series):
        offset = 0.0 if several == 1 else 0.32 - 0.64 * place / (several - 1)
        shown = [i for i, value in enumerate(series.values) if value is not None]
        colour = SERIES[place % len(SERIES)]
        source = ColumnDataSource(
            {
                "name": [names[i] for i in shown],
                "whole": [chart.categories[i] for i in shown],
                "value": [series.values[i] for i in shown],
                "low": [series.low[i] if series.low else None for i in shown],
                "high": [series.high[i] if series.low else None for i in shown],
                "text": [_interval_text(chart, series, i) for i in shown],
            }
        )
        y = dodge("name", offset, range=plot.y_range)
        glyphs = []
        if series.low:
            glyphs.append(
                plot.segment(
                    "low", y, "high", y, source=source, line_color=colour, line_width=3, alpha=0.55
                )
            )
        points = plot.scatter(
            "value",
            y,
            source=source,
            size=10 if place == 0 else 9,
            marker=_MARKERS[place % len(_MARKERS)],
            line_color=colour,
            line_width=2,
            fill_color=colour,
            fill_alpha=1.0 if place == 0 else 0.35,
        )
        glyphs.append(points)
        _hover(plot, [points], [(chart.category_title, "@whole"), (series.name, "@text")])
        items.append((series.name, glyphs))
    if chart.reference is not None:
        plot.add_layout(
            Span(
                location=chart.reference,
                dimension="height",
                line_dash="dashed",
                line_color=INK,
                line_alpha=0.8,
            )
        )
    _numbers(plot, chart.axis)
    if several > 1:
        _legend(plot, items, height=height)
    return plot


def _interval_text(chart: IntervalChart, series: Any, place: int) -> str:
    text = chart.axis.shown(series.values[place])
    if series.low and series.low[place] is not None:
        text += f" [{chart.axis.shown(series.low[place])}, {chart.axis.shown(series.high[place])}]"
    if series.counts:
        text += f", n {series.counts[place]:,}"
    return text


def _stack(chart: StackChart) -> Any:
    from bokeh.models import ColumnDataSource, FactorRange, Range1d  # noqa: PLC0415

    names = _short(chart.bars)
    height = 70 + 40 * len(names)
    total = max(
        (sum(counts[i] for counts in chart.parts.values()) for i in range(len(names))), default=1
    )
    plot = _blank(
        height,
        y_range=FactorRange(*reversed(names), range_padding=0.05),
        x_range=Range1d(0, max(total, 1)),
    )
    plot.ygrid.visible = False
    begin = [0] * len(names)
    items = []
    for place, (part, counts) in enumerate(chart.parts.items()):
        end = [b + c for b, c in zip(begin, counts, strict=True)]
        source = ColumnDataSource(
            {
                "bar": names,
                "left": begin,
                "right": end,
                "part": [part] * len(names),
                "count": [f"{count:,}" for count in counts],
            }
        )
        bars = plot.hbar(
            y="bar",
            left="left",
            right="right",
            height=0.62,
            source=source,
            fill_color=part_colour(part, place),
            line_color=None,
        )
        _hover(plot, [bars], [("", "@bar"), ("@part", "@count")])
        items.append((f"{part} {sum(counts):,}" if len(names) == 1 else part, [bars]))
        begin = end
    _numbers(plot, chart.axis)
    _legend(plot, items, height=height)
    return plot


def _bars(chart: BarChart) -> Any:
    from bokeh.models import ColumnDataSource, FactorRange, Range1d  # noqa: PLC0415
    from bokeh.transform import dodge  # noqa: PLC0415

    names = _short(chart.categories)
    top = max((v for s in chart.series for v in s.values if v is not None), default=1.0)
    height = 250
    plot = _blank(
        height,
        x_range=FactorRange(*names, range_padding=0.04),
        y_range=Range1d(0, (1.08 * top) or 1),
    )
    plot.xgrid.visible = False
    wide = 0.8 / len(chart.series)
    items = []
    for place, series in enumerate(chart.series):
        source = ColumnDataSource(
            {
                "name": names,
                "value": [v or 0 for v in series.values],
                "text": [chart.axis.shown(v) for v in series.values],
            }
        )
        offset = wide * (place - (len(chart.series) - 1) / 2)
        bars = plot.vbar(
            x=dodge("name", offset, range=plot.x_range),
            top="value",
            width=wide * 0.9,
            source=source,
            fill_color=SERIES[place % len(SERIES)],
            line_color=None,
        )
        _hover(plot, [bars], [(chart.category_title, "@name"), (series.name, "@text")])
        items.append((series.name, [bars]))
    _numbers(plot, chart.axis, vertical=True)
    plot.xaxis.axis_label = chart.category_title
    _legend(plot, items, height=height)
    return plot


def _histogram(chart: HistogramChart) -> Any:
    from bokeh.models import ColumnDataSource, Range1d, Span  # noqa: PLC0415

    bins = len(chart.edges) - 1
    sums = [sum(counts[i] for counts in chart.counts.values()) for i in range(bins)]
    height = 250
    plot = _blank(
        height,
        x_range=Range1d(chart.edges[0], chart.edges[-1]),
        y_range=Range1d(0, 1.08 * max([*sums, 1])),
    )
    plot.xgrid.visible = False
    below = [0] * bins
    items = []
    for place, (name, counts) in enumerate(chart.counts.items()):
        top = [b + c for b, c in zip(below, counts, strict=True)]
        source = ColumnDataSource(
            {
                "left": chart.edges[:-1],
                "right": chart.edges[1:],
                "bottom": below,
                "top": top,
                "bin": [row[0] for row in chart.table().rows],
                "count": [f"{count:,}" for count in counts],
            }
        )
        colour = SERIES[0] if len(chart.counts) == 1 else part_colour(name, place)
        bars = plot.quad(
            left="left",
            right="right",
            bottom="bottom",
            top="top",
            source=source,
            fill_color=colour,
            fill_alpha=0.9,
            line_color=colour,
        )
        _hover(plot, [bars], [(chart.x_axis.title, "@bin"), (name, "@count")])
        items.append((name, [bars]))
        below = top
    for mark in chart.marks:
        plot.add_layout(
            Span(
                location=mark,
                dimension="height",
                line_dash="dashed",
                line_color=INK,
                line_alpha=0.8,
            )
        )
    _numbers(plot, chart.x_axis)
    _numbers(plot, chart.y_axis, vertical=True)
    if len(chart.counts) > 1:
        _legend(plot, items, height=height)
    return plot


def _lines(chart: LineChart) -> Any:
    from bokeh.models import ColumnDataSource  # noqa: PLC0415

    height = 290
    plot = _blank(
        height,
        x_axis_type="log" if chart.x_axis.log else "linear",
        y_axis_type="log" if chart.y_axis.log else "linear",
    )
    items = []
    for place, line in enumerate(chart.lines):
        colour = SERIES[(place // 2 if _paired(chart) else place) % len(SERIES)]
        source = ColumnDataSource(
            {"x": line.x, "y": line.y, "text": [chart.cell(line, x) for x in line.x]}
            | ({"low": line.low, "high": line.high} if line.low else {})
        )
        glyphs = []
        if line.low:
            glyphs.append(
                plot.varea("x", "low", "high", source=source, fill_color=colour, fill_alpha=0.18)
            )
        glyphs.append(
            plot.line(
                "x",
                "y",
                source=source,
                line_color=colour,
                line_width=2.5,
                line_dash="dashed" if line.dashed else "solid",
            )
        )
        points = plot.scatter(
            "x",
            "y",
            source=source,
            size=8 if chart.points else 5,
            marker=_MARKERS[place % len(_MARKERS)],
            color=colour,
            fill_alpha=1.0 if chart.points else 0.0,
            line_alpha=1.0 if chart.points else 0.0,
        )
        glyphs.append(points)
        _hover(plot, [points], [(chart.x_axis.title, "@x{0,0[.][000]}"), (line.name, "@text")])
        items.append((line.name, glyphs))
    _numbers(plot, chart.x_axis)
    _numbers(plot, chart.y_axis, vertical=True)
    if len(chart.lines) > 1:
        _legend(plot, items, height=height)
    return plot


def _paired(chart: LineChart) -> bool:
    """Whether lines come in pairs, one of each dashed, that share a colour."""
    return any(line.dashed for line in chart.lines)


def _shade(share: float) -> str:
    """A blue for a share: its own ground, so that the number in it is read on any page."""
    return "#" + "".join(
        f"{round(light + share * (deep - light)):02x}"
        for light, deep in zip(LIGHT_CELL, DEEP_CELL, strict=True)
    )


def _heat(chart: HeatChart) -> Any:
    from bokeh.models import ColumnDataSource, FactorRange  # noqa: PLC0415

    rows, columns = _short(chart.rows), _short(chart.columns)
    most = max((count for counts in chart.counts for count in counts), default=1) or 1
    cells: dict[str, list[Any]] = {
        key: [] for key in ("row", "column", "count", "text", "fill", "alpha", "ink")
    }
    for name, counts in zip(rows, chart.counts, strict=True):
        total = sum(counts) or 1
        for column, count in zip(columns, counts, strict=True):
            cells["row"].append(name)
            cells["column"].append(column)
            cells["count"].append(f"{count:,}" if count else "")
            cells["text"].append(f"{count:,} ({100 * count / total:.1f} % of the row)")
            cells["fill"].append(_shade(count / most))
            cells["alpha"].append(1.0 if count else 0.12)
            cells["ink"].append("#ffffff" if count > WHITE_FROM_SHARE * most else "#14202b")
    source = ColumnDataSource(cells)
    plot = _blank(
        96 + 36 * len(rows),
        x_range=FactorRange(*columns),
        y_range=FactorRange(*reversed(rows)),
        x_axis_location="above",
    )
    plot.grid.visible = False
    tiles = plot.rect(
        "column",
        "row",
        width=0.96,
        height=0.94,
        source=source,
        fill_color="fill",
        fill_alpha="alpha",
        line_color=None,
    )
    plot.text(
        "column",
        "row",
        "count",
        source=source,
        text_align="center",
        text_baseline="middle",
        text_font_size="12px",
        text_color="ink",
    )
    _hover(
        plot,
        [tiles],
        [(chart.row_title, "@row"), (chart.column_title, "@column"), ("rows", "@text")],
    )
    plot.xaxis.axis_label, plot.yaxis.axis_label = chart.column_title, chart.row_title
    return plot
