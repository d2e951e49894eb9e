"""The timing study: its data, its clock, its processes, and a small study from end to end."""

from __future__ import annotations

import contextlib
import csv
import http.server
import io
import json
import os
import shutil
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
from fastvbench.retrieval.timing import _check, _clock, _data, _page_cache, _process, _source
from fastvbench.retrieval.timing._clock import Enough, LedgerPass
from fastvbench.retrieval.timing._job import Job

QUICK = {
    "query_count": 12,
    "single_queries": 5,
    "minimum_seconds": 0.001,
    "minimum_passes": 2,
    "minimum_calls": 5,
    "engines": ("fastvbench", "numpy"),
    "threads": 1,
}


# ---- generated vectors


def generated(folder, **changes):
    folder.mkdir()
    given = {"rows": 2000, "dimension": 32, "query_count": 40, "seed": 3, **changes}
    files = timing.write_generated(folder, **given)
    return np.load(files.gallery), np.load(files.queries), files.relevant


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path):
    first, again = generated(tmp_path / "a"), generated(tmp_path / "b")
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    other_gallery = generated(tmp_path / "c", seed=4)[0]
    assert not np.array_equal(first[0], other_gallery)


def test_rows_and_queries_have_length_one(tmp_path):
    gallery, queries, _ = generated(tmp_path / "a")
    assert gallery.shape == (2000, 32)
    assert queries.shape == (40, 32)
    assert gallery.dtype == queries.dtype == np.float32
    for rows in (gallery, queries):
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


def test_clips_lie_around_their_video(tmp_path):
    gallery, _, _ = generated(tmp_path / "a", dimension=256)
    video = np.arange(2000) * timing.LOVR_VIDEOS // 2000
    similarity = gallery @ gallery.T
    same = video[:, None] == video[None, :]
    np.fill_diagonal(same, val=False)
    assert similarity[same].mean() > similarity[~same].mean() + 0.2


def test_the_relevant_row_is_near_the_top(tmp_path):
    gallery, queries, relevant = generated(tmp_path / "a", dimension=512, query_count=100)
    scores = queries @ gallery.T
    ranks = (scores > scores[np.arange(100), relevant][:, None]).sum(axis=1)
    assert np.mean(ranks < 10) > 0.9
    assert np.mean(ranks == 0) < 1.0  # else every engine's recall is trivial


@pytest.mark.parametrize(("rows", "videos"), [(1, 1), (467, 467), (40_804, 467), (10**6, 11_445)])
def test_videos_grow_with_the_clips(rows, videos):
    assert _data.video_count(rows) == videos


def test_blocks_make_one_gallery(tmp_path, monkeypatch):
    monkeypatch.setattr(_data, "_BLOCK_BYTES", 4 * 32 * 300)
    gallery, queries, relevant = generated(tmp_path / "a")
    np.testing.assert_allclose(np.linalg.norm(gallery, axis=1), 1.0, atol=1e-6)
    assert len(np.unique(gallery, axis=0)) == 2000
    assert (queries * gallery[relevant]).sum(axis=1).mean() > 0.2


def test_a_full_disk_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(InputError, match="GB free"):
        timing.write_generated(tmp_path, rows=1000, dimension=8, query_count=1, seed=0)
    assert list(tmp_path.iterdir()) == []


# ---- page cache


def test_pages_leave_the_cache_and_come_back(tmp_path):
    path = tmp_path / "pages"
    path.write_bytes(os.urandom(1 << 20))
    if _page_cache.resident_fraction(path) is None:
        pytest.skip("this system does not tell which pages are resident")
    assert _page_cache.resident_fraction(path) == 1.0
    reason = _page_cache.drop_pages(path)
    if reason is not None:
        assert "stayed in the page cache" in reason
        pytest.skip(f"temporary files cannot be dropped here: {reason}")
    assert _page_cache.resident_fraction(path) == 0.0
    path.read_bytes()
    assert _page_cache.resident_fraction(path) == 1.0


def test_pages_that_stay_are_said(tmp_path, monkeypatch):
    path = tmp_path / "pages"
    path.write_bytes(bytes(5000))
    monkeypatch.setattr(_page_cache, "resident_fraction", lambda _: 0.5)
    assert "50% of the file" in _page_cache.drop_pages(path)
    monkeypatch.delattr(os, "posix_fadvise")
    assert "posix_fadvise" in _page_cache.drop_pages(path)


# ---- clock


