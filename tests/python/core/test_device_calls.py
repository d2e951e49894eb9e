"""Device functions from Python to kernels and back, over the shim of tests/cuda."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]


def test_calls_over_the_shim_answer_as_the_core():
    name = "_cuda" + (sysconfig.get_config_var("EXT_SUFFIX") or ".so")
    extension = PROJECT / "build" / "cpp" / "tests" / "cuda" / name
    if not extension.exists():
        pytest.skip(f"build/cpp has no {name} over the shim: `make test-cpp` builds it")
    program = Path(__file__).with_name("shim_calls.py")
    command = [sys.executable, str(program), str(extension)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "every answer is the core's\n"
