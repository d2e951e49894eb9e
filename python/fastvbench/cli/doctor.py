"""``fastvbench doctor``: which parts of an installation work, and how to get those that don't."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._doctor_parts import EXTRAS, Finding, examine
from fastvbench.cli._text import table
from fastvbench.core import InputError
from fastvbench.core._atomic import write_atomic
from fastvbench.results._result import check_target
from fastvbench.results._strict_json import strict_json

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from fastvbench.cli._types import Commands

MISSING_EXTRA = 3


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "doctor",
        help="say which optional parts work, and how to get those that don't",
        description="Look at the core, CUDA, the video decoders and each extra. Native libraries "
        "are loaded in processes of their own, so one that is broken is a line of the table.",
    )
    parser.add_argument(
        "extras",
        metavar="EXTRA",
        nargs="*",
        help=f"exit with 3 unless these are whole: {', '.join(EXTRAS)}",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="JSON; - for stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Examine, print."""
    for extra in arguments.extras:
        if extra not in EXTRAS:
            raise InputError("no such extra", value=extra, expected=", ".join(EXTRAS))
    target = None if arguments.output in (None, "-") else Path(arguments.output)
    if target is not None:
        check_target(target)
    findings = examine()
    content = strict_json(
        {"schema": 1, "kind": "doctor", "parts": [finding.as_dict() for finding in findings]}
    )
    if target is not None:
        write_atomic(target, content)
        print(f"wrote {target}", file=sys.stderr)
    to_stdout = arguments.output == "-"
    if to_stdout:
        sys.stdout.buffer.write(content)
    _print(findings, sys.stderr if to_stdout else sys.stdout)
    wanted = [finding for finding in findings if finding.extra in arguments.extras]
    return MISSING_EXTRA if any(f.state in ("missing", "broken") for f in wanted) else 0


def _print(findings: list[Finding], stream: TextIO) -> None:
    rows = [[f.part, f.extra, f.state, f.version, f.detail] for f in findings]
    print(table(["part", "extra", "state", "version", ""], rows, align="<<<<<"), file=stream)
    advice = [finding for finding in findings if finding.get]
    if advice:
        print("\nhow to get it", file=stream)
        by_advice: dict[str, list[str]] = {}
        for finding in advice:
            by_advice.setdefault(finding.get, []).append(finding.part)
        for get, parts in by_advice.items():
            print(f"  {', '.join(parts)}: {get}", file=stream)
