"""Results that hold several: input settings side by side, and runs of one model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.report._view import range_words
from fastvbench.report.charts._chart import Axis, ChartTable, IntervalChart, Series
from fastvbench.report.parts._overview import interval_series

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.report._view import ResultView

__all__ = ["repeats_table", "setting_charts"]


def setting_charts(view: ResultView) -> Iterator[IntervalChart]:
    """The main metric in each input setting, and its paired difference from the main one."""
    others = view.data.get("settings")
    if not others:
        return
    key, rule, axis = view.main_metric, view.main_rule, view.axis(view.main_metric)
    by_name: dict[str, Any] = {str(view.data["setting"]): view.data} | others
    values = [view.shown(held["rules"][rule]["overall"][key], key) for held in by_name.values()]
    series = interval_series(rule, list(values))
    yield IntervalChart(
        "Input settings side by side",
        f"{axis.title} under {rule} in {len(by_name)} settings, with 95 % intervals. "
        + range_words(list(by_name), series.values, axis),
        "setting",
        list(by_name),
        [series],
        axis,
    )
    entries = [e for e in view.data["setting_contrasts"][rule] if e["metric"] == key]
    scale = view.metric(key).scale

    def scaled(value: float | None) -> float | None:
        return None if value is None else value * scale

    ends = [entry["interval"] or (None, None) for entry in entries]
    yield IntervalChart(
        "Difference between input settings",
        f"{axis.title} of one setting minus another, on the same questions, with 95 % intervals; "
        "an interval over 0 says nothing about which is better.",
        "settings",
        [f"{entry['a']} minus {entry['b']}" for entry in entries],
        [
            Series(
                rule,
                [scaled(entry["value"]) for entry in entries],
                [scaled(low) for low, _ in ends],
                [scaled(high) for _, high in ends],
            )
        ],
        Axis(f"difference in {axis.title}", decimals=axis.decimals),
        reference=0.0,
        reference_name="no difference",
    )


def repeats_table(view: ResultView) -> ChartTable | None:
    """Mean and spread over the runs of one model; None for a single run."""
    repeats = view.data.get("repeats")
    if repeats is None:
        return None
    key = view.main_metric
    names = list(
        dict.fromkeys(
            name
            for held in repeats["rules"].values()
            for name, value in held.items()
            if isinstance(value, float)
        )
    )
    rows = []
    for rule, held in repeats["rules"].items():
        metric = view.metric(key)
        spread = held.get(key)
        mean = (
            "-"
            if spread is None
            else f"{metric.shown(spread['mean'])} ± {metric.shown(spread['std'])}"
        )
        shares = [f"{100 * held[n]:.2f}" if n in held else "-" for n in names]
        rows.append([rule, mean, *shares])
    header = ["rule set", f"{view.metric(key).title}, mean ± standard deviation"]
    return ChartTable([*header, *(f"{name} %" for name in names)], rows)
