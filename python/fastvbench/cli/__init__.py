"""The command line: one file per command."""

from __future__ import annotations

from fastvbench.cli._main import main

__all__ = ["main"]
