"""What tables of results show: the metrics of all rule sets, and one value with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastvbench.results import Result
    from fastvbench.results._metrics import Metric

__all__ = ["all_metrics", "value_cell"]


def all_metrics(result: Result) -> dict[str, Metric]:
    """Metrics of all rule sets that tables show, by key, in the order that they first name them."""
    metrics: dict[str, Metric] = {}
    for declared in result.metrics.values():
        metrics.update({m.key: m for m in declared if m.in_tables})
    return metrics


def value_cell(metric: Metric, entry: dict[str, Any], *, interval: bool = True) -> str:
    """One value as a table shows it, with its interval if asked for.

    ``≤`` says what it would be if every answer that waits for a judge were right.
    """
    text = metric.shown(entry["value"])
    if interval and entry["interval"] is not None:
        low, high = (f"{x * metric.scale:.1f}" for x in entry["interval"])
        text += f" [{low}, {high}]"
    upper = entry.get("value_if_all_right")
    if upper is not None and upper != entry["value"]:
        text += f" ≤ {metric.shown(upper)}"
    return text
