"""How models rank, benchmark by benchmark, with their tie groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from fastvbench.cli._text import table

if TYPE_CHECKING:
    from fastvbench.report._leaderboard import Column, Leaderboard

__all__ = ["print_leaderboard"]


def print_leaderboard(board: Leaderboard, out: TextIO) -> None:
    """One table a benchmark, the best model first, and what the numbers are."""
    for place, column in enumerate(board.columns):
        print(("\n" if place else "") + _ranking(column), file=out)
        print(f"[{column.footnote}]", file=out)
        for number, group in enumerate(column.groups(), 1):
            if len(group) > 1:
                others = ", ".join(group[1:])
                print(f"group {number}: {group[0]}, statistically tied with {others}", file=out)
    missing = [
        f"{model} ({column.title})"
        for column in board.columns
        for model in board.models
        if model not in column.cells and len(board.columns) > 1
    ]
    if missing:
        print(f"\nno result: {', '.join(missing)}", file=out)


def _ranking(column: Column) -> str:
    rows = []
    for model in column.ranking:
        cell = column.cells[model]
        ends = "-"
        if cell.interval is not None:
            low, high = (f"{end * column.metric.scale:.1f}" for end in cell.interval)
            ends = f"[{low}, {high}]"
        rows.append([str(cell.group), model, column.metric.shown(cell.value), ends, f"{cell.n:,}"])
    header = ["group", column.title, column.metric.title, "95 % interval", "n"]
    return table(header, rows, align="><")
