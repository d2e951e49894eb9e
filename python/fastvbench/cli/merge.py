"""``fastvbench merge``: put the shards of a run together."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fastvbench.cli._outcome import exit_code
from fastvbench.cli._score_tables import print_result
from fastvbench.runs import merge

if TYPE_CHECKING:
    import argparse

    from fastvbench.cli._types import Commands

INCOMPLETE = 4


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "merge",
        help="put the shards of a run together",
        description="Put run folders of shards together in a new one, and score it as the whole "
        "run. Questions that no shard answered, or that several did, are refused unless told.",
    )
    add = parser.add_argument
    add("shards", metavar="RUN_DIR", nargs="+", help="run folders of the shards")
    add("--annotations", metavar="FILE", required=True, help="those that the shards were run with")
    add("-o", "--output", metavar="RUN_DIR", required=True, help="the new run folder")
    add("--allow-holes", action="store_true", help="count unanswered questions as missing")
    add("--allow-overlaps", action="store_true", help="take the first of several answers")
    add("--durations", metavar="FILE", help="video lengths in seconds")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Merge, print, and say by the exit code whether anything is missing."""
    result = merge(
        arguments.shards,
        arguments.annotations,
        arguments.output,
        allow_holes=arguments.allow_holes,
        allow_overlaps=arguments.allow_overlaps,
        durations=arguments.durations,
    )
    print_result(result, sys.stdout)
    print(f"run folder {arguments.output}", file=sys.stderr)
    return exit_code(result) if result.data["run"]["complete"] else INCOMPLETE
