"""Imports point downward only: between the rooms of the package, and between Python and C++."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Checks the contracts of the pyproject.toml in `folder`, whose packages are importable."""
    pytest.importorskip("importlinter", reason="import-linter comes with the lint group")
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); "
        "from importlinter.cli import lint_imports_command as run; run()"
    )
    command = [sys.executable, "-c", program, "--no-cache", str(folder / "pyproject.toml")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_rooms_import_downward_only():
    done = lint_imports(PROJECT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rooms import downward only KEPT" in done.stdout


def test_an_upward_import_is_noticed(tmp_path):
    package = tmp_path / "upside_down"
    for room in ("core", "formats"):
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "core" / "__init__.py").write_text("import upside_down.formats\n")
    config = (PROJECT / "pyproject.toml").read_text().replace('"fastvbench"', '"upside_down"')
    (tmp_path / "pyproject.toml").write_text(config)
    done = lint_imports(tmp_path)
    assert done.returncode == 1
    assert "rooms import downward only BROKEN" in done.stdout


def test_rooms_take_nothing_from_the_package_but_its_extensions():
    package = PROJECT / "python" / "fastvbench"
    taken = {
        (path.relative_to(package).as_posix(), name.name)
        for path in package.rglob("*.py")
        if path.parent != package and path.parent.name != "cli"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "fastvbench" and node.level == 0
        for name in node.names
    }
    # _cuda for types alone: core/_device.py loads it, and test_light_import.py sees that none does
    # so on import.
    assert {pair for pair in taken if pair[1] not in {"_core", "_cuda"}} == set()


@pytest.mark.parametrize("folder", ["include", "src", "cuda"])
def test_the_core_never_mentions_python(folder):
    sources = [path for path in (PROJECT / "cpp" / folder).rglob("*") if path.is_file()]
    found = [
        f"{path.relative_to(PROJECT)}:{number}: {line.strip()}"
        for path in sources
        if path.suffix in {".h", ".cpp", ".cu", ".cuh"}
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"python|pybind|numpy|\bPy[A-Z_]", line, re.IGNORECASE)
    ]
    assert found == []


def test_the_shim_under_cuda_kernels_stays_small():
    shim = PROJECT / "tests" / "cuda" / "shim"
    assert sum(len(path.read_text().splitlines()) for path in shim.iterdir()) <= 600