@pytest.mark.parametrize(
    ("enough", "passes"),
    [(Enough(1.0, 1, 1), 8), (Enough(0.01, 7, 1), 7), (Enough(0.01, 1, 9), 5)],
    ids=["seconds", "passes", "calls"],
)
def test_a_pass_is_repeated_until_all_minima_are_reached(enough, passes):
    assert _clock.repeat(lambda: (0.125, 2), enough) == passes


def test_what_costs_more_outside_than_inside_ends_by_the_wall_clock():
    def run():
        time.sleep(0.01)
        return 0.0, 1

    assert _clock.repeat(run, Enough(0.005, 2, 1)) <= 7


def one_pass(wall=2.0, search=1.0):
    stages = dict.fromkeys(_clock.STAGES, 0.0) | {"read_gallery": 0.5, "search": search}
    return LedgerPass(wall, stages, call_seconds=[search / 4, search * 3 / 4], call_queries=[1, 3])


def test_the_stages_and_the_rest_add_up_to_the_wall_time():
    ledger = one_pass().ledger()
    assert sum(ledger["stages_ms"].values()) == pytest.approx(ledger["wall_ms"])
    assert ledger["stages_ms"]["other"] == pytest.approx(500.0)
    assert not ledger["other_within_tolerance"]
    assert one_pass(wall=1.52).ledger()["other_within_tolerance"]


def test_queries_share_what_is_done_once():
    per_query = one_pass().per_query_seconds()
    assert len(per_query) == 4
    assert sum(per_query) == pytest.approx(2.0)
    assert per_query[0] == pytest.approx(0.25 + 0.25)


def test_the_ledger_is_that_of_the_median_pass():
    entry = _clock.typical_pass([one_pass(5.0), one_pass(2.0), one_pass(3.0)])
    assert entry["wall_ms"] == pytest.approx(3000.0)
    assert entry["total"] == pytest.approx(1e3 * 10 / 3)
    assert entry["mean"] * entry["queries"] == pytest.approx(entry["total"])
    assert (entry["passes"], entry["calls"], entry["queries"]) == (3, 6, 4)


def test_a_summary_is_per_query_and_in_total():
    entry = _clock.summary([0.004, 0.008], [4, 4], passes=2)
    assert entry["mean"] == pytest.approx(1.5)
    assert entry["total"] == pytest.approx(6.0)
    assert (entry["queries"], entry["calls"]) == (4, 2)


# ---- answers


def test_ties_that_float32_cannot_tell_apart_count_with_ties_only():
    gallery = np.array([[1.0, 0.0], [1.0, 1e-9], [0.0, 1.0]], np.float32)
    queries = np.array([[1.0, 0.0]], np.float32)
    exact = _check.exact_neighbours(queries, gallery, 1, "dot")
    assert exact.indices.tolist() == [[0]]
    shares = _check.recall(np.array([[1]]), exact, queries, gallery)
    assert (shares.strict, shares.with_ties) == (0.0, 1.0)
    assert _check.recall(np.array([[2]]), exact, queries, gallery).with_ties == 0.0


def test_a_repeated_row_and_no_row_are_not_found_twice():
    gallery = np.eye(4, dtype=np.float32)
    queries = np.array([[4.0, 3.0, 2.0, 1.0]], np.float32)
    exact = _check.exact_neighbours(queries, gallery, 2, "cosine")
    for wrong in ([0, 0], [0, -1], [0, 4]):
        shares = _check.recall(np.array([wrong]), exact, queries, gallery)
        assert (shares.strict, shares.with_ties) == (0.5, 0.5), wrong


def test_exact_neighbours_do_not_depend_on_blocks(monkeypatch):
    generator = np.random.default_rng(1)
    gallery = generator.integers(-2, 3, (500, 4)).astype(np.float32)  # many true ties
    gallery[(gallery == 0).all(axis=1)] = 1.0
    queries = generator.integers(-2, 3, (20, 4)).astype(np.float32)
    whole = _check.exact_neighbours(queries, gallery, 9, "cosine")
    monkeypatch.setattr(_check, "_BLOCK_ROWS", 7)
    np.testing.assert_array_equal(
        _check.exact_neighbours(queries, gallery, 9, "cosine").indices, whole.indices
    )


