"""A picture of results: values with intervals, coverage, and the first charts of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core import InputError
from fastvbench.report._titles import page_title
from fastvbench.report._view import ResultView
from fastvbench.report.charts._matplotlib import picture, require_matplotlib
from fastvbench.report.parts._all import group_charts, overview_charts, row_charts
from fastvbench.report.parts._comparison import difference_charts
from fastvbench.report.parts._overview import coverage_chart, rules_chart
from fastvbench.report.parts._sweep import sweep_charts
from fastvbench.report.parts._timing import timing_charts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.report._options import ReportOptions
    from fastvbench.report._sources import ReportSource
    from fastvbench.report.charts._chart import Chart

__all__ = ["report_picture"]

MOST_GROUP_CHARTS = 4


def report_picture(sources: Sequence[ReportSource], options: ReportOptions) -> bytes:
    """The picture, as PNG.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require_matplotlib()
    scored = [(source, source.view()) for source in sources if source.kind == "score"]
    views = [view for _, view in scored] + [view for source in sources for view in _inner(source)]
    charts: list[Chart] = []
    if options.x is not None:
        charts += sweep_charts(scored, options.x)
    elif len(views) > 1:
        charts += overview_charts(views)
    elif views:
        view = views[0]
        charts += [rules_chart(view), coverage_chart(view)]
        charts += group_charts(view)[:MOST_GROUP_CHARTS]
        charts += row_charts(view)
    for source in sources:
        if source.kind == "timing":
            charts += timing_charts(source.data)
        elif source.kind == "comparison":
            charts += difference_charts(source.data)
    if not charts:
        raise InputError("nothing in these results can be drawn", expected="a result with a value")
    return picture(charts, title=page_title(sources, options.title))


def _inner(source: ReportSource) -> list[ResultView]:
    """The benchmarks of a suite."""
    if source.kind != "suite":
        return []
    rows = source.data["rows"]
    return [ResultView(rows[key]["title"], held) for key, held in source.data["results"].items()]
