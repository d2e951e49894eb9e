"""A comparison as tables: models with intervals, pairs with tests, rows that flipped, words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, TextIO

from fastvbench.cli._cells import value_cell
from fastvbench.cli._text import shorten, table

if TYPE_CHECKING:
    from fastvbench.results import Comparison, Metric

__all__ = ["print_comparison"]

WIDTH = 100
MOST_CATEGORIES = 12


def print_comparison(comparison: Comparison, out: TextIO, *, most_flips: int) -> None:
    """Everything that a person needs to say which model is better, or that nobody can."""
    data = comparison.data
    protocol = data["protocol"]
    setting = f" · setting {data['setting']}" if "setting" in data else ""
    print(
        f"{protocol['title']} · rule set {data['rule']} · protocol version {protocol['version']}"
        f"{setting}",
        file=out,
    )
    _print_models(comparison, out)
    for entry in data["pairs"]:
        _print_pair(comparison, entry, out, most_flips=most_flips)
    print(file=out)
    for sentence in comparison.words():
        print(textwrap.fill(sentence, WIDTH, break_on_hyphens=False), file=out)
    for warning in data["warnings"]:
        print(f"\nwarning: {warning}", file=out)


def _print_models(comparison: Comparison, out: TextIO) -> None:
    metrics = comparison.metrics
    rows = []
    for model in comparison.data["models"]:
        overall = model["overall"]
        cells = [
            value_cell(metric, overall[key], interval=key == comparison.data["metric"])
            for key, metric in metrics.items()
        ]
        rows.append([model["name"], *cells, f"{overall[comparison.data['metric']]['n']:,}"])
    header = ["model", *(metric.title for metric in metrics.values()), "n"]
    print("\n" + table(header, rows, align="<"), file=out)
    method = comparison.data["interval_method"]
    print(f"[95 % interval: {method['name']}, {method['clusters']:,} videos]", file=out)


def _print_pair(
    comparison: Comparison, entry: dict[str, Any], out: TextIO, *, most_flips: int
) -> None:
    a, b = entry["a"], entry["b"]
    corrected = comparison.data["correction"]["comparisons"] > 1
    rows = []
    for key, metric in comparison.metrics.items():
        found = entry["metrics"][key]
        exact = found.get("mcnemar")
        rows.append(
            [
                metric.title,
                metric.shown(found["a"]),
                metric.shown(found["b"]),
                _difference(metric, found),
                _probability(found["p_holm" if corrected else "p"]),
                "-" if exact is None else _probability(exact["p_holm" if corrected else "p"]),
                "-" if exact is None else f"{exact['only_a']:,} : {exact['only_b']:,}",
                f"{found['n']:,}",
            ]
        )
    p = "p (Holm)" if corrected else "p"
    header = [f"{a} - {b}", a, b, "difference", p, "McNemar p", "one alone right", "n"]
    print("\n" + table(header, rows, align="<"), file=out)
    _print_strata(comparison, entry, out)
    if "flips" in entry:
        _print_flips(entry, out, most=most_flips)


def _difference(metric: Metric, found: dict[str, Any]) -> str:
    if found["difference"] is None:
        return "-"
    text = f"{found['difference'] * metric.scale:+.{metric.decimals}f}"
    if found["interval"] is not None:
        low, high = (end * metric.scale for end in found["interval"])
        text += f" [{low:+.1f}, {high:+.1f}]"
    return text


def _probability(p: float | None) -> str:
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _print_strata(comparison: Comparison, entry: dict[str, Any], out: TextIO) -> None:
    for name, categories in entry["strata"].items():
        if list(categories) == ["unknown"] or len(categories) < 2:
            continue
        rows = [
            [category, _difference(comparison.metric, found), f"{found['n']:,}"]
            for category, found in list(categories.items())[:MOST_CATEGORIES]
        ]
        title = f"{name} ({comparison.metric.title})"
        print("\n" + table([title, "difference", "n"], rows, align="<"), file=out)
        if len(categories) > MOST_CATEGORIES:
            print(f"({len(categories) - MOST_CATEGORIES} more with -o)", file=out)


def _print_flips(entry: dict[str, Any], out: TextIO, *, most: int) -> None:
    flips = entry["flips"]
    a, b = entry["a"], entry["b"]
    print(
        f"\nby {flips['metric']}: both right {flips['both_right']:,} · both wrong "
        f"{flips['both_wrong']:,} · only {a} {len(flips['only_a']):,} · only {b} "
        f"{len(flips['only_b']):,}",
        file=out,
    )
    for side, name in (("only_a", a), ("only_b", b)):
        for row in flips[side][:most]:
            read = " against ".join(
                "nothing" if row[each] is None else shorten(str(row[each]), 30)
                for each in ("a", "b")
            )
            print(f"  only {name} right: {row['id']} ({row['cluster']}): {read}", file=out)
        if len(flips[side]) > most > 0:
            print(f"  ({len(flips[side]) - most:,} more with -o)", file=out)
