"""The timing study from end to end: engines, encoders, the network, and interruption."""

from __future__ import annotations

import contextlib
import csv
import http.server
import io
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fastvbench.core import InputError
from fastvbench.retrieval import timing
from fastvbench.retrieval.timing import _clock

QUICK = {
    "query_count": 12,
    "single_queries": 5,
    "minimum_seconds": 0.001,
    "minimum_passes": 2,
    "minimum_calls": 5,
    "engines": ("fastvbench", "numpy"),
    "threads": 1,
}


# ---- whole studies


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    said = []
    plan = timing.StudyPlan(sizes=(31, 600), dimensions=(24,), folder=folder, **QUICK)
    data = timing.run_study(plan, say=said.append)
    return SimpleNamespace(data=data, folder=folder, said=said)


def test_a_study_measures_every_engine_on_every_gallery(study):
    runs = [(run["gallery"], run["engine"], run["status"]) for run in study.data["runs"]]
    assert runs == [
        (0, "fastvbench", "ok"),
        (0, "numpy", "ok"),
        (1, "fastvbench", "ok"),
        (1, "numpy", "ok"),
    ]
    assert study.data["kind"] == "timing"
    assert any("600 x 24, numpy: batch, without I/O" in line for line in study.said)


def test_answers_are_right_in_both_modes(study):
    for run in study.data["runs"]:
        for mode, queries in (("single_query", 5), ("batch", 12)):
            check = run["modes"][mode]["check"]
            assert check == {"queries": queries, "recall": {"strict": 1.0, "with_ties": 1.0}}


def test_both_times_of_both_modes_are_there(study):
    for run in study.data["runs"]:
        for mode, queries in (("single_query", 5), ("batch", 12)):
            measured = run["modes"][mode]
            entries = [measured["time_without_io_ms"], measured["time_with_io_ms"]["warm"]]
            cold = measured["time_with_io_ms"]["cold"]
            if "not_possible" not in cold:
                entries.append(cold)
            for entry in entries:
                assert entry["queries"] == queries
                assert entry["passes"] >= 2
                assert 0 < entry["p50"] <= entry["p95"]
                assert entry["mean"] * queries == pytest.approx(entry["total"])
            for entry in entries[1:]:
                assert set(entry["stages_ms"]) == {*_clock.STAGES, "other"}
                assert sum(entry["stages_ms"].values()) == pytest.approx(entry["wall_ms"])
            assert entries[1]["wall_ms"] > entries[1]["stages_ms"]["search"] > 0


def test_machine_versions_threads_and_level_are_recorded(study):
    assert study.data["environment"]["cpu_level"]
    assert study.data["parameters"]["threads"] == 1
    assert study.data["engines"]["numpy"]["settings"]["numpy"] == np.__version__
    assert study.data["engines"]["fastvbench"]["settings"]["threads"] == 1


def test_a_study_is_plain_json_without_nan(study):
    json.loads(json.dumps(study.data, allow_nan=False))


def test_nothing_is_left_behind(study):
    assert list(study.folder.iterdir()) == []


def test_the_csv_has_a_row_for_every_time(study):
    rows = list(csv.DictReader(io.StringIO(timing.study_csv(study.data))))
    assert len(rows) == 2 * 2 * 2 * 3  # galleries, engines, modes; without, cold, warm
    without = [row for row in rows if row["time"] == "time_without_io"]
    assert all(float(row["mean_ms"]) > 0 and row["wall_ms"] == "" for row in without)
    warm = [row for row in rows if row["page_cache"] == "warm"]
    assert all(float(row["search_ms"]) <= float(row["wall_ms"]) for row in warm)


def test_the_plot_has_a_line_for_each_engine_with_and_without_io(study):
    pytest.importorskip("matplotlib", reason="the plot needs the extra timing")
    picture = timing.plot_study(study.data, Path("study.svg")).decode()
    assert picture.count("<svg") == 1
    assert timing.plot_study(study.data, Path("study.png")).startswith(b"\x89PNG")