# ---- sources


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "is a pipe or a device"),
        (lambda path: path.write_bytes(b"PK\x03\x04 and no more"), "damaged archive"),
        (lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\x04\x00{'a\n"), "damaged or truncated"),
        (lambda path: None, "no such file"),
    ],
    ids=["folder", "pipe", "zip", "header", "absent"],
)
def test_what_is_no_gallery_is_named(make, named, tmp_path):
    make(tmp_path / "gallery")
    with pytest.raises(InputError, match=named):
        _source.shape_of(str(tmp_path / "gallery"))


def test_a_truncated_gallery_is_named_with_its_bytes(tmp_path):
    path = tmp_path / "gallery.npy"
    np.save(path, np.ones((3, 4), np.float32))
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InputError, match=r"got '44 bytes'; expected 48 bytes"):
        _source.read_rows(str(path))


def test_a_time_limit_may_exceed_what_a_system_waits_at_once(tmp_path):
    done = """print('{"event": "done", "result": {}}')"""
    assert outcome_of(python(done), tmp_path, seconds=1e12).status == "ok"


def test_queries_are_read_one_by_one_from_their_file(tmp_path):
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "queries.npy", rows)
    with _source.QueryReader(str(tmp_path / "queries.npy")) as reader:
        np.testing.assert_array_equal(reader.read(2, 3), rows[2:3])
        np.testing.assert_array_equal(reader.read(0, 4), rows)
        with pytest.raises(InputError, match="ends early"):
            reader.read(3, 5)


def test_a_fortran_ordered_file_is_read_right(tmp_path):
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "queries.npy", np.asfortranarray(rows))
    with _source.QueryReader(str(tmp_path / "queries.npy")) as reader:
        np.testing.assert_array_equal(reader.read(1, 2), rows[1:2])


# ---- processes


def job(folder, **changes):
    given = {
        "engine": "numpy",
        "threads": 1,
        "device": "cpu",
        "metric": "dot",
        "k": 1,
        "gallery": str(folder / "absent.npy"),
        "queries": str(folder / "absent.npy"),
        "query_count": 1,
        "single_queries": 1,
        "batch_size": 1,
        "mapped": False,
        "cold": False,
        "minimum_seconds": 0.001,
        "minimum_passes": 1,
        "minimum_calls": 1,
        "folder": str(folder),
    }
    return Job(**given | changes)


def python(program):
    return (sys.executable, "-c", program)


def outcome_of(command, folder, seconds=20.0):
    return _process.run_job(
        job(folder), time_limit_seconds=seconds, say=lambda _: None, command=command
    )


def test_a_process_that_dies_is_reported_with_its_last_words(tmp_path):
    outcome = outcome_of(python("raise RuntimeError('no such kernel')"), tmp_path)
    assert outcome[:2] == ("died", "RuntimeError: no such kernel")


def test_a_process_that_is_killed_is_reported_with_its_signal(tmp_path):
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert outcome_of(python(program), tmp_path)[:2] == ("died", "ended by SIGKILL")


def test_a_process_that_hangs_is_ended(tmp_path):
    program = (
        "import os, sys, time; "
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    )
    started = time.monotonic()
    outcome = outcome_of(python(program), tmp_path, seconds=1.5)
    assert outcome[:2] == ("timed_out", "not done within 1.5 s")
    assert time.monotonic() - started < 15
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_process_that_keeps_talking_is_ended_too(tmp_path):
    program = (
        "import time\n"
        'while True: print(\'{"event": "progress", "what": "x"}\', flush=True); time.sleep(.05)'
    )
    assert outcome_of(python(program), tmp_path, seconds=1.0).status == "timed_out"


def test_a_bad_file_is_a_refusal_not_a_crash(tmp_path):
    outcome = _process.run_job(job(tmp_path), time_limit_seconds=60, say=lambda _: None)
    assert outcome.status == "refused"
    assert "absent.npy" in outcome.reason
    assert outcome.settings["numpy"] == np.__version__


def test_what_a_library_prints_does_not_disturb_the_events(tmp_path):
    gallery = tmp_path / "absent.npy"
    np.save(gallery, np.eye(3, dtype=np.float32))
    program = (
        "import sys\n"
        "from fastvbench.retrieval.timing import _measure\n"
        "inner = _measure.make_engine\n"
        "def loud(*a, **k): print('another', flush=True); return inner(*a, **k)\n"
        "_measure.make_engine = loud\n"
        "from fastvbench.retrieval.timing import worker\n"
        "sys.exit(worker.main())\n"
    )
    assert outcome_of(python(program), tmp_path, seconds=60).status == "ok"


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
