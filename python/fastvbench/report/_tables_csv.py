"""A table of models by benchmarks as CSV: a line a model and benchmark, for spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastvbench.report._costs import Costs
    from fastvbench.report._leaderboard import Leaderboard

__all__ = ["csv_table"]

COLUMNS = (
    "benchmark",
    "setting",
    "model",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "rule",
    "protocol_version",
    "group",
    "best",
    "tied_with_best",
    "frames_per_question",
    "prompt_tokens_per_question",
    "completion_tokens_per_question",
    "seconds_per_question",
    "cost_per_question",
    "currency",
)


def csv_table(board: Leaderboard) -> str:
    """One line a model and benchmark; values are fractions, as in result files.

    Args:
        board: the models and benchmarks.
    """
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(COLUMNS)
    for column in board.columns:
        for model in board.models:
            cell = column.cells.get(model)
            if cell is None:
                continue
            low, high = cell.interval or (None, None)
            writer.writerow(
                [
                    column.protocol,
                    column.setting or "",
                    _inert(model),
                    column.metric.key,
                    _number(cell.value),
                    _number(low),
                    _number(high),
                    cell.n,
                    column.rule,
                    column.version,
                    "" if cell.group is None else cell.group,
                    int(cell.best),
                    int(cell.tied),
                    *_cost_cells(column.costs.get(model)),
                    board.currency,
                ]
            )
    return target.getvalue()


def _cost_cells(costs: Costs | None) -> list[str]:
    if costs is None:
        return [""] * 5
    return [
        _number(each)
        for each in (
            costs.frames,
            costs.prompt_tokens,
            costs.completion_tokens,
            costs.seconds,
            costs.money,
        )
    ]


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _inert(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" else text
