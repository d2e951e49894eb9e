"""What a question of each result took and cost, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.report._costs import costs_of
from fastvbench.report.charts._chart import ChartTable
from fastvbench.results._model_names import model_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastvbench.report._costs import Costs, Prices
    from fastvbench.report._sources import ReportSource
    from fastvbench.report._view import ResultView

__all__ = ["cost_table"]


def cost_table(
    held: Sequence[tuple[ReportSource, ResultView]], prices: Prices
) -> ChartTable | None:
    """Means over the questions that were answered; None where no result is of a run.

    Args:
        held: results.
        prices: what models charge; empty where no file was given.
    """
    rows = list(_rows(held, prices))
    if not rows:
        return None
    header = ["result", "model", "frames", "prompt tokens", "answer tokens", "seconds"]
    return ChartTable([*header, "cost of 1,000 questions", "cost of a right answer"], rows)


def _rows(held: Sequence[tuple[ReportSource, ResultView]], prices: Prices) -> Iterator[list[str]]:
    for source, view in held:
        model = model_of(source.path, view.data)
        costs = costs_of(view.data, model, prices)
        if costs is None:
            continue
        yield [
            view.label,
            model,
            _number(costs.frames, 1),
            _number(costs.prompt_tokens, 0),
            _number(costs.completion_tokens, 1),
            _number(costs.seconds, 2),
            *_money(costs, prices.currency, view),
        ]


def _number(value: float | None, decimals: int) -> str:
    return "-" if value is None else f"{value:,.{decimals}f}"


def _money(costs: Costs, currency: str, view: ResultView) -> list[str]:
    if costs.money is None:
        return ["no price", "-"]
    overall = view.data["rules"][view.main_rule]["overall"].get("accuracy", {})
    share = overall.get("value")
    right = f"{costs.money / share:.4g} {currency}" if share else "-"
    return [f"{1000 * costs.money:.4g} {currency}", right]
