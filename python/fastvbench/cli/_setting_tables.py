"""Input settings of one benchmark side by side: values of each, and their difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from fastvbench.cli._cells import value_cell
from fastvbench.cli._text import table

if TYPE_CHECKING:
    from fastvbench.results import Result

__all__ = ["print_settings"]


def print_settings(result: Result, out: TextIO) -> None:
    """A row for each rule set, a column for each setting, then the difference with its interval."""
    data = result.data
    others = data.get("settings")
    if not others:
        return
    names = [data["setting"], *others]
    rows = []
    for rule, metrics in result.metrics.items():
        metric = metrics[0]
        cells = [rule]
        for name in names:
            by_rule = data["rules"] if name == data["setting"] else others[name]["rules"]
            cells.append(value_cell(metric, by_rule[rule]["overall"][metric.key]))
        for other in others:
            entry = next(
                each
                for each in data["setting_contrasts"][rule]
                if each["metric"] == metric.key and each["a"] == other
            )
            cells.append(_difference(entry["value"], entry["interval"], metric.scale))
        rows.append(cells)
    main = next(iter(result.metrics.values()))[0]
    differences = [f"{other} minus {data['setting']}" for other in others]
    header = [f"settings ({main.title})", *names, *differences]
    print("\n" + table(header, rows, align="<"), file=out)
    for name, held in others.items():
        coverage = held["coverage"]
        print(
            f"{name}: expected {coverage['expected']:,} · scored {coverage['scored']:,} · "
            f"missing {coverage['missing']:,}",
            file=out,
        )
        for warning in held["warnings"]:
            print(f"{name}: warning: {warning}", file=out)


def _difference(value: float | None, interval: list[float] | None, scale: float) -> str:
    if value is None:
        return "-"
    if interval is None:
        return f"{scale * value:+.2f}"
    low, high = (scale * bound for bound in interval)
    return f"{scale * value:+.2f} [{low:+.1f}, {high:+.1f}]"
