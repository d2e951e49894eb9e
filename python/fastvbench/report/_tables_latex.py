"""A table of models by benchmarks as LaTeX (packages booktabs and threeparttable)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastvbench.report._leaderboard import Cell, Column, Leaderboard

__all__ = ["latex_table"]

_MEANINGS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\n": " ",
    "\r": " ",
}
_TABLE = str.maketrans(_MEANINGS)


def latex_table(board: Leaderboard) -> str:
    r"""The table with its notes; best ``\textbf``, statistical ties ``\underline``.

    Args:
        board: the models and benchmarks.
    """
    titles = [_plain(column.title) for column in board.columns]
    metrics = [_plain(column.metric.title) for column in board.columns]
    lines = [
        r"% \usepackage{booktabs,threeparttable}",
        r"\begin{threeparttable}",
        rf"\begin{{tabular}}{{l{'r' * len(board.columns)}}}",
        r"\toprule",
        _line(["Model", *titles]),
        _line(["", *metrics]),
        r"\midrule",
    ]
    for model in board.models:
        cells = [_cell(column, column.cells.get(model)) for column in board.columns]
        lines.append(_line([_plain(model), *cells]))
    lines += [r"\bottomrule", r"\end{tabular}", r"\begin{tablenotes}\footnotesize"]
    lines += [rf"\item {_plain(note)}" for note in board.notes]
    lines += [r"\end{tablenotes}", r"\end{threeparttable}", ""]
    return "\n".join(lines)


def _cell(column: Column, cell: Cell | None) -> str:
    if cell is None or cell.value is None:
        return "--"
    text = column.metric.shown(cell.value)
    if len(column.cells) > 1 and cell.best:
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if cell.tied else text


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _plain(text: str) -> str:
    return text.translate(_TABLE)
