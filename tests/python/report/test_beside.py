"""What a report shows beside the results: published numbers, comparisons, sweeps, costs, gains."""

from __future__ import annotations

import json
import random

import pytest

from fastvbench import InputError, compare, score
from fastvbench.report._costs import Prices, costs_of, read_prices
from fastvbench.report._sources import open_sources
from fastvbench.report.parts._baseline import baseline_charts
from fastvbench.report.parts._comparison import difference_charts, flips_table, pair_charts
from fastvbench.report.parts._costs import cost_table
from fastvbench.report.parts._overview import coverage_chart
from fastvbench.report.parts._published import published_chart, published_table
from fastvbench.report.parts._settings import repeats_table, setting_charts
from fastvbench.report.parts._sweep import sweep_charts

QUESTIONS = [
    {
        "key": f"v{video}",
        "type": "tv",
        "qa": [
            {
                "uid": f"{video}-{i}",
                "question": "Q?\n(A) w\n(B) x\n(C) y\n(D) z",
                "answer": "ABCD"[(video + i) % 4],
                "question_type": ["reasoning" if i % 2 else "summarization"],
                "time_reference": "00:10-00:20",
            }
            for i in range(4)
        ],
    }
    for video in range(15)
]
PRICES = {
    "currency": "EUR",
    "models": {"demo": {"prompt_per_million": 2.0, "completion_per_million": 10.0}},
}


def write_run(folder, frames, share):
    """A result as a run of a model called demo leaves it."""
    folder.mkdir()
    draw = random.Random(frames)
    answers = {
        qa["uid"]: qa["answer"] if draw.random() < share else "A"
        for video in QUESTIONS
        for qa in video["qa"]
    }
    path = folder / "result.json"
    score("lvbench", answers, QUESTIONS).write(path)
    data = json.loads(path.read_text())
    data["run"] = {
        "model": {"name": "demo"},
        "answered": 60,
        "failed": 0,
        "settings": {"temperature": frames / 10},
        "cost": {
            "prompt_tokens": 60 * 100 * frames,
            "completion_tokens": 60 * 4,
            "frames": 60 * frames,
            "latency_seconds": 60 * 0.5 * frames,
        },
    }
    path.write_text(json.dumps(data))
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    shares = {8: 0.3, 32: 0.6, 16: 0.5}
    return [write_run(folder / f"f{frames}", frames, share) for frames, share in shares.items()]


@pytest.fixture(scope="module")
def held(runs):
    return [(source, source.view()) for source in open_sources(runs)]


def test_a_sweep_is_in_order_with_its_tokens_and_seconds(held):
    charts = list(sweep_charts(held, "frames"))
    assert [chart.title for chart in charts] == [
        "LVBench against frames",
        "LVBench: tokens of the prompt against frames",
        "LVBench: seconds a question against frames",
    ]
    line = charts[0].lines[0]
    assert line.name == "demo"
    assert line.x == [8, 16, 32]
    by_frames = {costs_of(view.data, "demo", Prices()).frames: view.headline() for _, view in held}
    assert line.y == [by_frames[x].value for x in line.x]
    assert line.low == [by_frames[x].low for x in line.x]
    assert charts[1].lines[0].y == [800, 1600, 3200]
    assert charts[2].lines[0].y == [4, 8, 16]


def test_a_sweep_of_another_number_that_runs_record(held):
    chart = next(sweep_charts(held, "settings.temperature"))
    assert chart.lines[0].x == [0.8, 1.6, 3.2]


def test_a_sweep_of_what_no_run_records_is_refused(held, results):
    with pytest.raises(InputError, match="no such number"):
        list(sweep_charts(held, "settings.moon"))
    source = open_sources([results["lvbench"]])[0]
    with pytest.raises(InputError, match=r"lvbench\.json"):
        list(sweep_charts([(source, source.view())], "frames"))


def test_costs_are_tokens_times_prices(held, tmp_path):
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(PRICES))
    table = cost_table(held, read_prices(path))
    first = dict(zip(table.header, table.rows[0], strict=True))
    assert first["prompt tokens"] == "800"
    assert first["cost of 1,000 questions"] == "1.64 EUR"  # (800 x 2 + 4 x 10) / 1e6 each
    share = held[0][1].headline().value / 100
    assert first["cost of a right answer"] == f"{0.00164 / share:.4g} EUR"


def test_costs_without_prices_are_tokens_and_seconds(held):
    table = cost_table(held, read_prices(None))
    assert {row[-2] for row in table.rows} == {"no price"}


