"""``fastvbench show``: what a protocol declares."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fastvbench.cli._published_tables import print_published
from fastvbench.formats import SUBMISSIONS
from fastvbench.protocols import get_protocol
from fastvbench.protocols._protocol import AnswerProtocol
from fastvbench.protocols._suite_protocol import SuiteProtocol

if TYPE_CHECKING:
    import argparse

    from fastvbench.cli._types import Commands
    from fastvbench.protocols._task_plan import TaskPlan


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("show", help="show a benchmark's rule sets, prompts and settings")
    parser.add_argument("protocol", metavar="PROTOCOL", help="name of a benchmark")
    parser.add_argument(
        "--published", action="store_true", help="list what others report on it, with sources"
    )
    parser.set_defaults(run=run)


def _print_tasks(tasks: TaskPlan) -> None:
    """What `fastvbench run` shows, and the settings that it compares with."""
    print(f"run on: {tasks.medium}s")
    for source, settings in tasks.published.items():
        frames = " or ".join(settings.frame_policies)
        parts = [f"frames {frames}"] if frames else []
        if settings.temperature is not None:
            parts.append(f"temperature {settings.temperature:g}")
        if settings.most_visual_tokens is not None:
            parts.append(f"at most {settings.most_visual_tokens:,} visual tokens")
        print(f"run as {source}: {', '.join(parts)}")
    if tasks.own_prompt is not None:
        print("run with: a prompt of this package, none is published")


def run(arguments: argparse.Namespace) -> int:
    """Print the declaration."""
    protocol = get_protocol(arguments.protocol)
    print(f"{protocol.title} ({protocol.name}), protocol version {protocol.version}")
    print(protocol.citation)
    print(f"published rows: {protocol.size_text}")
    print(f"fingerprint: {protocol.fingerprint()}")
    for note in protocol.notes:
        print(f"note: {note}")
    if isinstance(protocol, AnswerProtocol):
        if protocol.input_settings:
            print(f"input settings (--setting): {', '.join(protocol.input_settings)}")
        if protocol.submission is not None:
            print(f"submission file: {SUBMISSIONS[protocol.submission].description}")
        if protocol.tasks is not None:
            _print_tasks(protocol.tasks)
    print("\nrule sets, the main one first")
    for rule in protocol.rules:
        print(f"  {rule.name}\n    {rule.source}")
        if isinstance(protocol, SuiteProtocol):
            continue
        print(f"    denominator: {rule.denominator}; absent rows are {rule.missing}")
        metrics = (m.key if m.over is None else f"{m.key} (over {m.over})" for m in rule.metrics)
        print(f"    metrics: {', '.join(metrics)}")
    if isinstance(protocol, SuiteProtocol):
        print("\nrows of the table")
        for part in protocol.parts:
            beside = "" if part.core else " (where files are there)"
            print(f"  {part.title}: {part.protocol}{beside}")
    for title, entries in (("settings", protocol.settings), ("prompts", protocol.prompts)):
        if entries:
            print(f"\n{title}, by source")
            for source, text in entries.items():
                print(f"  {source}")
                print("\n".join(f"    {line}" for line in text.split("\n")))
    if arguments.published:
        print_published(protocol.name, sys.stdout)
    return 0
