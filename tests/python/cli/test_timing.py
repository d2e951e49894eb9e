"""fastvbench timing: tables, files, exit codes."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fastvbench.cli import main
from fastvbench.retrieval.engines import _registry
from fastvbench.retrieval.timing import _plot

QUICK = [
    *("timing", "lovr", "--sizes", "31,200", "--dimensions", "8", "--queries", "6"),
    *("--single-queries", "3", "--minimum-seconds", "0.001", "--minimum-passes", "2"),
    *("--engines", "fastvbench,numpy", "--threads", "1"),
]


def test_one_command_writes_table_json_and_csv(tmp_path, capsys):
    code = main([*QUICK, "--folder", str(tmp_path), "-o", str(tmp_path / "timing.json")])
    shown = capsys.readouterr()
    assert code == 0
    study = json.loads((tmp_path / "timing.json").read_bytes())
    assert study["kind"] == "timing"
    assert [run["status"] for run in study["runs"]] == ["ok"] * 4
    with (tmp_path / "timing.csv").open(newline="") as file:
        assert {row["engine"] for row in csv.DictReader(file)} == {"fastvbench", "numpy"}
    names = {"timing.json", "timing.csv"}
    if "no plot" not in shown.err:
        names.add("timing.png")
    assert {path.name for path in tmp_path.iterdir()} == names
    assert shown.out.count("fastvbench") >= 2 * 2 * 2  # galleries, modes, both tables
    assert "200 x 8" in shown.out
    assert "read gallery" in shown.out
    assert "text encoding" in shown.out


def test_with_a_dash_standard_output_is_json_alone(capsys):
    assert main([*QUICK, "--no-cold", "-o", "-"]) == 0
    shown = capsys.readouterr()
    study = json.loads(shown.out)
    assert set(study["runs"][0]["modes"]["batch"]["time_with_io_ms"]) == {"warm"}
    assert "recall" in shown.err


def test_without_matplotlib_the_plot_is_left_out_unless_asked_for(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(_plot.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(_registry, "is_installed", lambda _: True)
    target = str(tmp_path / "timing.json")
    assert main([*QUICK, "--plot", str(tmp_path / "timing.svg")]) == 3
    assert "fastvbench[timing]" in capsys.readouterr().err
    monkeypatch.setattr("fastvbench.retrieval.timing._study.is_installed", lambda _: True)
    assert main([*QUICK, "--no-cold", "-o", target]) == 0
    assert "no plot: " in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"timing.json", "timing.csv"}


def test_an_engine_that_was_asked_for_and_is_missing_is_exit_code_3(capsys, monkeypatch):
    monkeypatch.setattr(_registry, "is_installed", lambda name: name != "numpy")
    assert main(QUICK) == 3
    assert "the numpy engine needs: pip install numpy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--sizes", "many"], "'many' is no whole number"),
        (["--memory-gb", "nan"], "'nan' is no finite number"),
        (["--time-limit", "inf"], "'inf' is no finite number"),
    ],
)
def test_wrong_words_are_one_line_and_exit_code_2(arguments, named, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*QUICK, *arguments])
    assert stop.value.code == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert named in shown


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--engines", "annoy"], "annoy"),
        (["-k", "0"], "'k'"),
        (["--gallery", "absent.npy", "--query-vectors", "absent.npy"], "absent.npy"),
        (["--gallery", "absent.npy"], "'queries'"),
        (["-o", "no/such/folder/timing.json"], "no such folder"),
        (["--plot", "timing.bmp"], "timing.bmp"),
        (["--csv", "same.png", "--plot", "same.png"], "same.png"),
        (["--folder", "absent"], "absent"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, named, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*QUICK, *arguments]) == 2
    shown = capsys.readouterr()
    lines = [line for line in shown.err.splitlines() if line.startswith("fastvbench: ")]
    assert len(lines) == 1
    assert named in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_takes_too_long_is_said_and_is_exit_code_4(capsys):
    assert main([*QUICK, "--engines", "numpy", "--time-limit", "0.01"]) == 4
    assert "numpy, 31 x 8: timed out: not done within 0.01 s" in capsys.readouterr().out


def test_a_gallery_that_cannot_be_searched_is_said_with_its_row(tmp_path, capsys):
    rows = np.ones((40, 8), np.float32)
    rows[7, 3] = np.nan
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "queries.npy", np.ones((2, 8), np.float32))
    given = ["--gallery", str(tmp_path / "rows.npy")]
    given += ["--query-vectors", str(tmp_path / "queries.npy"), "--engines", "fastvbench"]
    assert main([*QUICK, *given]) == 4
    shown = capsys.readouterr().out
    assert "fastvbench, 40 x 8: refused: ValueError" in shown
    assert "7" in shown.partition("ValueError")[2]


def test_an_output_does_not_replace_an_input(tmp_path, capsys):
    np.save(tmp_path / "rows.npy", np.eye(3, dtype=np.float32))
    rows = str(tmp_path / "rows.npy")
    before = Path(rows).read_bytes()
    assert main([*QUICK, "--gallery", rows, "--query-vectors", rows, "--csv", rows]) == 2
    assert "would replace this input" in capsys.readouterr().err
    assert Path(rows).read_bytes() == before


def test_wrong_answers_are_said_loudly(capsys):
    from fastvbench.cli._timing_tables import print_study

    assert main([*QUICK, "--no-cold", "-o", "-"]) == 0
    study = json.loads(capsys.readouterr().out)
    study["runs"][1]["modes"]["batch"]["check"]["recall"]["with_ties"] = 0.5
    study["runs"][2] = {"gallery": 1, "engine": "fastvbench", "status": "timed_out", "reason": "x"}
    print_study(study, sys.stdout)
    shown = capsys.readouterr().out
    assert "numpy, 31 x 8, batch: WRONG ANSWERS, recall 0.500000" in shown
    assert "fastvbench, 200 x 8: timed out: x" in shown


def test_an_interrupted_study_leaves_nothing(tmp_path):
    target = tmp_path / "timing.json"
    command = [sys.executable, "-m", "fastvbench", *QUICK, "--minimum-seconds", "60"]
    command += ["--folder", str(tmp_path), "-o", str(target)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        line = b""
        while b"with I/O" not in line:
            line = process.stderr.readline()
            assert line, "ended before it was interrupted"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"interrupted" in errors
    assert b"Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
