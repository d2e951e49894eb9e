"""`write_report` and the command: what they take, what they write, what they refuse."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest

from fastvbench import InputError, MissingExtraError
from fastvbench.cli import main
from fastvbench.report import write_report
from fastvbench.report._sources import open_sources

HAS_BOKEH = importlib.util.find_spec("bokeh") is not None
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
needs_bokeh = pytest.mark.skipif(not HAS_BOKEH, reason="Bokeh is not installed")
needs_matplotlib = pytest.mark.skipif(not HAS_MATPLOTLIB, reason="matplotlib is not installed")


@needs_bokeh
def test_a_page_loads_nothing(results, tmp_path):
    page = write_report(results["foreseaqa"], tmp_path / "r.html").read_text()
    assert "default-src 'none'" in page
    assert not re.search(r"<(?:script|img|iframe|audio|video)[^>]*\ssrc=", page)
    links = re.findall(r"<link[^>]*>", page)
    assert links == ['<link rel="icon" href="data:,">']
    assert "@import" not in page
    assert not re.search(r"url\((?!data:)", page.split("</style>")[0])


@needs_bokeh
def test_hostile_names_are_shown_and_not_run(results, tmp_path):
    data = json.loads(results["lvbench"].read_text())
    data["warnings"] = ["</script><script>alert(1)</script>", "a\u202eb"]
    data["protocol"]["title"] = "<img src=x onerror=alert(1)>"
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(data))
    page = write_report(bad, tmp_path / "r.html").read_text()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "a[U+202E]b" in page


@needs_matplotlib
@pytest.mark.parametrize("name", ["lvbench", "charades_sta"])
def test_a_picture_is_a_png(results, tmp_path, name):
    content = write_report(results[name], tmp_path / "r.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    assert len(content) > 20_000


@pytest.mark.skipif(HAS_BOKEH, reason="Bokeh is installed")
def test_a_missing_library_is_named(results, tmp_path, capsys):
    with pytest.raises(MissingExtraError, match=r"fastvbench\[report\]"):
        write_report(results["lvbench"], tmp_path / "r.html")
    assert main(["report", str(results["lvbench"]), "-o", str(tmp_path / "r.html")]) == 3
    assert "pip install 'fastvbench[report]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_endings_that_no_report_has_are_refused(results, tmp_path, capsys):
    assert main(["report", str(results["lvbench"]), "-o", str(tmp_path / "r.docx")]) == 2
    assert ".docx" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_no_input_is_replaced(results, tmp_path, capsys):
    copy = tmp_path / "r.html"
    copy.write_bytes(results["lvbench"].read_bytes())
    assert main(["report", str(copy), "-o", str(copy)]) == 2
    assert "would replace this input" in capsys.readouterr().err
    assert copy.read_bytes() == results["lvbench"].read_bytes()


def test_what_is_no_result_is_refused(tmp_path):
    path = tmp_path / "x.json"
    for text in ("[]", "{}", '{"schema": 1, "kind": "poem"}', '{"schema": 1, "kind": "score"}'):
        path.write_text(text)
        with pytest.raises(InputError, match=r"x\.json"):
            open_sources([path])


def test_a_result_is_given_once(results):
    with pytest.raises(InputError, match="given twice"):
        open_sources([results["lvbench"], results["lvbench"]])


def test_results_of_one_name_are_called_after_their_folders(results, tmp_path):
    paths = []
    for name in ("model-a", "model-b"):
        (tmp_path / name).mkdir()
        paths.append(tmp_path / name / "result.json")
        paths[-1].write_bytes(results["lvbench"].read_bytes())
    assert [source.label for source in open_sources(paths)] == ["model-a", "model-b"]
    assert [source.label for source in open_sources([tmp_path / "model-a"])] == ["model-a"]


@needs_matplotlib
def test_a_pictures_legend_covers_no_bar():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from fastvbench.report.charts._chart import StackChart
    from fastvbench.report.charts._matplotlib import _draw, _inches

    parts = {name: [30, 30] for name in ("ok", "missing", "no_answer", "failed", "ambiguous")}
    chart = StackChart("Rows", "Where they went.", bars=["robust", "official"], parts=parts)
    figure = Figure(figsize=(7.0, _inches(chart)), layout="constrained")
    canvas, panel = FigureCanvasAgg(figure), figure.subplots()
    _draw(panel, chart)
    canvas.draw()
    legend = panel.get_legend().get_window_extent()
    assert len(panel.patches) == 10
    assert not any(legend.overlaps(bar.get_window_extent()) for bar in panel.patches)
