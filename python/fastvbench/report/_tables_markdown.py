"""A table of models by benchmarks as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastvbench.report._leaderboard import Cell, Column, Leaderboard

__all__ = ["markdown_table"]

# What would end a cell, start a tag, or turn text into something else.
_MEANINGS = {ord(c): f"\\{c}" for c in "\\`*_{}[]()#|!~"}
_MEANINGS |= {ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;", ord("\n"): " ", ord("\r"): " "}


def markdown_table(board: Leaderboard) -> str:
    """The table with its notes; best bold, statistical ties underlined.

    Args:
        board: the models and benchmarks.
    """
    header = ["model", *(_title(column) for column in board.columns)]
    lines = [_line(header), _line(["---", *("---:" for _ in board.columns)])]
    for model in board.models:
        cells = [_cell(column, column.cells.get(model)) for column in board.columns]
        lines.append(_line([_plain(model), *cells]))
    notes = [f"- {_plain(note)}" for note in board.notes]
    return "\n".join([*lines, "", *notes, ""])


def _title(column: Column) -> str:
    return f"{_plain(column.title)} {_plain(column.metric.title)}"


def _cell(column: Column, cell: Cell | None) -> str:
    if cell is None or cell.value is None:
        return "-"
    text = column.metric.shown(cell.value)
    if len(column.cells) > 1 and cell.best:
        return f"**{text}**"
    return f"<u>{text}</u>" if cell.tied else text


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return text.translate(_MEANINGS)
