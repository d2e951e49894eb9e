"""Tables of models by benchmarks: who is best, who is tied, and what the numbers are."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess

import numpy as np
import pytest

from fastvbench import InputError, retrieve, score
from fastvbench.cli import main
from fastvbench.report import write_report
from fastvbench.report._costs import read_prices
from fastvbench.report._leaderboard import OVERLAP, PAIRED, build_leaderboard
from fastvbench.report._model_names import read_names
from fastvbench.report._sources import open_sources
from fastvbench.report._tables_latex import latex_table
from fastvbench.report._tables_markdown import markdown_table
from fastvbench.results._model_names import model_of

LVBENCH = [
    {
        "key": f"v{v}",
        "type": "tv",
        "qa": [
            {"uid": f"{v}-{i}", "question": "Q?\n(A) x\n(B) y\n(C) z", "answer": "ABC"[(v + i) % 3]}
            for i in range(6)
        ],
    }
    for v in range(30)
]
LETTERS = {q["uid"]: q["answer"] for video in LVBENCH for q in video["qa"]}
FORESEA = [
    {"id": str(i), "video": f"v{i // 4}", "question": "Q?", "options": ["x", "y"],
     "answer": "AB"[i % 2], "interval": [10.0, 20.0], "duration": 100}
    for i in range(80)
]  # fmt: skip


def lvbench(wrong_every, shift=0):
    return score(
        "lvbench",
        {
            k: "ABC"["BCA".index(v)] if (i + shift) % wrong_every == 0 else v
            for i, (k, v) in enumerate(LETTERS.items())
        },
        LVBENCH,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three models on LVBench (two of them tied), two on ForeSeaQA."""
    place = tmp_path_factory.mktemp("results")
    for name, every, shift in (("strong_1", 8, 0), ("strong_2", 9, 3), ("weak", 2, 0)):
        (place / name).mkdir()
        lvbench(every, shift).write(place / name / "lvbench.json")
    for name, end in (("strong_1", 19), ("weak", 40)):
        rows = [{"id": str(i), "answer": "AB"[i % 2], "interval": [10, end]} for i in range(80)]
        score("foreseaqa", rows, FORESEA).write(place / name / "foreseaqa.json")
    return place


@pytest.fixture(scope="module")
def results(folder):
    return [str(path) for path in sorted(folder.rglob("*.json"))]


def board(paths, **options):
    return build_leaderboard(open_sources(paths), **options)


def test_the_best_leads_and_ties_are_told_from_paired_rows(folder, results):
    found = board(results)
    assert found.models == ("strong_1", "strong_2", "weak")
    lvb = next(column for column in found.columns if column.protocol == "lvbench")
    assert lvb.ties == PAIRED
    assert lvb.ranking == ("strong_2", "strong_1", "weak")
    assert lvb.groups() == [["strong_2", "strong_1"], ["weak"]]
    cells = lvb.cells
    assert [cells[m].best for m in lvb.ranking] == [True, False, False]
    assert [cells[m].tied for m in lvb.ranking] == [False, True, False]
    assert {c.protocol: len(c.cells) for c in found.columns} == {"foreseaqa": 2, "lvbench": 3}
    expected = json.loads((folder / "weak" / "lvbench.json").read_bytes())
    entry = expected["rules"]["robust"]["overall"]["accuracy"]
    assert (cells["weak"].value, cells["weak"].n) == (entry["value"], 180)
    assert cells["weak"].interval == tuple(entry["interval"])