def test_an_engine_that_is_missing_is_said_and_the_others_go_on(tmp_path, monkeypatch):
    from fastvbench.retrieval.timing import _study

    monkeypatch.setattr(_study, "is_installed", lambda name: name == "numpy")
    plan = timing.StudyPlan(sizes=(31,), dimensions=(8,), folder=tmp_path, cold=False, **QUICK)
    runs = timing.run_study(plan)["runs"]
    assert [(run["engine"], run["status"]) for run in runs] == [
        ("fastvbench", "not_installed"),
        ("numpy", "ok"),
    ]


def test_a_gallery_beyond_memory_is_read_while_it_is_searched(tmp_path):
    plan = timing.StudyPlan(
        sizes=(3000,), dimensions=(32,), folder=tmp_path, memory_bytes=100_000, **QUICK
    )
    data = timing.run_study(plan)
    assert data["galleries"][0]["beyond_memory"]
    assert data["galleries"][0]["mapped"]
    for run in data["runs"]:
        for measured in run["modes"].values():
            assert "not_possible" in measured["time_without_io_ms"]
            assert measured["time_with_io_ms"]["warm"]["total"] > 0
            assert measured["check"]["recall"]["strict"] == 1.0
    assert len(list(timing.flat_rows(data))) == 2 * 2 * 3


def test_a_given_gallery_is_searched_by_cosine(tmp_path):
    generator = np.random.default_rng(5)
    np.save(tmp_path / "gallery.npy", generator.uniform(1, 9, (300, 16)).astype(np.float32))
    np.save(tmp_path / "queries.npy", generator.standard_normal((7, 16), np.float32))
    plan = timing.StudyPlan(
        gallery=str(tmp_path / "gallery.npy"), queries=str(tmp_path / "queries.npy"), **QUICK
    )
    data = timing.run_study(plan)
    assert data["galleries"][0]["metric"] == "cosine"
    for run in data["runs"]:
        assert run["modes"]["batch"]["check"] == {
            "queries": 7,
            "recall": {"strict": 1.0, "with_ties": 1.0},
        }


def test_queries_of_another_dimension_are_refused(tmp_path):
    np.save(tmp_path / "gallery.npy", np.eye(4, dtype=np.float32))
    np.save(tmp_path / "queries.npy", np.eye(3, dtype=np.float32))
    plan = timing.StudyPlan(
        gallery=str(tmp_path / "gallery.npy"), queries=str(tmp_path / "queries.npy")
    )
    with pytest.raises(InputError, match=r"queries.npy.*dimension, got 3; expected 4"):
        timing.run_study(plan)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"k": 0}, "'k'"),
        ({"sizes": ()}, "'sizes'"),
        ({"sizes": (0,)}, "'sizes'"),
        ({"engines": ("annoy",)}, "annoy"),
        ({"minimum_seconds": 0.0}, "minimum_seconds"),
        ({"time_limit_seconds": float("nan")}, "time_limit_seconds"),
        ({"minimum_seconds": float("inf")}, "minimum_seconds"),
        ({"gallery": "a.npy"}, "'queries'"),
        ({"metric": "l2"}, "l2"),
        ({"encoder": "a:b"}, "'texts'"),
        ({"encoder": "nothing", "texts": "a.txt"}, "nothing"),
        ({"encoder": "absent.py:f", "texts": "a.txt"}, "absent.py"),
        ({"folder": Path("no such folder")}, "no such folder"),
    ],
)
def test_a_bad_plan_is_refused_before_anything_starts(change, named):
    with pytest.raises(InputError, match=named):
        timing.run_study(timing.StudyPlan(**change))


# ---- text encoding


ENCODER = """
import numpy as np
def encode(texts):
    return np.array([[len(text), 1.0] for text in texts], np.float32)
def short(texts):
    return np.zeros((1, 2))
"""


@pytest.fixture
def encoder(tmp_path):
    (tmp_path / "encoder.py").write_text(ENCODER)
    (tmp_path / "texts.txt").write_text("a man runs\n\na dog\n")
    return tmp_path


