"""What a finished or ended run shows: its score, its deviations, what is missing, what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from fastvbench.cli._score_tables import print_result
from fastvbench.cli._text import shorten, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.runs._run import Outcome
    from fastvbench.runs._study import StudyRow

__all__ = ["print_ending", "print_outcome", "print_study"]


def print_outcome(outcome: Outcome, file: TextIO) -> None:
    """The score, where there is one, and where the run departs from what is published."""
    if outcome.result is None:
        return
    print_result(outcome.result, file)
    _print_deviations([outcome], file)
    cost = outcome.result.data["run"]["cost"]
    parts = [
        f"{cost[name]:,} {name.replace('_', ' ')}"
        for name in ("frames", "images", "prompt_tokens", "completion_tokens")
        if cost[name] is not None
    ]
    parts.append(f"{cost['latency_seconds']:,.1f} s in the model")
    print(f"cost       {', '.join(parts)}", file=file)


def _print_deviations(outcomes: Sequence[Outcome], file: TextIO) -> None:
    """Each deviation of some runs, once."""
    lines = [
        f"deviation  {each['what']}: {each['used']} (published: {each['published']})"
        for outcome in outcomes
        if outcome.result is not None
        for each in outcome.result.data["diagnostics"]["protocol_deviations"]["deviations"]
    ]
    print("\n".join(dict.fromkeys(lines)), end="\n" if lines else "", file=file)


def print_ending(outcome: Outcome, file: TextIO) -> None:
    """Where the files are, and what an incomplete run lacks."""
    progress = outcome.progress
    if progress.interrupted:
        print("interrupted; what is finished is kept", file=file)
    if progress.stopped is not None:
        print(f"stopped: {shorten(progress.stopped, 300)}", file=file)
    result = outcome.result
    if result is not None and not outcome.complete:
        run = result.data["run"]
        print(
            f"incomplete: {run['answered']:,} of {run['expected']:,} answered, "
            f"{run['failed']:,} failed, {run['missing']:,} not asked",
            file=file,
        )
        for ident, error in run["failed_examples"].items():
            print(f"  failed   {shorten(ident, 60)}: {shorten(error, 200)}", file=file)
        if run["missing_examples"]:
            shown = ", ".join(shorten(ident, 60) for ident in run["missing_examples"])
            print(f"  missing  {shown}{', ...' if run['missing'] > 5 else ''}", file=file)
    if not outcome.complete and progress.expected:
        print("--resume goes on with it", file=file)
    print(f"run folder {outcome.folder}", file=file)


def print_study(rows: Sequence[StudyRow], file: TextIO) -> None:
    """One line a frame budget."""
    cells = []
    metric = "value"
    for row in rows:
        summary = row.summary()
        if row.outcome.result is None:
            cells.append([row.frames, "-", "-", "-", "-", "-", "nothing answered"])
            continue
        shown = row.outcome.result.metrics[summary["rule"]][0]
        metric = shown.title
        interval = summary["interval"]
        tokens = summary["prompt_tokens"]
        cells.append(
            [
                row.frames,
                shown.shown(summary["value"]),
                "-" if interval is None else " - ".join(shown.shown(end) for end in interval),
                "-" if summary["frames"] is None else f"{summary['frames']:,}",
                "-" if tokens is None else f"{tokens:,}",
                f"{summary['latency_seconds']:,.1f}",
                "complete" if summary["complete"] else f"{summary['answered']:,} answered",
            ]
        )
    header = ["frames", metric, "95 % interval", "shown", "prompt tokens", "seconds", "state"]
    print(table(header, cells, align="<"), file=file)
    _print_deviations([row.outcome for row in rows], file)
