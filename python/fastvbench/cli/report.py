"""``fastvbench report``: a page, a picture or tables about results."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._arguments import check_output
from fastvbench.cli._leaderboard_tables import print_leaderboard
from fastvbench.cli._published_tables import print_published_beside
from fastvbench.report import SUFFIXES, write_report
from fastvbench.report._costs import read_prices
from fastvbench.report._leaderboard import build_leaderboard
from fastvbench.report._model_names import read_names
from fastvbench.report._sources import open_sources
from fastvbench.report._write import check_suffix
from fastvbench.results._result import check_target, samples_path
from fastvbench.results._samples_file import result_path, result_paths

if TYPE_CHECKING:
    from fastvbench.cli._types import Commands


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    endings = "\n".join(f"  {suffix:6} {words}" for suffix, words in SUFFIXES.items())
    parser = commands.add_parser(
        "report",
        help="show results as a page, a picture or tables",
        description="Show one result, or several beside each other. The ending of the output's "
        "name picks what is written; without one, models are ranked here, benchmark by benchmark.",
        epilog=f"reports:\n{endings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "results",
        metavar="RESULT",
        nargs="+",
        help="result files, run folders or folders of studies",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the report; its ending says which")
    parser.add_argument("--title", metavar="TEXT", help="heading of the page")
    parser.add_argument(
        "--names", metavar="FILE", help="for tables: JSON that maps names to those to show"
    )
    parser.add_argument("--rule", metavar="NAME", help="for tables: the rule set (the main one)")
    parser.add_argument("--metric", metavar="KEY", help="for tables: the metric (the main one)")
    parser.add_argument(
        "--mixed", action="store_true", help="for tables: let protocol versions differ"
    )
    parser.add_argument(
        "--prices", metavar="FILE", help="JSON of what models charge: what a question costs"
    )
    parser.add_argument(
        "--published",
        action="store_true",
        help="show what others report, and whether it is in our interval (pages, or without -o)",
    )
    parser.add_argument(
        "--x",
        metavar="NAME",
        help="the results are a sweep of this: frames, or the dotted name of a number in their "
        "runs (pages and pictures)",
    )
    parser.add_argument(
        "--baseline",
        metavar="RESULT",
        help="result of a run that saw no frames: show the gain over it (pages)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read the results and write the report, or print how models rank."""
    if arguments.output is None:
        sources = open_sources(arguments.results)
        board = build_leaderboard(
            sources,
            names=read_names(arguments.names),
            rule=arguments.rule,
            metric=arguments.metric,
            mixed=arguments.mixed,
            prices=read_prices(arguments.prices),
        )
        print_leaderboard(board, sys.stdout)
        for source in sources if arguments.published else ():
            print(f"\n{source.label}", end="")
            print_published_beside(source.data, sys.stdout)
        return 0
    target = Path(arguments.output)
    check_suffix(target)
    check_target(target)
    read = result_paths(arguments.results)
    if arguments.baseline is not None:
        read.append(result_path(arguments.baseline))
    inputs = [*map(str, read), *(str(samples_path(path)) for path in read)]
    inputs += [name for name in (arguments.names, arguments.prices) if name is not None]
    check_output("-o", [target], inputs)
    written = write_report(
        arguments.results,
        target,
        title=arguments.title,
        published=arguments.published,
        x=arguments.x,
        prices=arguments.prices,
        baseline=arguments.baseline,
        names=arguments.names,
        rule=arguments.rule,
        metric=arguments.metric,
        mixed=arguments.mixed,
    )
    print(f"wrote {written}", file=sys.stderr)
    return 0