def encode_plan(folder, function):
    return timing.StudyPlan(
        sizes=(31,),
        dimensions=(8,),
        cold=False,
        encoder=f"{folder / 'encoder.py'}:{function}",
        texts=str(folder / "texts.txt"),
        **QUICK | {"engines": ("numpy",)},
    )


def test_an_encoder_is_timed_on_its_own(encoder):
    encoding = timing.run_study(encode_plan(encoder, "encode"))["text_encoding"]
    assert encoding["status"] == "ok"
    assert encoding["modes"]["single_query"]["queries_per_call"] == 1
    assert encoding["modes"]["batch"]["queries_per_call"] == 2  # blank lines are no texts
    assert encoding["modes"]["batch"]["time_ms"]["total"] > 0


@pytest.mark.parametrize(
    ("function", "named"), [("short", "2 vectors for 2 texts"), ("absent", "no such function")]
)
def test_an_encoder_that_cannot_be_used_is_named(encoder, function, named):
    encoding = timing.run_study(encode_plan(encoder, function))["text_encoding"]
    assert encoding["status"] == "refused"
    assert named in encoding["reason"]


# ---- network


@contextlib.contextmanager
def server(folder):
    """A web server on loopback that knows byte ranges, as object stores do."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            self._answer(body=False)

        def do_GET(self):
            self._answer(body=True)

        def _answer(self, *, body):
            content = (folder / self.path.lstrip("/")).read_bytes()
            begin, end, status = 0, len(content), 200
            if "Range" in self.headers:
                first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
                begin, end, status = int(first), int(last or len(content) - 1) + 1, 206
                end = min(end, len(content))
            self.send_response(status)
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(end - begin))
            if status == 206:
                self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(content)}")
            self.end_headers()
            if body:
                self.wfile.write(content[begin:end])

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{serving.server_address[1]}"
        finally:
            serving.shutdown()
            thread.join()


def test_a_gallery_comes_over_the_network(tmp_path):
    pytest.importorskip("fsspec", reason="URLs need the extra retrieval")
    pytest.importorskip("aiohttp", reason="http URLs need aiohttp")
    generator = np.random.default_rng(5)
    np.save(tmp_path / "gallery.npy", generator.standard_normal((300, 16), np.float32))
    np.save(tmp_path / "queries.npy", generator.standard_normal((7, 16), np.float32))
    with server(tmp_path) as url:
        plan = timing.StudyPlan(gallery=f"{url}/gallery.npy", queries=f"{url}/queries.npy", **QUICK)
        data = timing.run_study(plan)
    for run in data["runs"]:
        assert run["status"] == "ok", run["reason"]
        for measured in run["modes"].values():
            assert set(measured["time_with_io_ms"]) == {"network"}
            assert measured["time_with_io_ms"]["network"]["stages_ms"]["read_gallery"] > 0
            assert measured["check"]["recall"]["strict"] == 1.0


# ---- interruption


def children_of(pid):
    """Processes whose parent is pid, from /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == pid and fields[0] != "Z":
                    found.append(int(entry.name))
    return found


def wait_for(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return value


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_a_study_that_is_ended(tmp_path, how):
    program = (
        "from pathlib import Path\n"
        "from fastvbench.retrieval.timing import StudyPlan, run_study\n"
        "plan = StudyPlan(sizes=(50,), dimensions=(8,), engines=('numpy',), minimum_seconds=60.0,\n"
        f"    folder=Path({str(tmp_path)!r}))\n"
        "run_study(plan)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) as process:
        (worker,) = wait_for(lambda: children_of(process.pid))
        time.sleep(0.5)
        process.send_signal(how)
        _, errors = process.communicate(timeout=20)
    assert process.returncode != 0
    wait_for(lambda: not Path(f"/proc/{worker}").exists())
    if how == signal.SIGINT:
        assert b"KeyboardInterrupt" in errors
        assert list(tmp_path.iterdir()) == []
