"""``fastvbench export``: the file that a benchmark's server, or its own script, is handed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fastvbench.cli._arguments import check_output
from fastvbench.formats import FORMATS, SUBMISSIONS
from fastvbench.protocols import export
from fastvbench.results._result import check_target, samples_path

if TYPE_CHECKING:
    from fastvbench.cli._types import Commands
    from fastvbench.protocols import Submission

LOW_COVERAGE = 1
MOST_IDS = 20


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    layouts = "\n".join(f"  {layout.description}" for layout in SUBMISSIONS.values())
    parser = commands.add_parser(
        "export",
        help="write a submission file",
        description="Write the file that a benchmark's server, or its own script, is handed, from "
        "saved answers. Every question is in it; one without an answer is written empty.",
        epilog=f"submission files:\n{layouts}\n\nLetters and short answers are what a rule set "
        "reads; Video-MME's template takes\ntexts as they are, unless --rule names one.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("protocol", metavar="PROTOCOL", help="name of a benchmark")
    parser.add_argument(
        "predictions",
        metavar="PREDICTIONS",
        nargs="+",
        help="files of one run, or a result.json with its samples file",
    )
    parser.add_argument(
        "--annotations", metavar="FILE", help="the questions; right answers are not needed"
    )
    parser.add_argument("--rule", metavar="R", help="rule set that reads the answers (the main)")
    parser.add_argument("--setting", metavar="S", help="which setting, of files that hold several")
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the file; - for stdout"
    )
    parser.add_argument("--format", choices=sorted(FORMATS), help="prediction format")
    parser.add_argument("--id-field", metavar="NAME", help="field that holds the id")
    parser.add_argument("--text-field", metavar="NAME", help="field that holds the model's text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, write, and say what was left empty."""
    to_stdout = arguments.output == "-"
    if not to_stdout:
        target = Path(arguments.output)
        check_target(target)
        samples = [str(samples_path(name)) for name in arguments.predictions]
        check_output("-o", [target], [*arguments.predictions, *samples, arguments.annotations])
    submission = export(
        arguments.protocol,
        arguments.predictions,
        arguments.annotations,
        rule=arguments.rule,
        setting=arguments.setting,
        format=arguments.format,
        id_field=arguments.id_field,
        text_field=arguments.text_field,
    )
    if to_stdout:
        sys.stdout.buffer.write(submission.content())
    else:
        print(f"wrote {submission.write(arguments.output)}", file=sys.stderr)
    _print_summary(submission, sys.stderr if to_stdout else sys.stdout)
    enough = submission.answered >= submission.coverage_limit * len(submission.rows)
    return 0 if enough else LOW_COVERAGE


def _print_summary(submission: Submission, out: TextIO) -> None:
    read = "texts as they are" if submission.rule is None else f"as {submission.rule} reads them"
    print(
        f"{submission.format} of {submission.protocol}: {len(submission.rows):,} questions, "
        f"{submission.answered:,} answered, {read}",
        file=out,
    )
    noticed = {
        "unexpected": submission.unexpected,
        "duplicates": submission.duplicates,
        **submission.ledger,
    }
    counts = " · ".join(f"{name} {times:,}" for name, times in noticed.items() if times)
    if counts:
        print(f"predictions: {counts}", file=out)
    empty = submission.without_answer
    if empty:
        more = f" and {len(empty) - MOST_IDS:,} more" if len(empty) > MOST_IDS else ""
        print(
            f"without an answer, written {submission.blank}: {len(empty):,} "
            f"({', '.join(empty[:MOST_IDS])}{more})",
            file=out,
        )
