"""Engines in processes of their own: which end, and how that is told."""

from __future__ import annotations

import os
import sys
import time

import numpy as np
import pytest

from fastvbench.retrieval.timing import _process
from fastvbench.retrieval.timing._job import Job

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


def test_a_time_limit_may_exceed_what_a_system_waits_at_once(tmp_path):
    done = """print('{"event": "done", "result": {}}')"""
    assert outcome_of(python(done), tmp_path, seconds=1e12).status == "ok"
