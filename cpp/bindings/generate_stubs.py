"""Writes the type stubs of the installed ``fastvbench._core``: generate_stubs.py OUTPUT.

The stubs are committed, since a build may not be able to import what it has just built; `make
stubs` runs this, and tests/python/test_stubs.py holds the committed file equal to its output.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def generate() -> str:
    """Returns the stubs of ``fastvbench._core``, in the house format.

    Raises:
        subprocess.CalledProcessError: a signature that the generator cannot print, for instance a
            type that is bound after a function that uses it; the generator's report is on stderr.
    """
    with tempfile.TemporaryDirectory() as folder:
        # Run there, so that what is imported is the installed package.
        command = [sys.executable, "-m", "pybind11_stubgen", "fastvbench._core", "--exit-code"]
        subprocess.run([*command, "-o", folder], check=True, cwd=folder)
        text = (Path(folder) / "fastvbench" / "_core.pyi").read_text(encoding="utf-8")
    # The generator invents __all__, and writes today's version down as if it were a constant.
    text = re.sub(r"^__all__.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(__version__: str) = .*$", r"\1", text, flags=re.MULTILINE)
    command = [sys.executable, "-m", "ruff", "format", "--config", str(PROJECT / "pyproject.toml")]
    formatted = subprocess.run(
        [*command, "--stdin-filename", "_core.pyi", "-"],
        input=text,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return formatted.stdout


if __name__ == "__main__":
    output, stubs = Path(sys.argv[1]), generate()
    if not output.exists() or output.read_text(encoding="utf-8") != stubs:
        output.write_text(stubs, encoding="utf-8")  # an untouched file makes no new wheel
