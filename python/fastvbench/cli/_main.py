"""Parses the command line, runs one command, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from fastvbench.cli import (
    compare,
    demo,
    doctor,
    embed,
    export,
    list_protocols,
    merge,
    report,
    retrieve,
    run,
    score,
    show,
    timing,
    video,
)
from fastvbench.core import VERSION, FastvbenchError, MissingExtraError
from fastvbench.results._strict_json import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

COMMANDS = (
    score,
    run,
    merge,
    compare,
    report,
    retrieve,
    embed,
    list_protocols,
    show,
    export,
    timing,
    video,
    doctor,
    demo,
)

BAD_INPUT = 2
MISSING_EXTRA = 3


class _OneLineParser(argparse.ArgumentParser):
    """Wrong arguments are one line too, as every other error is."""

    def error(self, message: str) -> NoReturn:
        """Print the message and leave with exit code 2."""
        self.exit(BAD_INPUT, f"fastvbench: {printable(message)}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _OneLineParser(
        prog="fastvbench",
        description="Score what a model said on long-video benchmarks.",
        epilog="Exit codes: 0 done; 1 scored, but too few rows have an answer; 2 bad input; "
        "3 an optional part is missing; 4 an incomplete run; 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"fastvbench {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: command-line words without the program's name; None takes the process's.

    Returns:
        The exit code.
    """
    parsed = build_parser().parse_args(arguments)
    if sys.stdout is None:  # closed by the caller: nobody wants the tables
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal's encoding lacks is no crash
            stream.reconfigure(errors="backslashreplace")
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except MissingExtraError as error:
        return _fail(error, MISSING_EXTRA)
    except (FastvbenchError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader of our output went away: its choice
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        return _fail(error, BAD_INPUT)
    return code


def _fail(error: Exception, code: int) -> int:
    text = " ".join(str(error).split())
    print(f"fastvbench: {printable(text)}", file=sys.stderr)
    return code
