"""Comparisons of models: differences with their intervals, and which rows flipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.report._payload import read_text
from fastvbench.report._view import groups_words
from fastvbench.report.charts._chart import Axis, ChartTable, IntervalChart, Series, StackChart
from fastvbench.results._metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.report._payload import read_text
from fastvbench.report.charts._chart import Chart

__all__ = ["difference_charts", "flips_table", "pair_charts", "pair_name"]

MOST_CATEGORIES = 40
MOST_FLIPS = 200


def pair_name(pair: dict[str, Any]) -> str:
    """First minus second."""
    return f"{pair['a']} minus {pair['b']}"


def _metric(data: dict[str, Any]) -> Metric:
    """The metric that decides."""
    look = data["metrics"][data["metric"]]
    return Metric(data["metric"], look["title"], look["unit"], look["scale"], look["decimals"])


def _points(metric: Metric) -> Axis:
    title = metric.title.removesuffix(" %")
    unit = "percentage points" if metric.scale == 100 else title
    return Axis(f"difference in {title}, {unit}", decimals=metric.decimals)


def _differences(name: str, entries: list[dict[str, Any]], scale: float) -> Series:
    def scaled(value: float | None) -> float | None:
        return None if value is None else value * scale

    ends = [entry["interval"] or (None, None) for entry in entries]
    return Series(
        name,
        [scaled(entry["difference"]) for entry in entries],
        [scaled(low) for low, _ in ends],
        [scaled(high) for _, high in ends],
        [entry["n"] for entry in entries],
    )


def difference_charts(data: dict[str, Any]) -> Iterator[IntervalChart]:
    """The metric that decides, a row a pair of models."""
    metric = _metric(data)
    pairs = data["pairs"]
    series = _differences(
        metric.title, [pair["metrics"][data["metric"]] for pair in pairs], metric.scale
    )
    yield IntervalChart(
        "Differences",
        f"Difference in {metric.title.removesuffix(' %')} on the questions that both answered, "
        "with 95 % intervals; an interval over 0 says nothing about who is better. "
        + " ".join(pair["words"] for pair in pairs[:3]),
        "pair",
        [pair_name(pair) for pair in pairs],
        [series],
        _points(metric),
        reference=0.0,
        reference_name="no difference",
    )


def pair_charts(data: dict[str, Any], pair: dict[str, Any]) -> Iterator[Chart]:
    """Every group of rows, and how many rows each of two models has right alone."""
    metric = _metric(data)
    for stratum, categories in pair["strata"].items():
        names = list(categories)[:MOST_CATEGORIES]
        if names == ["unknown"]:
            continue
        entries = [categories[name] for name in names]
        ahead = sum(1 for e in entries if e["interval"] and e["interval"][0] > 0)
        behind = sum(1 for e in entries if e["interval"] and e["interval"][1] < 0)
        yield IntervalChart(
            f"Difference by {stratum.replace('_', ' ')}",
            f"{pair_name(pair)}, in {groups_words(len(names))}, with 95 % intervals; dashed: no "
            f"difference. {pair['a']} is ahead beyond chance in {ahead}, {pair['b']} in {behind}.",
            stratum.replace("_", " "),
            names,
            [_differences(metric.title, entries, metric.scale)],
            _points(metric),
            reference=0.0,
            reference_name="no difference",
        )
    flips = pair.get("flips")
    if flips:
        only_a, only_b = len(flips["only_a"]), len(flips["only_b"])
        yield StackChart(
            "Which rows flipped",
            f"Rows by which model has them right ({flips['metric']}): {pair['a']} alone "
            f"{only_a:,}, {pair['b']} alone {only_b:,}, both {flips['both_right']:,}, neither "
            f"{flips['both_wrong']:,}.",
            "",
            ["rows"],
            {
                f"only {pair['a']}": [only_a],
                f"only {pair['b']}": [only_b],
                "both right": [flips["both_right"]],
                "both wrong": [flips["both_wrong"]],
            },
        )


def flips_table(pair: dict[str, Any]) -> ChartTable | None:
    """Rows that one model alone has right; None where there are none."""
    flips = pair.get("flips")
    if not flips:
        return None
    rows = [
        [
            row["id"],
            row["cluster"],
            pair[side],
            *(read_text(row[of]) or "nothing" for of in ("a", "b")),
        ]
        for side in ("a", "b")
        for row in flips[f"only_{side}"][:MOST_FLIPS]
    ]
    if not rows:
        return None
    header = ["id", "video", "right alone", f"read of {pair['a']}", f"read of {pair['b']}"]
    return ChartTable(header, rows)
