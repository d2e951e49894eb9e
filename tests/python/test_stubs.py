"""The committed stubs say what the built extension offers, and C++ and Python agree on numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fastvbench import _core
from fastvbench.core._status import Flag, Status

PROJECT = Path(__file__).resolve().parents[2]
COMMITTED = PROJECT / "python" / "fastvbench" / "_core.pyi"


def test_stubs_match_the_extension(tmp_path):
    pytest.importorskip("mypy.stubtest", reason="mypy comes with the lint group")
    # Run elsewhere, so that both the extension and its stubs are the installed ones.
    command = [sys.executable, "-m", "mypy.stubtest", "fastvbench._core"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_what_the_generator_writes(tmp_path):
    pytest.importorskip("pybind11_stubgen", reason="pybind11-stubgen comes with the lint group")
    pytest.importorskip("ruff", reason="ruff comes with the lint group")
    fresh = tmp_path / "_core.pyi"
    generator = PROJECT / "cpp" / "bindings" / "generate_stubs.py"
    subprocess.run([sys.executable, str(generator), str(fresh)], check=True)
    assert fresh.read_text() == COMMITTED.read_text(), "stale stubs: run `make stubs`"


def test_status_numbers_are_those_of_the_core():
    assert _core.status_numbers() == {status.name.lower(): int(status) for status in Status}


def test_flag_bits_are_those_of_the_core():
    assert _core.flag_bits() == {flag.name.lower(): int(flag) for flag in Flag}
