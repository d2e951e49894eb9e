"""What diagnostics found, as lines: alarms first, the rest in one paragraph."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, TextIO

from fastvbench.results._diagnostics import diagnostic_entries

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["print_alarms", "print_diagnostics"]

WIDTH = 100


def print_diagnostics(data: Mapping[str, Any], out: TextIO) -> None:
    """Each alarm with what it found, and the names of the checks that found nothing."""
    entries = diagnostic_entries(data)
    if not entries:
        return
    print("\ndiagnostics", file=out)
    print_alarms(data, out, prefix="  ")
    quiet = ", ".join(_words(entry["name"]) for entry in entries if not entry["alarm"])
    if quiet:
        text = f"no alarm: {quiet} (definitions and numbers with -o)"
        lines = textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ")
        print("\n".join(lines), file=out)


def print_alarms(data: Mapping[str, Any], out: TextIO, *, prefix: str = "") -> None:
    """Each alarm on a line: which one, and what it found."""
    for entry in diagnostic_entries(data):
        if entry["alarm"]:
            print(f"{prefix}alarm: {_words(entry['name'])}: {entry['says']}", file=out)


def _words(name: str) -> str:
    return name.replace("_", " ")
