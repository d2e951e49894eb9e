"""``fastvbench compare``: is one model really better, on the same questions?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.cli._arguments import check_output, whole_number
from fastvbench.cli._comparison_tables import print_comparison
from fastvbench.core import InputError
from fastvbench.results import compare
from fastvbench.results._result import check_target, samples_path
from fastvbench.results._samples_file import result_path
from fastvbench.results._strict_json import strict_json

if TYPE_CHECKING:
    import argparse

    from fastvbench.cli._types import Commands
    from fastvbench.results import Comparison


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "compare",
        help="compare models on the same questions",
        description="Compare models on the questions that their results share: paired differences "
        "with 95 % intervals clustered by video, McNemar's exact test, Holm's correction, and "
        "what follows in words.",
    )
    parser.add_argument(
        "results",
        metavar="RESULT",
        nargs="+",
        help="result.json (its samples file beside it) or a run folder, one a model; with commas "
        "between them, runs of one model that differ in nothing but the seed",
    )
    parser.add_argument("--rule", metavar="NAME", help="rule set to compare by (the main one)")
    parser.add_argument("--metric", metavar="KEY", help="metric that decides (the main one)")
    parser.add_argument("--setting", metavar="NAME", help="input setting to compare (the main one)")
    parser.add_argument(
        "--baseline", action="store_true", help="compare each with the first, not all pairs"
    )
    parser.add_argument("--names", metavar="A,B", help="what the models are called")
    parser.add_argument(
        "--mixed",
        action="store_true",
        help="compare results of different protocol versions or annotations nevertheless",
    )
    parser.add_argument(
        "--flips", metavar="N", type=whole_number, default=10, help="rows listed that flipped (10)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the comparison as JSON; - for stdout"
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="seed of the intervals (0)")
    parser.set_defaults(run=run)


def _runs(argument: str) -> list[str]:
    """Files of one model; a name that exists is one file, commas and all."""
    return [argument] if Path(argument).exists() else argument.split(",")


def run(arguments: argparse.Namespace) -> int:
    """Compare, write, print."""
    models = [_runs(argument) for argument in arguments.results]
    if arguments.output is not None and arguments.output != "-":
        target = Path(arguments.output)
        check_target(target)
        files = [result_path(name) for runs in models for name in runs]
        check_output("-o", [target], [str(f) for r in files for f in (r, samples_path(r))])
    if len(models) < 2:
        raise InputError(
            "one result is nothing to compare", path=arguments.results[0], expected="two or more"
        )
    comparison = compare(
        models[0],
        models[1],
        *models[2:],
        rule=arguments.rule,
        metric=arguments.metric,
        setting=arguments.setting,
        pairs="first" if arguments.baseline else "all",
        names=None if arguments.names is None else arguments.names.split(","),
        mixed=arguments.mixed,
        seed=arguments.seed,
    )
    _write(comparison, arguments.output)
    shown = sys.stderr if arguments.output == "-" else sys.stdout
    print_comparison(comparison, shown, most_flips=arguments.flips)
    return 0


def _write(comparison: Comparison, output: str | None) -> None:
    if output == "-":
        sys.stdout.buffer.write(strict_json(comparison.data))
    elif output is not None:
        print(f"wrote {comparison.write(output)}", file=sys.stderr)
