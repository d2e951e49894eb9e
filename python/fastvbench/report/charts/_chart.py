"""What a chart shows, as data: any drawing library can draw it, and a table says the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Axis",
    "BarChart",
    "Chart",
    "ChartTable",
    "HeatChart",
    "HistogramChart",
    "IntervalChart",
    "Line",
    "LineChart",
    "Series",
    "StackChart",
]


class ChartTable(NamedTuple):
    """The numbers of a chart, for whoever cannot see it or wants them exactly."""

    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a chart.

    Attributes:
        title: what it measures, with the unit.
        low: where it begins; None lets the numbers decide.
        high: where it ends; None lets the numbers decide.
        log: whether steps are factors.
        decimals: decimals of numbers in tables and hover texts.
        ticks: where ticks stand; None lets the numbers decide.
    """

    title: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    decimals: int = 2
    ticks: tuple[float, ...] | None = None

    def shown(self, value: float | None) -> str:
        """A number of this axis as text."""
        return "-" if value is None else f"{value:,.{self.decimals}f}"


@dataclass(frozen=True, slots=True)
class Series:
    """One value a category, None where there is none.

    Attributes:
        name: what a legend says.
        values: as shown (percent where the axis is in percent).
        low: lower ends of 95 % intervals; empty where no value has one.
        high: upper ends.
        counts: rows behind each value; empty where that is not told.
    """

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    counts: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """What every chart has.

    Attributes:
        title: a heading.
        description: one or two sentences that say what is drawn and what it shows.
    """

    title: str
    description: str

    def table(self) -> ChartTable:
        """The chart's numbers."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class IntervalChart(Chart):
    """A point with its 95 % interval for each category and series, on a horizontal axis.

    Attributes:
        category_title: what the categories are.
        categories: from top to bottom.
        series: the first one is drawn filled, with intervals.
        axis: of the values.
        reference: a value to compare with (chance, published), drawn as a line; None for none.
    """

    category_title: str = ""
    categories: list[str] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    axis: Axis = Axis("")
    reference: float | None = None
    reference_name: str = ""

    def table(self) -> ChartTable:
        """A row a category: each series with its interval, and the rows behind the first one."""
        header = [self.category_title]
        for series in self.series:
            header.append(series.name)
            if series.low:
                header.append(f"95 % interval of {series.name}")
        counted = bool(self.series and self.series[0].counts)
        header += ["n"] if counted else []
        rows = []
        for place, category in enumerate(self.categories):
            cells = [category]
            for series in self.series:
                cells.append(self.axis.shown(series.values[place]))
                if series.low:
                    low, high = series.low[place], series.high[place]
                    cells.append(
                        "-"
                        if low is None or high is None
                        else f"{self.axis.shown(low)} to {self.axis.shown(high)}"
                    )
            cells += [f"{self.series[0].counts[place]:,}"] if counted else []
            rows.append(cells)
        return ChartTable(header, rows)


@dataclass(frozen=True, slots=True)
class StackChart(Chart):
    """Bars that are cut into parts: every counted row is in exactly one part.

    Attributes:
        bars: from top to bottom.
        parts: count of each bar, by part; the first part is what one hopes for.
        axis: of the counts.
    """

    bar_title: str = ""
    bars: list[str] = field(default_factory=list)
    parts: dict[str, list[int]] = field(default_factory=dict)
    axis: Axis = Axis("rows", low=0, decimals=0)

    def table(self) -> ChartTable:
        """A row a bar, a column a part, and the sum."""
        totals = [sum(counts[i] for counts in self.parts.values()) for i in range(len(self.bars))]
        rows = [
            [bar, *(f"{counts[i]:,}" for counts in self.parts.values()), f"{totals[i]:,}"]
            for i, bar in enumerate(self.bars)
        ]
        return ChartTable([self.bar_title, *self.parts, "all"], rows)


@dataclass(frozen=True, slots=True)
class BarChart(Chart):
    """Upright bars side by side for each category."""

    category_title: str = ""
    categories: list[str] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    axis: Axis = Axis("", low=0)

    def table(self) -> ChartTable:
        """A row a category, a column a series."""
        return ChartTable(
            [self.category_title, *(series.name for series in self.series)],
            [
                [category, *(self.axis.shown(series.values[i]) for series in self.series)]
                for i, category in enumerate(self.categories)
            ],
        )


@dataclass(frozen=True, slots=True)
class HistogramChart(Chart):
    """Counts between edges, stacked where there are several series.

    Attributes:
        edges: n + 1 edges of n bins; the last bin holds its upper edge.
        counts: n counts by series.
        marks: positions of lines that say where a threshold lies.
    """

    edges: list[float] = field(default_factory=list)
    counts: dict[str, list[int]] = field(default_factory=dict)
    x_axis: Axis = Axis("")
    y_axis: Axis = Axis("rows", low=0, decimals=0)
    marks: tuple[float, ...] = ()

    def table(self) -> ChartTable:
        """A row a bin."""
        show = self.x_axis.shown
        return ChartTable(
            [self.x_axis.title, *self.counts],
            [
                [
                    f"{show(self.edges[i])} to {show(self.edges[i + 1])}",
                    *(f"{counts[i]:,}" for counts in self.counts.values()),
                ]
                for i in range(len(self.edges) - 1)
            ],
        )


@dataclass(frozen=True, slots=True)
class Line:
    """Points joined by a line, with a band of 95 % intervals where there are any."""

    name: str
    x: list[float]
    y: list[float]
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class LineChart(Chart):
    """Lines over a numeric axis."""

    lines: list[Line] = field(default_factory=list)
    x_axis: Axis = Axis("")
    y_axis: Axis = Axis("")
    points: bool = True

    def table(self) -> ChartTable:
        """A row an x, a column a line, with the interval where there is one."""
        places = sorted({x for line in self.lines for x in line.x})
        rows = [
            [self.x_axis.shown(x), *(self.cell(line, x) for line in self.lines)] for x in places
        ]
        return ChartTable([self.x_axis.title, *(line.name for line in self.lines)], rows)

    def cell(self, line: Line, x: float) -> str:
        """What a line holds at an x, ``-`` for nothing."""
        if x not in line.x:
            return "-"
        i = line.x.index(x)
        text = self.y_axis.shown(line.y[i])
        if line.low:
            text += f" ({self.y_axis.shown(line.low[i])} to {self.y_axis.shown(line.high[i])})"
        return text


@dataclass(frozen=True, slots=True)
class HeatChart(Chart):
    """Counts of pairs of categories.

    Attributes:
        rows: from top to bottom.
        columns: from left to right.
        counts: one list a row.
    """

    row_title: str = ""
    column_title: str = ""
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    counts: list[list[int]] = field(default_factory=list)

    def table(self) -> ChartTable:
        """The counts as they lie."""
        return ChartTable(
            [f"{self.row_title} \\ {self.column_title}", *self.columns],
            [
                [name, *(f"{count:,}" for count in counts)]
                for name, counts in zip(self.rows, self.counts, strict=True)
            ],
        )
