"""Which charts belong to a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.report._view import range_words
from fastvbench.report.charts._chart import IntervalChart
from fastvbench.report.parts._answers import answer_charts
from fastvbench.report.parts._grounding import grounding_charts
from fastvbench.report.parts._overview import interval_series
from fastvbench.report.parts._retrieval import retrieval_charts
from fastvbench.report.parts._strata import position_charts, stratum_charts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.report._view import ResultView
    from fastvbench.report.charts._chart import Chart

__all__ = ["group_charts", "overview_charts", "row_charts"]


def group_charts(view: ResultView) -> list[IntervalChart]:
    """Values by group of rows."""
    return [*stratum_charts(view), *position_charts(view)]


def row_charts(view: ResultView) -> list[Chart]:
    """What single rows tell: letters, intervals, ranks."""
    return [*answer_charts(view), *grounding_charts(view), *retrieval_charts(view)]


def overview_charts(views: Sequence[ResultView]) -> list[IntervalChart]:
    """The headline of every result, a chart a benchmark and metric."""
    groups: dict[tuple[str, str], list[ResultView]] = {}
    for view in views:
        groups.setdefault((view.title, view.main_metric), []).append(view)
    charts = []
    for (title, key), held in groups.items():
        ordered = sorted(held, key=lambda view: -(view.headline().value or 0.0))
        labels = [view.label for view in ordered]
        series = interval_series(ordered[0].main_rule, [view.headline() for view in ordered])
        axis = ordered[0].axis(key)
        charts.append(
            IntervalChart(
                f"{title}: {len(held)} results",
                f"{axis.title}, each with its 95 % interval. "
                + range_words(labels, series.values, axis),
                "result",
                labels,
                [series],
                axis,
            )
        )
    return charts
