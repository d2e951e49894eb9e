"""``fastvbench score``: score saved answers by every rule set, side by side."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._arguments import check_output, whole_number
from fastvbench.cli._outcome import exit_code, write_result
from fastvbench.cli._progress import RowProgress
from fastvbench.cli._published_tables import add_published, print_published_beside
from fastvbench.cli._score_tables import print_difference, print_result
from fastvbench.formats import FORMATS
from fastvbench.protocols import score
from fastvbench.results._result import check_target, samples_path

if TYPE_CHECKING:
    from fastvbench.cli._types import Commands


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    formats = "\n".join(f"  {name:22} {text}" for name, text in FORMATS.items())
    parser = commands.add_parser(
        "score",
        help="score saved answers",
        description="Score saved answers by every rule set, side by side. No model is run.",
        epilog=f"prediction formats (found by content; each may be gzipped):\n{formats}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "protocol", metavar="PROTOCOL", help="name of a benchmark (fastvbench list)"
    )
    parser.add_argument(
        "predictions",
        metavar="PREDICTIONS",
        nargs="+",
        help="files of one run, each id once; for a suite, the folder of its result files",
    )
    parser.add_argument(
        "--annotations",
        metavar="FILE",
        help="the benchmark's annotation file; for a suite, the folder of them",
    )
    parser.add_argument(
        "--rules", metavar="R,R", help="rule sets to apply; the first is the main one"
    )
    parser.add_argument("--diff", action="store_true", help="list rows on which rule sets differ")
    parser.add_argument(
        "--diff-rows",
        metavar="N",
        type=whole_number,
        default=20,
        help="rows that --diff lists (20)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write result.json and its samples file; - for stdout",
    )
    parser.add_argument("--format", choices=sorted(FORMATS), help="prediction format")
    parser.add_argument("--id-field", metavar="NAME", help="field that holds the id")
    parser.add_argument("--text-field", metavar="NAME", help="field that holds the model's text")
    parser.add_argument("--durations", metavar="FILE", help="video lengths in seconds")
    parser.add_argument(
        "--repeats", action="store_true", help="each file is one more run of the same model"
    )
    parser.add_argument("--subset", metavar="FILE", help="score only these ids")
    parser.add_argument("--exclude", metavar="FILE", help="leave these ids out (id, reason)")
    parser.add_argument(
        "--verdicts", metavar="FILE", help="a judge's verdicts by id, for answers no rule can read"
    )
    parser.add_argument(
        "--setting",
        metavar="S,S",
        help="how the model was run (fastvbench show): of files that hold several ways, which "
        "ones; else one name, or one for each file",
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="show what others report, and whether it is in our interval",
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="seed of the intervals (0)")
    parser.set_defaults(run=run)


def _check_output(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, an output that cannot be written or would replace an input."""
    output = Path(arguments.output)
    check_target(output)
    inputs = [
        *arguments.predictions,
        arguments.annotations,
        arguments.durations,
        arguments.subset,
        arguments.exclude,
        arguments.verdicts,
    ]
    check_output("-o", [output, samples_path(output)], inputs)


def run(arguments: argparse.Namespace) -> int:
    """Score, print, write."""
    to_stdout = arguments.output == "-"
    if arguments.output is not None and not to_stdout:
        _check_output(arguments)
    shown = sys.stderr if to_stdout else sys.stdout
    progress = RowProgress("scoring")
    try:
        result = score(
            arguments.protocol,
            arguments.predictions,
            arguments.annotations,
            rules=arguments.rules,
            format=arguments.format,
            id_field=arguments.id_field,
            text_field=arguments.text_field,
            durations=arguments.durations,
            repeats=arguments.repeats,
            subset=arguments.subset,
            exclude=arguments.exclude,
            verdicts=arguments.verdicts,
            setting=arguments.setting,
            seed=arguments.seed,
            samples=arguments.diff or (arguments.output is not None and not to_stdout),
            progress=progress,
        )
    finally:
        progress.close()
    if arguments.published:
        add_published(result.data)
    # Files come first: the reader of the tables may go away (`| head`), the files are still wanted.
    write_result(result, arguments.output)
    print_result(result, shown)
    if arguments.published:
        print_published_beside(result.data, shown)
    if arguments.diff:
        print_difference(result, shown, most=arguments.diff_rows)
    return exit_code(result)
