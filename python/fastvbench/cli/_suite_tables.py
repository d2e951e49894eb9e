"""A suite as one table: a row a benchmark, and what was used, left or missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from fastvbench.cli._cells import value_cell
from fastvbench.cli._text import table

if TYPE_CHECKING:
    from fastvbench.results import Result

__all__ = ["print_suite"]

MOST_NAMES = 3  # of files of one kind
_HOW = {"format": "by its format", "ids": "by its ids", "default": "no setting named"}


def print_suite(result: Result, out: TextIO) -> None:
    """The table of the suite, and which file each row comes from."""
    data = result.data
    protocol, coverage = data["protocol"], data["coverage"]
    print(
        f"{protocol['title']} · {coverage['scored']:,} of {coverage['expected']:,} rows of the "
        f"suite · protocol version {protocol['version']}\n",
        file=out,
    )
    rows = [
        _row(result, key, row)
        for key, row in data["rows"].items()
        if row["status"] == "scored" or row["core"]
    ]
    header = ["benchmark", "metric", *result.metrics, "n", "coverage"]
    print(table(header, rows, align="<<"), file=out)
    methods = {
        (entry["interval_method"]["name"], entry["interval_method"]["level"])
        for entry in data["results"].values()
    }
    for name, level in sorted(methods):
        print(f"[{level:.0%} interval: {name}]".replace("%", " %", 1), file=out)
    _print_files(data, out)


def _row(result: Result, key: str, row: dict[str, Any]) -> list[str]:
    data = result.data
    main = data["main"]["rule"]
    if row["status"] != "scored":
        return [row["title"], "", *[""] * len(result.metrics), "", row["status"]]
    entries = {name: column["overall"].get(key) for name, column in data["rules"].items()}
    first = next(entry for entry in entries.values() if entry is not None)
    titles = {name: metric["title"] for name, metric in data["results"][key]["metrics"].items()}
    cells = []
    for name, metrics in result.metrics.items():
        entry = entries[name]
        metric = next((m for m in metrics if m.key == key), None)
        if entry is None or metric is None:
            cells.append("")
            continue
        cell = value_cell(metric, entry, interval=name == main)
        other = "" if entry["metric"] == first["metric"] else f" ({titles[entry['metric']]})"
        cells.append(cell + other)
    coverage = row["coverage"]
    share = coverage["scored"] / coverage["expected"] if coverage["expected"] else 0.0
    shown = f"{100 * share:.1f} % of {coverage['expected']:,}"
    return [
        row["title"],
        titles[first["metric"]],
        *cells,
        f"{first['n']:,}",
        shown if row["covered"] else f"{shown}, too low",
    ]


def _print_files(data: dict[str, Any], out: TextIO) -> None:
    for row in data["rows"].values():
        if row["files"]:
            print(f"{row['title']}: read {_files(row['files'])}{_beside(row)}", file=out)
    missing = [
        row["title"] for row in data["rows"].values() if row["core"] and row["status"] == "missing"
    ]
    if missing:
        print(f"missing: {'; '.join(missing)}", file=out)
    for kind, files in data["unassigned"].items():
        for name, reason in files.items():
            print(f"left out of {kind}: {name}: {reason}", file=out)


def _files(files: list[dict[str, Any]]) -> str:
    """What was read, files of one kind together."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for file in files:
        how = ", ".join(_HOW[step] for step in file["found_by"] if step in _HOW)
        kinds.setdefault((file["format"], how), []).append(file["name"])
    parts = []
    for (kind, how), names in kinds.items():
        named = ", ".join(names[:MOST_NAMES])
        if len(names) > MOST_NAMES:
            named += f" and {len(names) - MOST_NAMES} more"
        parts.append(f"{named} as {kind}" + (f" ({how})" if how else ""))
    return "; ".join(parts)


def _beside(row: dict[str, Any]) -> str:
    """The other files that a row was made with."""
    parts = []
    if "annotations" in row:
        parts.append(f"annotations {row['annotations']}")
    if "durations" in row:
        parts.append(f"video lengths {row['durations']['name']}")
    if "verdicts" in row:
        parts.append(f"verdicts {row['verdicts']}")
    return "".join(f", {part}" for part in parts)
