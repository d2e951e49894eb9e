"""``fastvbench report``: a page, a picture or tables about results."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._arguments import check_output
from fastvbench.report import SUFFIXES, write_report
from fastvbench.report._write import check_suffix
from fastvbench.results._result import check_target, samples_path
from fastvbench.results._samples_file import result_path

if TYPE_CHECKING:
    from fastvbench.cli._types import Commands


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    endings = "\n".join(f"  {suffix:6} {words}" for suffix, words in SUFFIXES.items())
    parser = commands.add_parser(
        "report",
        help="show results as a page, a picture or tables",
        description="Show one result, or several beside each other. The ending of the output's "
        "name picks what is written.",
        epilog=f"reports:\n{endings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "results", metavar="RESULT", nargs="+", help="result files or run folders, of any kind"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the report; its ending says which"
    )
    parser.add_argument("--title", metavar="TEXT", help="heading of the page")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read the results and write the report."""
    target = Path(arguments.output)
    check_suffix(target)
    check_target(target)
    read = [result_path(name) for name in arguments.results]
    check_output("-o", [target], [*map(str, read), *(str(samples_path(path)) for path in read)])
    written = write_report(arguments.results, target, title=arguments.title)
    print(f"wrote {written}", file=sys.stderr)
    return 0
