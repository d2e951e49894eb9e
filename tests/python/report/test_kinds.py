"""Retrieval, timing studies and suites: their charts and pages."""

from __future__ import annotations

import importlib.util
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from fastvbench import retrieve, score
from fastvbench.report import write_report
from fastvbench.report._sources import open_sources
from fastvbench.report.charts._chart import HeatChart, HistogramChart, LineChart, StackChart
from fastvbench.report.parts._all import group_charts, row_charts
from fastvbench.report.parts._overview import coverage_chart, rules_chart
from fastvbench.report.parts._timing import timing_charts

ENGINES = {"fastvbench": 0.01, "numpy": 0.08}
SIZES = (467, 40804)


def measured(milliseconds):
    """One mode of one run: a mean without I/O, and with it from a warm and a cold cache."""
    with_io = {"mean": 10 * milliseconds, "stages_ms": {"read_gallery": 3.0, "search": 1.25}}
    return {
        "time_without_io_ms": {"mean": milliseconds},
        "time_with_io_ms": {"warm": with_io, "cold": {"not_possible": "no root"}},
    }


@pytest.fixture(scope="module")
def study():
    return {
        "schema": 1,
        "kind": "timing",
        "study": "lovr",
        "definitions": {"total": "one pass"},
        "parameters": {"k": 10},
        "galleries": [{"rows": rows, "dimension": 512} for rows in SIZES],
        "runs": [
            {
                "engine": engine,
                "gallery": number,
                "status": "ok",
                "modes": {
                    mode: measured(base * (number + 1)) for mode in ("single_query", "batch")
                },
            }
            for engine, base in ENGINES.items()
            for number in range(len(SIZES))
        ]
        + [{"engine": "faiss", "gallery": 0, "status": "not_installed", "reason": "not there"}],
        "environment": {"cpu": "a cpu"},
    }


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    draw = np.random.default_rng(0)
    gallery = draw.normal(size=(120, 16)).astype(np.float32)
    queries = gallery + 1.2 * draw.normal(size=gallery.shape).astype(np.float32)
    path = tmp_path_factory.mktemp("retrieval") / "result.json"
    retrieve("lovr", queries, gallery, direction="text_to_clip").write(path)
    return path


def test_times_stand_with_and_without_io(study):
    charts = {chart.title: chart for chart in timing_charts(study)}
    chart = charts["Time per query, one query a call, dimension 512"]
    assert isinstance(chart, LineChart)
    lines = {line.name: line for line in chart.lines}
    assert lines["fastvbench"].y == [0.01, 0.02]
    assert lines["fastvbench + I/O"].y == [0.1, 0.2]
    assert lines["fastvbench + I/O"].dashed
    assert lines["numpy"].x == list(SIZES)
    assert chart.x_axis.ticks == SIZES
    assert "least without I/O is 0.02 ms: fastvbench" in chart.description


def test_stages_of_a_pass_add_up(study):
    title = "Where a pass with I/O goes, many queries a call, 467 rows of dimension 512"
    chart = next(chart for chart in timing_charts(study) if chart.title == title)
    assert isinstance(chart, StackChart)
    assert chart.bars == ["fastvbench, warm", "numpy, warm"]
    assert chart.parts == {"read gallery": [3000, 3000], "search": [1250, 1250]}


def test_a_study_of_one_size_is_a_chart_of_engines(study):
    one = study | {
        "galleries": study["galleries"][:1],
        "runs": [run for run in study["runs"] if run["gallery"] == 0],
    }
    chart = next(timing_charts(one))
    assert chart.categories == list(ENGINES)
    assert [series.name for series in chart.series] == ["without I/O", "with I/O"]


def test_recall_is_the_results_own_and_follows_from_the_places(ranked):
    view = open_sources([ranked])[0].view()
    assert view.is_retrieval
    reported, curve, places = row_charts(view)
    overall = view.data["rules"]["robust"]["overall"]
    assert reported.lines[0].x == [1, 5, 10]
    for k, value in zip(reported.lines[0].x, reported.lines[0].y, strict=True):
        assert value == pytest.approx(100 * overall[f"recall@{k:.0f}"]["value"])
        at = curve.lines[0].x.index(k)
        assert curve.lines[0].y[at] == pytest.approx(value)  # one relevant item a query
    assert sum(places.series[0].values) == 120


@pytest.mark.skipif(importlib.util.find_spec("bokeh") is None, reason="Bokeh is not installed")
def test_pages_of_every_kind_are_written(study, ranked, tmp_path):
    timing = tmp_path / "timing.json"
    timing.write_text(json.dumps(study))
    data = Path(str(files("fastvbench.cli") / "demo_data"))
    answers, annotations = tmp_path / "answers", tmp_path / "annotations"
    for folder, source, name in (
        (answers, "charades_sta_answers.json", "charades_sta.json"),
        (annotations, "charades_sta_annotations.txt", "charades_sta_test.txt"),
    ):
        folder.mkdir()
        (folder / name).write_bytes((data / source).read_bytes())
    suite = tmp_path / "suite.json"
    score("videollama3_suite", answers, annotations).write(suite)
    for path, words in (
        (timing, "not there"),
        (ranked, "Recall within the first k"),
        (suite, "Charades-STA"),
    ):
        page = write_report(path, tmp_path / f"{path.stem}.html").read_text()
        assert words in page
        assert page.count("data-plot=") >= 2


@pytest.mark.skipif(importlib.util.find_spec("bokeh") is None, reason="Bokeh is not installed")
def test_bokeh_draws_what_the_chart_holds(results, study, ranked):
    from fastvbench.report.charts._bokeh import plot_data

    views = [open_sources([path])[0].view() for path in (*results.values(), ranked)]
    charts = [*timing_charts(study)]
    for view in views:
        charts += [rules_chart(view), coverage_chart(view), *group_charts(view), *row_charts(view)]
    kinds = {type(chart) for chart in charts}
    assert {HeatChart, HistogramChart, LineChart, StackChart} <= kinds
    for chart in charts:
        plot = plot_data(chart)
        assert json.loads(plot.json)["doc"]["roots"]
        assert 80 < plot.height_pixels < 4000
