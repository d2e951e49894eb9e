"""Charts hold the result's own numbers, and say in words what they show."""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench.core._status import STATUS_NAMES
from fastvbench.report._meanings import STATUS_MEANINGS
from fastvbench.report._sources import open_sources
from fastvbench.report.charts._chart import HistogramChart, IntervalChart, LineChart
from fastvbench.report.parts._all import group_charts, overview_charts, row_charts
from fastvbench.report.parts._overview import coverage_chart, rules_chart


@pytest.fixture(scope="session")
def views(results):
    return {name: open_sources([path])[0].view() for name, path in results.items()}


def titled(charts, title):
    return next(chart for chart in charts if chart.title == title)


def test_every_status_is_explained():
    assert set(STATUS_MEANINGS) == set(STATUS_NAMES)


@pytest.mark.parametrize("name", ["lvbench", "foreseaqa", "charades_sta"])
def test_every_expected_row_is_in_exactly_one_class(views, name):
    view = views[name]
    chart = coverage_chart(view)
    expected = view.data["coverage"]["expected"]
    for place in range(len(chart.bars)):
        assert sum(counts[place] for counts in chart.parts.values()) == expected
    assert f"{expected:,} rows are expected" in chart.description


def test_rule_sets_stand_beside_each_other(views):
    view = views["lvbench"]
    chart = rules_chart(view)
    assert chart.categories == list(view.data["rules"])
    for rule, value in zip(chart.categories, chart.series[0].values, strict=True):
        assert value == 100 * view.data["rules"][rule]["overall"]["accuracy"]["value"]
    assert "75.00" in chart.description


def test_strata_show_the_results_own_values_and_intervals(views):
    view = views["lvbench"]
    chart = titled(group_charts(view), "By question type")
    held = view.data["rules"]["robust"]["strata"]["question_type"]
    assert chart.categories == list(held)
    for place, category in enumerate(chart.categories):
        entry = held[category]["accuracy"]
        assert chart.series[0].values[place] == pytest.approx(100 * entry["value"])
        assert chart.series[0].counts[place] == entry["n"]
    assert [series.name for series in chart.series] == ["robust", "official"]


def test_letters_given_and_right_add_up(views):
    charts = row_charts(views["lvbench"])
    bars = titled(charts, "Options given and options right")
    right, given = (sum(series.values) for series in bars.series)
    assert right == given == 12
    pairs = titled(charts, "Which option was taken for which")
    assert sum(map(sum, pairs.counts)) == 12
    assert sum(pairs.counts[i][i] for i in range(len(pairs.rows))) == 9  # 0.75 of 12


def test_overlap_histogram_and_curve_follow_from_the_rows(views):
    view = views["charades_sta"]
    charts = row_charts(view)
    iou = view.rows.rules["robust"].scores["mean_iou"]
    histogram = titled(charts, "How well intervals overlap")
    assert isinstance(histogram, HistogramChart)
    assert sum(histogram.counts["rows"]) == len(iou)
    curve = titled(charts, "Recall at every IoU")
    assert isinstance(curve, LineChart)
    line = curve.lines[0]
    overall = view.data["rules"]["robust"]["overall"]
    for threshold in (0.3, 0.5, 0.7):
        at = line.x.index(threshold)
        assert line.y[at] == pytest.approx(100 * overall[f"recall@{threshold:g}"]["value"])
        assert line.y[at] == pytest.approx(100 * np.mean(iou >= threshold))
        assert [line.low[at], line.high[at]] == pytest.approx(
            [100 * end for end in overall[f"recall@{threshold:g}"]["interval"]]
        )


def test_right_answers_are_split_by_where_they_rest(views):
    view = views["foreseaqa"]
    chart = titled(row_charts(view), "Right answers and the place they rest on")
    scores = view.rows.rules["robust"].scores
    both = ~np.isnan(scores["mean_iou"])
    assert sum(chart.counts["right"]) == int((scores["accuracy"][both] == 1).sum())
    assert sum(chart.counts["wrong"]) == int((scores["accuracy"][both] == 0).sum())
    grounded = int(((scores["accuracy"] == 1) & (scores["mean_iou"] >= 0.5)).sum())
    assert f"{grounded} of them with an IoU of at least 0.5" in chart.description


def test_evidence_is_placed_by_the_gold_intervals(views):
    charts = group_charts(views["charades_sta"])
    placed = [chart for chart in charts if "evidence" in chart.title]
    assert len(placed) == 1
    assert sum(placed[0].series[0].counts) == 6


def test_several_results_are_ranked(views):
    view = views["lvbench"]
    charts = overview_charts([view, view])
    assert isinstance(charts[0], IntervalChart)
    assert charts[0].title == "LVBench: 2 results"


def test_every_chart_has_a_table_and_words(views):
    for view in views.values():
        charts = [rules_chart(view), coverage_chart(view), *group_charts(view), *row_charts(view)]
        for chart in charts:
            table = chart.table()
            assert table.rows
            assert all(len(row) == len(table.header) for row in table.rows), chart.title
            assert len(chart.description) > 40
