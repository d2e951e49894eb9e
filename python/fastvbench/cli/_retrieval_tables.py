"""A retrieval result as tables: a row a direction and rule set, then lengths, coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from fastvbench.cli._cells import all_metrics, value_cell
from fastvbench.cli._text import table

if TYPE_CHECKING:
    from fastvbench.results import Metric, Result

__all__ = ["is_retrieval", "print_retrieval"]


def is_retrieval(data: dict[str, Any]) -> bool:
    """Whether a result is of rankings, which have directions."""
    return "directions" in data["coverage"]


def print_retrieval(result: Result, out: TextIO) -> None:
    """Everything but the warnings."""
    data = result.data
    _print_head(data, out)
    _print_directions(result, out)
    _print_contrasts(data, out)
    _print_lengths(result, out)
    _print_coverage(data, out)


def _print_head(data: dict[str, Any], out: TextIO) -> None:
    protocol, options = data["protocol"], data["options"]
    by = f"by {options['metric']}" if options["metric"] else "by finished rankings"
    print(
        f"{protocol['title']} · {by} · ties {options['ties']} · "
        f"protocol version {protocol['version']}",
        file=out,
    )
    for entry in data["inputs"]["predictions"]:
        if "rows" in entry:
            size = f"{entry['rows']:,} x {entry['dimension']:,} {entry['type']}"
        else:
            size = f"{entry['queries']:,} queries"
        print(f"read {entry['name']} as {entry['format']}: {size}", file=out)
    published = data["protocol"]["published_items"]
    items = ", ".join(f"{count:,} {name}" for name, count in published.items())
    for name, entry in data["coverage"]["directions"].items():
        against = f"against {entry.get('gallery_rows', 0):,} rows"
        if "longest_list" in entry:
            against = f"and lists of at most {entry['longest_list']:,} ids"
        print(f"{name}: {entry['expected']:,} queries {against} (published: {items})", file=out)


def _shown(metric: Metric, entry: dict[str, Any], *, interval: bool) -> str:
    if entry["value"] is None and entry.get("unranked"):
        return "beyond"  # the median query finds nothing among all that was looked at
    return value_cell(metric, entry, interval=interval)


def _print_directions(result: Result, out: TextIO) -> None:
    data = result.data
    metrics = all_metrics(result)
    rows = []
    for direction in data["coverage"]["directions"]:
        for rule, entry in data["rules"].items():
            values = entry["strata"]["direction"].get(direction, {})
            first = result.metrics[rule][0].key
            cells = [
                _shown(metric, values[key], interval=key == first) if key in values else ""
                for key, metric in metrics.items()
            ]
            rows.append([direction, rule, *cells, f"{values[first]['n']:,}" if values else "0"])
    titles = [m.title for m in metrics.values()]
    print("\n" + table(["direction", "rule set", *titles, "n"], rows, align="<<"), file=out)
    method = data["interval_method"]
    print(f"[95 % interval: {method['name']}, {method['clusters']:,} videos]", file=out)


def _print_contrasts(data: dict[str, Any], out: TextIO) -> None:
    for c in data["rules"][data["main"]["rule"]].get("contrasts", ()):
        if c["value"] is None:
            continue
        interval = ""
        if c["interval"] is not None:
            interval = " [{:+.1f}, {:+.1f}]".format(*(100 * x for x in c["interval"]))
        print(
            f"{c['metric']} by {c['stratum']}, {c['a']} minus {c['b'].rpartition(': ')[2]}: "
            f"{100 * c['value']:+.2f}{interval}",
            file=out,
        )


def _print_lengths(result: Result, out: TextIO) -> None:
    """The main metric by the length of the caption."""
    data = result.data
    main = data["main"]["rule"]
    metric = result.metrics[main][0]
    for stratum, categories in data["rules"][main]["strata"].items():
        if stratum == "direction":
            continue
        rows = []
        for category, values in categories.items():
            cells = [
                _shown(
                    metrics[0],
                    data["rules"][rule]["strata"][stratum][category][metrics[0].key],
                    interval=rule == main,
                )
                for rule, metrics in result.metrics.items()
            ]
            rows.append([category, *cells, f"{values[metric.key]['n']:,}"])
        header = [f"{stratum} ({metric.title})", *result.metrics, "n"]
        print("\n" + table(header, rows, align="<"), file=out)


def _print_coverage(data: dict[str, Any], out: TextIO) -> None:
    coverage = data["coverage"]
    names = ("expected", "scored", "missing", "missing_queries", "unexpected", "duplicates")
    parts = [f"{name.replace('_', ' ')} {coverage[name]:,}" for name in names]
    print(f"\ncoverage: {' · '.join(parts)}", file=out)
    for name, entry in coverage["directions"].items():
        if "unlisted_items" in entry:
            items = f"items in no list {entry['unlisted_items']:,} of {entry['items']:,}"
        else:
            dropped = sum(entry["dropped_rows"].values())
            items = f"missing items {entry['missing_items']:,} of {entry['items']:,}"
            items += f" · dropped rows {dropped:,}"
        print(f"  {name}: scored {entry['scored']:,} of {entry['expected']:,} · {items}", file=out)
