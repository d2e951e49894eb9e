"""What `make wheel` has built: both extensions in one small wheel."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

import pytest

WHEELS = Path(__file__).resolve().parents[2] / "build" / "wheel"
MOST_BYTES = 5_000_000


@pytest.fixture
def wheel():
    found = sorted(WHEELS.glob("*.whl"))
    if not found:
        pytest.skip("no wheel has been built in build/wheel: `make wheel` builds one")
    (path,) = found
    return path


def test_the_wheel_is_small(wheel):
    assert wheel.stat().st_size < MOST_BYTES


def test_the_wheel_holds_each_extension_that_was_built_with_its_stubs(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    built = {"_core"}
    if importlib.util.find_spec("fastvbench._cuda") is not None:
        built.add("_cuda")
    extensions = {name.split(".")[0] for name in names if name.endswith((".so", ".pyd"))}
    assert extensions == {f"fastvbench/{name}" for name in built}
    assert {"fastvbench/_core.pyi", "fastvbench/_cuda.pyi", "fastvbench/py.typed"} <= set(names)
