"""Numbers that others report, beside ours or alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from fastvbench.cli._text import shorten, table
from fastvbench.report._published import Beside, PublishedValue, beside, read_published

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["add_published", "print_published", "print_published_beside"]

NEAREST = 8
SOURCE_CHARACTERS = 60


def add_published(data: dict[str, Any]) -> None:
    """Put what others report into a result, benchmark by benchmark of a suite.

    Args:
        data: the content of result.json; gains ``published``.
    """
    for each in _scored(data):
        each["published"] = [pair.as_dict() for pair in beside(each)]


def _scored(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The benchmarks in a result: itself, or those of a suite."""
    return list(data["results"].values()) if data["kind"] == "suite" else [data]


def print_published_beside(data: dict[str, Any], out: TextIO) -> None:
    """What others report, benchmark by benchmark, beside ours."""
    for each in _scored(data):
        if data["kind"] == "suite":
            print(f"\n{each['protocol']['title']}", file=out)
        _print_beside(each, out)


def _print_beside(data: Mapping[str, Any], out: TextIO) -> None:
    """Numbers of the main metric beside ours: people, guessing, all in our interval, the nearest.

    Args:
        data: the content of result.json, kind ``score``.
        out: where to.
    """
    key = data["main"]["metric"]
    pairs = [pair for pair in beside(data, parts=False) if pair.published.metric == key]
    if not pairs:
        print(f"\nno published number of {key} is at hand", file=out)
        return
    scale = data["metrics"][key]["scale"]
    shown = sorted(_shown(pairs), key=lambda pair: -pair.published.value)
    rows = [[*_cells(pair.published), _against(pair, scale)] for pair in shown]
    header = ["published", "value", "frames", "rule", "note", "beside ours", "source"]
    cells = [[*row[:5], row[6], row[5]] for row in rows]
    print("\n" + table(header, cells, align="<><<<<<"), file=out)
    if len(shown) < len(pairs):
        print(
            f"({len(pairs) - len(shown)} more: fastvbench show {data['protocol']['name']} "
            "--published)",
            file=out,
        )


def _shown(pairs: Sequence[Beside]) -> list[Beside]:
    """What is worth a line: no models, those in our interval, and the nearest above and below."""
    kept = [p for p in pairs if p.published.kind != "model" or p.place == "in our interval"]
    for place, nearest_first in (("above our interval", False), ("below our interval", True)):
        others = [p for p in pairs if p.place == place and p.published.kind == "model"]
        others.sort(key=lambda pair: pair.published.value, reverse=nearest_first)
        kept += others[:NEAREST]
    kept += [p for p in pairs if p.place is None and p.published.kind == "model"][:NEAREST]
    return kept


def _cells(theirs: PublishedValue) -> list[str]:
    return [
        theirs.model,
        theirs.shown,
        theirs.frames,
        theirs.rule,
        theirs.note,
        shorten(theirs.source, SOURCE_CHARACTERS) + (f" ({theirs.date})" if theirs.date else ""),
    ]


def _against(pair: Beside, scale: float) -> str:
    if pair.place is None or pair.value is None or pair.interval is None:
        return "no interval of ours"
    low, high = (end * scale for end in pair.interval)
    return f"{pair.place} by {pair.rule} [{low:.1f}, {high:.1f}]"


def print_published(benchmark: str, out: TextIO) -> None:
    """All that is at hand of one benchmark, the highest first, by metric and part."""
    held = read_published(benchmark)
    if not held:
        print("\nno published number is at hand", file=out)
        return
    kinds: dict[tuple[str, str, str], list[PublishedValue]] = {}
    for row in held:
        part = "" if row.stratum is None else f"{row.stratum}: {row.category}"
        kinds.setdefault((row.metric, part, row.input_setting), []).append(row)
    for (metric, part, setting), rows in kinds.items():
        title = ", ".join(filter(None, (f"published {metric}", part, setting.replace("_", " "))))
        cells = [_cells(row) for row in sorted(rows, key=lambda row: -row.value)]
        header = [title, "value", "frames", "rule", "note", "source"]
        print("\n" + table(header, cells, align="<><<<<"), file=out)
