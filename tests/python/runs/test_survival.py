"""Whatever ends a run, nothing that is finished is lost, and the rest gives what it would have."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.python.runs.made_up import write_questions

COUNT = 240
KILLS = 20


def result_of(folder: Path) -> dict[str, object]:
    return json.loads((folder / "result.json").read_bytes())


@pytest.fixture(scope="module")
def whole(tmp_path_factory, worker):
    """A run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    annotations = write_questions(folder / "questions.jsonl", COUNT)
    assert worker.run(annotations=str(annotations), out=str(folder / "run")) == 0
    return annotations, folder / "run"


def wait_until(happened, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happened():
            return True
        time.sleep(0.0005)
    return False


def kill_at_a_random_moment(kind, draw, worker, responses, order) -> None:
    """One process, killed: by itself in a write or in the model, or from outside."""
    if kind == "write":
        worker.start(**order, die_in_write=draw.randint(1, 9), share=draw.random())
    elif kind == "model":
        worker.start(**order, calls_left=draw.randint(0, 2))
    else:
        before = responses.stat().st_size if responses.exists() else 0
        process = worker.start(**order, seconds=0.03)
        if kind == "time":  # the first milliseconds too, before there is any row
            time.sleep(draw.uniform(0.0, 0.1))
        else:
            more = before + draw.randint(1, 3_000)
            assert wait_until(lambda: responses.exists() and responses.stat().st_size >= more)
        os.kill(process, signal.SIGKILL)
    assert worker.ended() == -signal.SIGKILL


def test_killed_at_twenty_moments(tmp_path, whole, worker, rows_of):
    annotations, whole_run = whole
    out = tmp_path / "run"
    responses = out / "responses.jsonl"
    draw = random.Random(7)
    order = {"annotations": str(annotations), "out": str(out)}
    sizes = []
    for number in range(KILLS):
        kind = ("time", "write", "size", "model")[number % 4]
        kill_at_a_random_moment(kind, draw, worker, responses, order)
        sizes.append(responses.stat().st_size if responses.exists() else 0)
    assert len(set(sizes)) > KILLS // 2  # so they were at work when they were killed
    assert not (out / "result.json").exists()
    assert responses.read_bytes().count(b"\n") < COUNT
    assert worker.run(**order) == 0

    assert rows_of(out) == rows_of(whole_run)
    assert len({row["id"] for row in rows_of(out)}) == COUNT
    mine, theirs = result_of(out), result_of(whole_run)
    assert mine["rules"] == theirs["rules"]
    assert mine["coverage"] == theirs["coverage"]
    assert (
        mine["run"]["responses_sha256_without_times"]
        == theirs["run"]["responses_sha256_without_times"]
    )
    record = json.loads((out / "run.json").read_bytes())
    assert record["sessions"][-1]["before"] == COUNT - record["sessions"][-1]["answered"]
    assert KILLS // 2 <= len(record["sessions"]) <= KILLS + 1
    assert sum(session["torn_bytes_cut"] > 0 for session in record["sessions"]) >= 3


def test_a_last_line_torn_anywhere_is_cut_off(tmp_path, whole, worker, rows_of):
    annotations, whole_run = whole
    content = (whole_run / "responses.jsonl").read_bytes()
    record = (whole_run / "run.json").read_bytes()
    last = content.rstrip(b"\n").rindex(b"\n") + 1
    draw = random.Random(3)
    for number, end in enumerate(
        [last + 1, len(content) - 1, *draw.sample(range(last, len(content)), 6)]
    ):
        out = tmp_path / f"torn{number}"
        out.mkdir()
        (out / "run.json").write_bytes(record)
        (out / "responses.jsonl").write_bytes(content[:end])
        assert worker.run(annotations=str(annotations), out=str(out)) == 0
        assert rows_of(out) == rows_of(whole_run)
        session = json.loads((out / "run.json").read_bytes())["sessions"][-1]
        assert session["torn_bytes_cut"] == end - last
        assert session["answered"] == 1


def test_a_file_that_may_not_grow(tmp_path, whole, worker, rows_of):
    annotations, whole_run = whole
    out = tmp_path / "run"
    order = {"annotations": str(annotations), "out": str(out)}
    assert worker.run(**order, most_bytes=40_000) == 4
    held = rows_of(out)
    assert 0 < len(held) < COUNT
    assert held == rows_of(whole_run)[: len(held)]
    record = json.loads((out / "run.json").read_bytes())
    assert "disk" in record["sessions"][-1]["stopped"]
    run = result_of(out)["run"]
    assert not run["complete"]
    assert run["missing"] == COUNT - len(held)
    assert run["missing_examples"]
    assert worker.run(**order) == 0
    assert rows_of(out) == rows_of(whole_run)
    assert result_of(out)["rules"] == result_of(whole_run)["rules"]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 128 KiB; only root can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
    )
    if not mounted:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk, whole, worker, rows_of):
    annotations, whole_run = whole
    out = small_disk / "run"
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 60_000)
    order = {"annotations": str(annotations), "out": str(out)}
    assert worker.run(**order) == 4
    held = rows_of(out)
    assert 0 < len(held) < COUNT
    assert held == rows_of(whole_run)[: len(held)]
    ballast.unlink()
    (small_disk / "run" / "result.json").unlink(missing_ok=True)
    assert (
        subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=False).returncode
        == 0
    )
    assert worker.run(**order) == 0
    assert rows_of(out) == rows_of(whole_run)
    assert result_of(out)["rules"] == result_of(whole_run)["rules"]


def test_a_second_process_is_refused_and_a_dead_ones_lock_is_none(
    tmp_path, whole, worker, second_worker, rows_of
):
    annotations, whole_run = whole
    out = tmp_path / "run"
    warm = {"annotations": str(annotations), "out": str(tmp_path / "warm")}
    assert second_worker.run(**warm) == 0  # its imports are done, so it is not late
    slow = {"annotations": str(annotations), "out": str(out), "seconds": 0.5}
    process = worker.start(**slow)
    responses = out / "responses.jsonl"
    assert wait_until(lambda: responses.exists() and responses.stat().st_size > 0)
    assert second_worker.run(annotations=str(annotations), out=str(out)) == 2
    os.kill(process, signal.SIGKILL)
    assert worker.ended() == -signal.SIGKILL
    assert second_worker.run(annotations=str(annotations), out=str(out)) == 0
    assert rows_of(out) == rows_of(whole_run)