def test_results_that_no_run_made_have_no_cost(results):
    source = open_sources([results["lvbench"]])[0]
    assert cost_table([(source, source.view())], read_prices(None)) is None


def test_comparisons_are_drawn_with_their_own_numbers(runs):
    data = compare(*runs[:2], names=["few", "many"]).data
    chart = next(difference_charts(data))
    pair = data["pairs"][0]
    entry = pair["metrics"]["accuracy"]
    assert chart.categories == ["few minus many"]
    assert chart.series[0].values == [pytest.approx(100 * entry["difference"])]
    assert chart.series[0].low == [pytest.approx(100 * entry["interval"][0])]
    assert chart.reference == 0
    charts = {c.title: c for c in pair_charts(data, pair)}
    flips = charts["Which rows flipped"]
    assert sum(counts[0] for counts in flips.parts.values()) == entry["n"]
    listed = flips_table(pair)
    assert len(listed.rows) == flips.parts["only few"][0] + flips.parts["only many"][0]
    held = charts["Difference by question type"]
    for place, category in enumerate(held.categories):
        known = pair["strata"]["question_type"][category]["difference"]
        assert held.series[0].values[place] == pytest.approx(100 * known)


def test_the_gain_over_no_frames_is_paired(runs):
    charts = list(baseline_charts(runs[1], "many", runs[0]))
    pair = compare(runs[1], runs[0]).data["pairs"][0]
    expected = 100 * pair["metrics"]["accuracy"]["difference"]
    assert charts[0].series[0].values == [pytest.approx(expected)]
    assert charts[0].categories == ["many minus no frames"]


def test_published_numbers_stand_beside_ours_with_their_sources(results):
    view = open_sources([results["lvbench"]])[0].view()
    chart = published_chart(view)
    ours = chart.categories.index("lvbench (ours)")
    assert chart.series[0].values[ours] == pytest.approx(75.0)
    assert chart.series[1].values[ours] is None
    known = [value for value in chart.series[1].values if value is not None]
    assert 94.4 in [pytest.approx(value) for value in known]  # people
    table = published_table(view)
    assert len(table.rows) >= len(known)
    assert all(row[table.header.index("source")] for row in table.rows)


def test_a_benchmark_without_published_numbers_has_no_chart(results):
    view = open_sources([results["lvbench"]])[0].view()
    view.data["protocol"] = view.data["protocol"] | {"name": "no_such_benchmark"}
    assert published_chart(view) is None
    assert published_table(view).rows == []


def test_runs_of_one_model_show_their_mean_and_spread(tmp_path):
    files = []
    for run, answer in enumerate("AB"):
        files.append(tmp_path / f"run-{run}.json")
        files[-1].write_text(json.dumps({qa["uid"]: answer for v in QUESTIONS for qa in v["qa"]}))
    score("lvbench", files, QUESTIONS, repeats=True).write(tmp_path / "result.json")
    view = open_sources([tmp_path / "result.json"])[0].view()
    table = repeats_table(view)
    held = view.data["repeats"]["rules"]["robust"]["accuracy"]
    assert table.rows[0][1] == f"{100 * held['mean']:.2f} ± {100 * held['std']:.2f}"
    chart = coverage_chart(view)
    assert "60 rows are expected in each of 2 runs" in chart.description
    assert sum(counts[0] for counts in chart.parts.values()) == 120


def test_input_settings_stand_side_by_side_and_only_the_main_one_is_drawn(tmp_path):
    questions = [
        {
            "video_id": f"{video:03}",
            "videoID": f"v{video}",
            "duration": "short",
            "domain": "Knowledge",
            "sub_category": "Biology",
            "question_id": f"{video:03}-{i}",
            "task_type": "Counting",
            "question": "Q?",
            "options": ["A. w", "B. x", "C. y", "D. z"],
            "answer": "ABC"[i - 1],
        }
        for video in range(1, 6)
        for i in (1, 2, 3)
    ]
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    files = []
    for name, answer in (("without", "A"), ("with", "B")):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps({q["question_id"]: answer for q in questions}))
    result = score(
        "videomme",
        files,
        tmp_path / "questions.json",
        setting="without_subtitle,with_subtitle",
    )
    result.write(tmp_path / "result.json")
    view = open_sources([tmp_path / "result.json"])[0].view()
    assert len(view.rows) == 15
    assert len(view.every_row) == 30
    side, difference = setting_charts(view)
    assert side.categories == ["without_subtitle", "with_subtitle"]
    assert difference.categories == ["with_subtitle minus without_subtitle"]
    expected = view.data["setting_contrasts"]["robust"][0]["value"]
    assert difference.series[0].values == [pytest.approx(100 * expected)]
