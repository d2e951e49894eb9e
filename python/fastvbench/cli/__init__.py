"""The command line: one file per command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: command-line words without the program's name; None takes the process's.

    Returns:
        The exit code.
    """
    try:  # loading the commands takes a moment, in which Ctrl-C may come too
        from fastvbench.cli._main import main as run_command  # noqa: PLC0415

        return run_command(arguments)
    except KeyboardInterrupt:
        print("fastvbench: interrupted, nothing was written", file=sys.stderr)
        return INTERRUPTED
