"""The first look: rule sets beside each other, and where every expected row went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.report._view import range_words
from fastvbench.report.charts._chart import Axis, IntervalChart, Series, StackChart

if TYPE_CHECKING:
    from fastvbench.report._view import ResultView, Shown

__all__ = ["coverage_chart", "interval_series", "ledger", "rules_chart"]


def interval_series(name: str, values: list[Shown | None]) -> Series:
    """Values with their intervals and rows as a series of a chart."""
    known = any(shown is not None and shown.low is not None for shown in values)
    return Series(
        name,
        [None if shown is None else shown.value for shown in values],
        [None if shown is None else shown.low for shown in values] if known else [],
        [None if shown is None else shown.high for shown in values] if known else [],
        [0 if shown is None else shown.count for shown in values],
    )


def rules_chart(view: ResultView) -> IntervalChart:
    """The main metric under every rule set that reports it: the same rows, read by other rules."""
    key = view.main_metric
    rules = [rule for rule in view.data["rules"] if view.overall(rule, key) is not None]
    values = [view.overall(rule, key) for rule in rules]
    axis = view.axis(key)
    main = view.headline()
    words = range_words(rules, [None if v is None else v.value for v in values], axis)
    return IntervalChart(
        "Rule sets side by side",
        f"{axis.title} under {len(rules)} rule sets, each with its 95 % interval. "
        f"{view.main_rule}, the main one: {axis.shown(main.value)}. {words}",
        "rule set",
        rules,
        [interval_series(axis.title, values)],
        axis,
    )


def ledger(view: ResultView, rule: str) -> dict[str, int]:
    """How many expected rows are in each class; every row is in exactly one.

    Rows that were read and rows that were not come from the rule set's statuses: of a result with
    several runs they are sums over the runs.
    """
    status = view.data["rules"][rule]["status"]
    return {name: int(count) for name, count in status.items() if count}


def coverage_chart(view: ResultView) -> StackChart:
    """The ledger of each rule set: which rows gave an answer, and why the others gave none."""
    rules = list(view.data["rules"])
    by_rule = [ledger(view, rule) for rule in rules]
    names = list(dict.fromkeys(name for counts in by_rule for name in counts))
    names.sort(key=lambda name: (name != "ok", -sum(counts.get(name, 0) for counts in by_rule)))
    coverage = view.data["coverage"]
    main = by_rule[0]
    unread = sum(main.values()) - main.get("ok", 0)
    reasons = ", ".join(f"{count:,} {name}" for name, count in main.items() if name != "ok")
    runs = view.data.get("repeats", {}).get("runs", 1)
    times = f" in each of {runs} runs" if runs > 1 else ""
    return StackChart(
        "Where every expected row went",
        f"{coverage['expected']:,} rows are expected{times}; each is in exactly one class. Under "
        f"{rules[0]}, {main.get('ok', 0):,} were read and {unread:,} were not"
        + (f" ({reasons})." if reasons else "."),
        "rule set",
        rules,
        {name: [counts.get(name, 0) for counts in by_rule] for name in names},
        Axis("rows", low=0, decimals=0),
    )
