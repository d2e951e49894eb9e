"""``fastvbench demo``: score a few bundled answers, or with --full run from a video to a score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fastvbench.cli._score_tables import print_difference, print_result
from fastvbench.core import InputError
from fastvbench.protocols import score

if TYPE_CHECKING:
    import argparse

    from fastvbench.cli._types import Commands

DATA = Path(__file__).parent / "demo_data"

NEXT = """
What to run next
  fastvbench list                                        the benchmarks and their rule sets
  fastvbench show lvbench                                denominators, prompts, settings
  fastvbench score lvbench ANSWERS --annotations FILE --diff -o result.json
  fastvbench demo --full                                 a made video, its frames, answers, a score
  fastvbench run lvbench --model SPEC --media DIR --annotations FILE -o RUN_DIR
  fastvbench score --help                                every format that ANSWERS may have
The annotation files are the benchmarks' own; none is part of this package."""


class Demo(NamedTuple):
    """One bundled example and what to look at in it."""

    protocol: str
    answers: str
    annotations: str
    durations: str | None
    remark: str


DEMOS = (
    Demo(
        "lvbench",
        "lvbench_answers.jsonl",
        "lvbench_annotations.jsonl",
        None,
        "Twelve made-up questions, one left unanswered. The same answers, six scorers: the "
        "official one wants bare letters, others take the article A for option A.",
    ),
    Demo(
        "foreseaqa",
        "foreseaqa_answers.jsonl",
        "foreseaqa_annotations.jsonl",
        None,
        "A letter and a time span from one free text or from two fields; one pair is reversed.",
    ),
    Demo(
        "charades_sta",
        "charades_sta_answers.json",
        "charades_sta_annotations.txt",
        "charades_sta_durations.json",
        "Clocks, units and repeated intervals: sums without merging pass an IoU of 1.",
    ),
)


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("demo", help="score bundled example answers")
    parser.add_argument(
        "--full",
        action="store_true",
        help="make a short video, have its signs read and located in time, and score that",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="with --full: keep the video and the run here",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Score and print each example, or do the full demo."""
    if arguments.full:
        from fastvbench.cli._full_demo import full_demo  # noqa: PLC0415 - what it needs loads slowly

        return full_demo(arguments.output)
    if arguments.output is not None:
        raise InputError("nothing to keep", field="output", expected="--full beside it")
    for demo in DEMOS:
        print("=" * 100)
        print(f"{demo.remark}\n")
        result = score(
            demo.protocol,
            DATA / demo.answers,
            DATA / demo.annotations,
            durations=None if demo.durations is None else DATA / demo.durations,
        )
        print_result(result, sys.stdout)
        print_difference(result, sys.stdout, most=4)
    print(NEXT)
    return 0