def test_without_rows_ties_are_overlaps_and_that_is_said(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy" / "weak" / "lvbench.samples.jsonl.gz").unlink()
    found = board(sorted((tmp_path / "copy").glob("*/lvbench.json")))
    assert found.columns[0].ties == OVERLAP
    assert found.columns[0].groups() == [["strong_2", "strong_1"], ["weak"]]
    assert OVERLAP in found.notes[0]


def test_markdown_marks_best_and_tied_and_says_rule_and_n(results, tmp_path):
    target = tmp_path / "table.md"
    write_report(results, target)
    text = target.read_text()
    lines = text.splitlines()
    assert lines[0] == "| model | ForeSeaQA acc % | LVBench acc % |"
    assert "| strong\\_2 | - | **88.89** |" in lines
    assert "<u>87.22</u>" in text
    assert "<u>50.00</u>" not in text
    assert "LVBench: accuracy, rule set robust, n = 180, protocol version" in text
    assert "Bold: best. Underlined: statistically tied with it." in text


def test_csv_is_one_line_a_model_and_benchmark(results, tmp_path):
    write_report(results, tmp_path / "table.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
    assert len(rows) == 5
    weak = next(r for r in rows if r["model"] == "weak" and r["benchmark"] == "lvbench")
    assert float(weak["value"]) == 0.5
    assert (weak["n"], weak["group"], weak["best"], weak["rule"]) == ("180", "2", "0", "robust")


def test_names_are_mapped_and_untrusted_ones_stay_text(results, tmp_path):
    names = tmp_path / "names.json"
    names.write_text(json.dumps({"weak": "=1+1 & <b>$x_1$</b> | 50%", "lvbench": "LVB"}))
    found = board(results, names=read_names(names))
    markdown, latex = markdown_table(found), latex_table(found)
    assert "LVB acc %" in markdown
    assert r"=1+1 &amp; &lt;b&gt;$x\_1$&lt;/b&gt; \| 50%" in markdown
    assert r"=1+1 \& \textless{}b\textgreater{}\$x\_1\$\textless{}/b\textgreater{} | 50\%" in latex
    write_report(results, tmp_path / "t.csv", names=names)
    assert "'=1+1" in (tmp_path / "t.csv").read_text()
    names.write_text('["a"]')
    with pytest.raises(InputError, match="not a map of names"):
        read_names(names)


def test_latex_is_a_table_that_compiles_as_text(results, tmp_path):
    write_report(results, tmp_path / "table.tex")
    text = (tmp_path / "table.tex").read_text()
    assert r"strong\_2 & -- & \textbf{88.89} \\" in text
    assert r"\underline{87.22}" in text
    assert text.count(r"\begin{") == text.count(r"\end{") == 3
    columns = [line.count(" & ") for line in text.splitlines() if line.endswith(r"\\")]
    assert set(columns) == {2}
    if shutil.which("pdflatex"):
        page = r"\documentclass{article}\usepackage{booktabs,threeparttable}\begin{document}"
        (tmp_path / "page.tex").write_text(page + text + r"\end{document}")
        subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
                       cwd=tmp_path, check=True, capture_output=True)  # fmt: skip


def test_another_rule_or_metric_and_those_that_are_not_there(results):
    lvb = [path for path in results if path.endswith("lvbench.json")]
    found = board(lvb, rule="official")
    assert found.columns[0].rule == "official"
    found = board(lvb, metric="answered_accuracy")
    assert found.columns[0].metric.key == "answered_accuracy"
    with pytest.raises(InputError, match="not scored by this rule set"):
        board(lvb, rule="card")
    with pytest.raises(InputError, match="not a metric of this result"):
        board(lvb, metric="mean_iou")


def test_other_declarations_are_refused_and_a_sweep_is_told_apart(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    path = tmp_path / "copy" / "weak" / "lvbench.json"
    data = json.loads(path.read_bytes())
    data["protocol"]["fingerprint"] = "0" * 64
    path.write_text(json.dumps(data))
    both = [folder / "strong_1" / "lvbench.json", path]
    with pytest.raises(InputError, match="another declaration of lvbench"):
        board(both)
    assert len(board(both, mixed=True).columns[0].ranking) == 2
    for frames in ("8", "32"):
        (tmp_path / f"frames-{frames}").mkdir()
        result = lvbench(3)
        result.data["run"] = {"model": {"name": "one model"}}
        result.write(tmp_path / f"frames-{frames}" / "result.json")
    sweep = board([tmp_path / "frames-8", tmp_path / "frames-32"])
    assert sorted(sweep.models) == ["one model (frames-32)", "one model (frames-8)"]


@pytest.mark.parametrize(
    "name",
    [
        "m/lvbench/result.json",
        "m/lvbench.json",
        "m_lvbench.json",
        "m/result.json",
        "lvbench-m.json",
    ],
)
def test_models_are_known_by_folders_and_files(tmp_path, name):
    data = {"protocol": {"name": "lvbench"}}
    assert model_of(tmp_path / name, data) == "m"
    assert model_of(tmp_path / name, data | {"run": {"model": {"name": "said"}}}) == "said"


def test_medians_of_ranks_rank_upwards(tmp_path):
    truth = {f"q{i}": ["c"] for i in range(30)}
    lists = {"near": ["a", "c", "b"], "far": ["a", "b", "c"]}
    for name, order in lists.items():
        result = retrieve("lovr", rankings=dict.fromkeys(truth, order), truth=truth)
        result.write(tmp_path / f"{name}.json")
    paths = [tmp_path / f"{name}.json" for name in lists]
    found = board(paths, metric="median_rank").columns[0]
    assert found.ranking == ("near", "far")
    assert found.ties == OVERLAP
    assert np.isfinite(found.cells["near"].value)


def test_the_command_prints_the_ranking_and_writes_tables(results, capsys, tmp_path):
    assert main(["report", *results]) == 0
    shown = capsys.readouterr().out
    assert "group 1: strong_2, statistically tied with strong_1" in shown
    assert "no result: strong_2 (ForeSeaQA)" in shown
    target = tmp_path / "x.tex"
    assert main(["report", *results, "-o", str(target)]) == 0
    assert target.read_text().startswith("% \\usepackage{booktabs")
    capsys.readouterr()
    names = tmp_path / "names.md"
    names.write_text("{}")
    assert main(["report", *results, "--names", str(names), "-o", str(names)]) == 2
    assert "would replace this input" in capsys.readouterr().err


def run_result(path, model, answered=100):
    result = lvbench(3)
    result.data["run"] = {
        "model": {"name": model},
        "answered": answered,
        "cost": {
            "prompt_tokens": 200_000, "completion_tokens": 1_000, "frames": 3_200,
            "images": 0, "latency_seconds": 360.0,
        },
    }  # fmt: skip
    path.parent.mkdir()
    result.write(path)
    return str(path)


def test_costs_of_a_question_from_the_runs_record_and_prices(tmp_path, capsys):
    paths = [run_result(tmp_path / name / "result.json", name) for name in ("hosted", "local")]
    prices = tmp_path / "prices.json"
    prices.write_text(
        json.dumps(
            {
                "currency": "EUR",
                "models": {
                    "hosted": {"prompt_per_million": 0.5, "completion_per_million": 10},
                    "local": {"per_hour": 2.0},
                },
            }
        )
    )
    found = board(paths, prices=read_prices(prices))
    costs = found.columns[0].costs
    assert (costs["hosted"].frames, costs["hosted"].prompt_tokens) == (32, 2_000)
    assert costs["hosted"].money == pytest.approx(2_000 * 0.5e-6 + 10 * 10e-6)
    assert costs["local"].money == pytest.approx(3.6 / 3600 * 2)
    assert board(paths).columns[0].costs["local"].money is None
    write_report(paths, tmp_path / "t.csv", prices=prices)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert [float(row["cost_per_question"]) for row in rows] == pytest.approx([0.0011, 0.002])
    assert {row["currency"] for row in rows} == {"EUR"}
    assert main(["report", *paths, "--prices", str(prices)]) == 0
    shown = capsys.readouterr().out
    assert "EUR" in shown
    assert "0.0011" in shown


def test_a_result_without_a_run_has_no_cost(results, tmp_path):
    assert all(not column.costs for column in board(results).columns)
    nobody = run_result(tmp_path / "x" / "result.json", "x", answered=0)
    assert board([nobody]).columns[0].costs == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "not a file of prices"),
        ('{"models": {}}', "not a file of prices"),
        ('{"currency": "USD", "models": {"m": {}}}', "no prices"),
        ('{"currency": "USD", "models": {"m": {"per_day": 1}}}', "not a kind of price"),
        ('{"currency": "USD", "models": {"m": {"per_hour": -1}}}', "not a price"),
        ('{"currency": "USD", "models": {"m": {"per_hour": NaN}}}', "not a price"),
    ],
)
def test_prices_that_are_none(tmp_path, text, message):
    (tmp_path / "prices.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_prices(tmp_path / "prices.json")
