"""Writes the type stubs of the installed extensions: generate_stubs.py .../_core.pyi .../_cuda.pyi.

The stubs are committed, since a build may not be able to import what it has just built; `make
stubs` runs this, and tests/python/test_stubs.py holds the committed files equal to its output. An
extension that was not built (_cuda without a CUDA compiler) keeps the stubs it has.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def generate(extension: str) -> str:
    """Returns the stubs of ``fastvbench.<extension>``, in the house format.

    Raises:
        subprocess.CalledProcessError: a signature that the generator cannot print, for instance a
            type that is bound after a function that uses it; the generator's report is on stderr.
    """
    module = f"fastvbench.{extension}"
    with tempfile.TemporaryDirectory() as folder:
        # Run there, so that what is imported is the installed package.
        command = [sys.executable, "-m", "pybind11_stubgen", module, "--exit-code"]
        subprocess.run([*command, "-o", folder], check=True, cwd=folder)
        text = (Path(folder) / "fastvbench" / f"{extension}.pyi").read_text(encoding="utf-8")
    # The generator invents __all__, and writes today's version down as if it were a constant.
    text = re.sub(r"^__all__.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(__version__: str) = .*$", r"\1", text, flags=re.MULTILINE)
    command = [sys.executable, "-m", "ruff", "format", "--config", str(PROJECT / "pyproject.toml")]
    formatted = subprocess.run(
        [*command, "--stdin-filename", f"{extension}.pyi", "-"],
        input=text,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return formatted.stdout


def main(outputs: list[Path]) -> None:
    """Writes each file whose extension is installed and whose text has changed."""
    for output in outputs:
        if importlib.util.find_spec(f"fastvbench.{output.stem}") is None:
            sys.stderr.write(f"{output.stem} is not built here: {output.name} stays as it is\n")
            continue
        stubs = generate(output.stem)
        if not output.exists() or output.read_text(encoding="utf-8") != stubs:
            output.write_text(stubs, encoding="utf-8")  # an untouched file makes no new wheel


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
