"""The committed stubs say what the built extensions offer, and C++ and Python agree on numbers."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from fastvbench import _core
from fastvbench.core._status import Flag, Status

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["_core", "_cuda"])
def extension(request):
    if importlib.util.find_spec(f"fastvbench.{request.param}") is None:
        pytest.skip(f"{request.param} is not in this build, which had no CUDA compiler")
    return request.param


# pybind11 gives its classes a metaclass, and those without a constructor one that refuses.
NOT_IN_STUBS = ("CallerStream", "DeviceArray", "DeviceArray.__init__")


def test_stubs_match_the_extension(extension, tmp_path):
    pytest.importorskip("mypy.stubtest", reason="mypy comes with the lint group")
    allowed = [f"fastvbench._cuda.{name}" for name in NOT_IN_STUBS if extension == "_cuda"]
    (tmp_path / "allowed.txt").write_text("\n".join(allowed))
    # Run elsewhere, so that both the extension and its stubs are the installed ones.
    command = [sys.executable, "-m", "mypy.stubtest", f"fastvbench.{extension}"]
    command += ["--allowlist", "allowed.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_what_the_generator_writes(extension, tmp_path):
    pytest.importorskip("pybind11_stubgen", reason="pybind11-stubgen comes with the lint group")
    pytest.importorskip("ruff", reason="ruff comes with the lint group")
    fresh = tmp_path / f"{extension}.pyi"
    generator = PROJECT / "cpp" / "bindings" / "generate_stubs.py"
    subprocess.run([sys.executable, str(generator), str(fresh)], check=True)
    committed = PROJECT / "python" / "fastvbench" / fresh.name
    assert fresh.read_text() == committed.read_text(), "stale stubs: run `make stubs`"


def test_status_numbers_are_those_of_the_core():
    assert _core.status_numbers() == {status.name.lower(): int(status) for status in Status}


def test_flag_bits_are_those_of_the_core():
    assert _core.flag_bits() == {flag.name.lower(): int(flag) for flag in Flag}
