"""How models rank, benchmark by benchmark, with their tie groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from fastvbench.cli._text import table

if TYPE_CHECKING:
    from fastvbench.report._costs import Costs
    from fastvbench.report._leaderboard import Column, Leaderboard

__all__ = ["print_leaderboard"]


def print_leaderboard(board: Leaderboard, out: TextIO) -> None:
    """One table a benchmark, the best model first, and what the numbers are."""
    for place, column in enumerate(board.columns):
        print(("\n" if place else "") + _ranking(column, board.currency), file=out)
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


def _ranking(column: Column, currency: str) -> str:
    rows = []
    for model in column.ranking:
        cell = column.cells[model]
        ends = "-"
        if cell.interval is not None:
            low, high = (f"{end * column.metric.scale:.1f}" for end in cell.interval)
            ends = f"[{low}, {high}]"
        cells = [str(cell.group), model, column.metric.shown(cell.value), ends, f"{cell.n:,}"]
        if column.costs:
            cells += _cost_cells(column.costs.get(model))
        rows.append(cells)
    header = ["group", column.title, column.metric.title, "95 % interval", "n"]
    if column.costs:  # all are per question
        header += ["frames", "tokens in", "out", "seconds", currency or "cost"]
    return table(header, rows, align="><")


def _cost_cells(costs: Costs | None) -> list[str]:
    """Frames, tokens, seconds and money of a question."""
    if costs is None:
        return ["-"] * 5
    shown = [
        "-" if value is None else f"{value:,.{decimals}f}"
        for value, decimals in (
            (costs.frames, 1),
            (costs.prompt_tokens, 0),
            (costs.completion_tokens, 0),
            (costs.seconds, 2),
        )
    ]
    return [*shown, "-" if costs.money is None else f"{costs.money:.4g}"]
