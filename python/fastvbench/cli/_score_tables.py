"""A result as tables: rule sets side by side, coverage, strata, rows that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from fastvbench.cli._cells import all_metrics, value_cell
from fastvbench.cli._diagnostic_tables import print_alarms, print_diagnostics
from fastvbench.cli._retrieval_tables import is_retrieval, print_retrieval
from fastvbench.cli._setting_tables import print_settings
from fastvbench.cli._suite_tables import print_suite
from fastvbench.cli._text import shorten, table

if TYPE_CHECKING:
    from fastvbench.results import Metric, Result

__all__ = ["print_difference", "print_result"]

MOST_CATEGORIES = 30
EXCERPT_CHARACTERS = 100


def print_result(result: Result, out: TextIO) -> None:
    """Everything that a person needs to trust the numbers, or not to."""
    data = result.data
    if data["kind"] == "suite":
        print_suite(result, out)
        for part in data["results"].values():
            print_alarms(part, out, prefix=f"{part['protocol']['title']}: ")
    elif is_retrieval(data):
        print_retrieval(result, out)
        print_diagnostics(data, out)
    else:
        _print_head(data, out)
        _print_rules(result, out)
        _print_coverage(data, out)
        _print_strata(result, out)
        _print_repeats(result, out)
        print_settings(result, out)
        print_diagnostics(data, out)
    for warning in data["warnings"]:
        print(f"\nwarning: {warning}", file=out)


def _print_head(data: dict[str, Any], out: TextIO) -> None:
    protocol = data["protocol"]
    published = protocol["published_size"]
    expected = data["coverage"]["expected"]
    size = f"{expected:,} rows"
    if published is not None:
        size = f"{expected:,} of {published:,} published rows"
    print(f"{protocol['title']} · {size} · protocol version {protocol['version']}", file=out)
    for entry in data["inputs"]["predictions"]:
        noticed = ", ".join(f"{k} {n:,}" for k, n in entry["ledger"].items() if n)
        print(
            f"read {entry['name']} as {entry['format']}" + (f" ({noticed})" if noticed else ""),
            file=out,
        )
    if "setting" in data:
        print(f"setting: {data['setting']}", file=out)
    if "subset" in data:
        print(f"denominator restricted to {data['subset']['rows']:,} rows", file=out)


def _print_rules(result: Result, out: TextIO) -> None:
    data = result.data
    metrics = all_metrics(result)
    rows = []
    for rule, entry in data["rules"].items():
        overall = entry["overall"]
        first = result.metrics[rule][0].key
        cells = [rule]
        for key, metric in metrics.items():
            with_interval = key == first
            cells.append(
                value_cell(metric, overall[key], interval=with_interval) if key in overall else ""
            )
        cells.append(f"{overall[first]['n']:,}")
        cells.append(f"{sum(entry['status'].values()) - entry['status'].get('ok', 0):,}")
        cells.append(f"{entry['public_script_aborts']:,}" if entry["public_script_aborts"] else "-")
        rows.append(cells)
    titles = [m.title for m in metrics.values()]
    header = ["rule set", *titles, "n", "unread", "aborts"]
    print("\n" + table(header, rows, align="<"), file=out)
    method = data["interval_method"]
    print(f"[95 % interval: {method['name']}, {method['clusters']:,} videos]", file=out)
    _print_judged(data, out)
    for rule, entry in data["rules"].items():
        _print_other_denominators(rule, entry["overall"], result.metrics[rule], out)
        for c in entry.get("contrasts", ()):
            if c["value"] is not None:
                low_high = ""
                if c["interval"] is not None:
                    low_high = " [{:+.1f}, {:+.1f}]".format(*(100 * x for x in c["interval"]))
                print(
                    f"{rule}: {c['metric']}, {c['a']} minus {c['b']}: "
                    f"{100 * c['value']:+.2f}{low_high}",
                    file=out,
                )


def _print_other_denominators(
    rule: str, overall: dict[str, Any], metrics: tuple[Metric, ...], out: TextIO
) -> None:
    """Name the metrics whose n is not that of the table's n column."""
    shown = overall[metrics[0].key]["n"]
    titles: dict[int, list[str]] = {}
    for metric in metrics[1:]:
        if not metric.in_tables:
            continue
        count = overall[metric.key]["n"]
        if count != shown:
            titles.setdefault(count, []).append(metric.title.removesuffix(" %"))
    if titles:
        parts = (f"{', '.join(named)}: {count:,}" for count, named in titles.items())
        print(f"{rule}: other n: {' · '.join(parts)}", file=out)


def _print_judged(data: dict[str, Any], out: TextIO) -> None:
    """What rows that need a judge do to the values, and what the verdicts were good for."""
    waiting = {
        rule: entry["status"]["needs_judge"]
        for rule, entry in data["rules"].items()
        if "needs_judge" in entry["status"]
    }
    if waiting:
        named = ", ".join(f"{rule} {count:,}" for rule, count in waiting.items())
        print(
            f"rows that only a judge could decide: {named}; they count as wrong, and ≤ is the "
            "value if all were right (--verdicts FILE decides them)",
            file=out,
        )
    verdicts = data["inputs"].get("verdicts")
    if verdicts is not None:
        counts = " · ".join(
            f"{name.replace('_', ' ')} {verdicts[name]:,}"
            for name in ("used", "not_needed", "unknown", "repeated", "blank")
            if verdicts[name] or name == "used"
        )
        print(f"verdicts of {verdicts['name']}: {counts}", file=out)


def _print_coverage(data: dict[str, Any], out: TextIO) -> None:
    coverage = data["coverage"]
    parts = [
        f"{name} {coverage[name]:,}"
        for name in ("expected", "scored", "missing", "unexpected", "duplicates")
    ]
    if coverage["without_text"]:
        parts[2] += f" (in the file, but without text: {coverage['without_text']:,})"
    print(f"\ncoverage: {' · '.join(parts)}", file=out)
    for rule, entry in data["rules"].items():
        status = " · ".join(f"{name} {n:,}" for name, n in entry["status"].items())
        print(f"  {rule}: {status}", file=out)
        if "interval_status" in entry:
            status = " · ".join(f"{name} {n:,}" for name, n in entry["interval_status"].items())
            print(f"  {rule}, intervals: {status}", file=out)
    ledger = data["inputs"]["annotations"].get("ledger")
    if ledger:
        noticed = " · ".join(f"{name} {n:,}" for name, n in ledger.items())
        print(f"  annotations: {noticed}", file=out)


def _print_strata(result: Result, out: TextIO) -> None:
    data = result.data
    main = data["main"]["rule"]
    for stratum, categories in data["rules"][main]["strata"].items():
        if list(categories) == ["unknown"]:
            continue
        rows = []
        for category in list(categories)[:MOST_CATEGORIES]:
            cells = [category]
            for rule, metrics in result.metrics.items():
                entry = data["rules"][rule]["strata"][stratum][category][metrics[0].key]
                cells.append(value_cell(metrics[0], entry, interval=rule == main))
            n = categories[category][result.metrics[main][0].key]["n"]
            rows.append([*cells, f"{n:,}"])
        title = f"{stratum} ({result.metrics[main][0].title})"
        print("\n" + table([title, *result.metrics, "n"], rows, align="<"), file=out)
        if len(categories) > MOST_CATEGORIES:
            print(f"({len(categories) - MOST_CATEGORIES} more in the result file)", file=out)


def _print_repeats(result: Result, out: TextIO) -> None:
    repeats = result.data.get("repeats")
    if repeats is None:
        return
    print(f"\n{repeats['runs']} runs", file=out)
    for rule, entry in repeats["rules"].items():
        key = result.metrics[rule][0].key
        parts = []
        if key in entry:
            parts.append(f"{100 * entry[key]['mean']:.2f} ± {100 * entry[key]['std']:.2f}")
        parts += [f"{k} {100 * v:.2f}" for k, v in entry.items() if isinstance(v, float)]
        print(f"  {rule}: {' · '.join(parts)}", file=out)


def print_difference(result: Result, out: TextIO, *, most: int) -> None:
    """Rows that score differently under two rule sets: what each read, and from what."""
    total = 0
    for row in result.differing():
        total += 1
        if total > most:
            continue
        if total == 1:
            print("\nrows on which rule sets differ", file=out)
        setting = f" ({row['setting']})" if "setting" in row else ""
        print(f"\n{row['id']}{setting} · gold {_gold(row['gold'])}", file=out)
        print(f"  {shorten(row['excerpt'] or '(no text)', EXCERPT_CHARACTERS)}", file=out)
        for rule, entry in row["rules"].items():
            headline = {metric.base for metric in result.metrics[rule][:1]} | {"mean_iou"}
            shown = " · ".join(
                f"{key} {'not counted' if score is None else format(score, '.4g')}"
                for key, score in entry["scores"].items()
                if key in headline or ("place" in row and "recall@" in key)
            )
            read = _place(row) if "place" in row else entry["read"]
            status = f"{entry['status']}, judged" if entry.get("judged") else entry["status"]
            print(
                f"    {rule}: {shown} · {status} · "
                f"read {'nothing' if read is None else shorten(str(read), 60)}",
                file=out,
            )
    rows = result.data["coverage"]["expected"] * (1 + len(result.data.get("settings", ())))
    print(f"\n{total:,} of {rows:,} rows differ between rule sets", file=out)
    if total > most:
        print(f"(the first {most} are shown; -o writes them all to the samples file)", file=out)


def _place(row: dict[str, Any]) -> str | None:
    """Where the best relevant item stands."""
    place = row["place"]
    if place is None:
        return None
    first, last = place["above"] + 1, place["above"] + place["tied"]
    return f"place {first:,}" if first == last else f"places {first:,} to {last:,}, tied"


def _gold(gold: dict[str, Any]) -> str:
    parts = [str(gold["answer"])] if gold.get("answer") else []
    if gold.get("answers"):
        parts.append(" | ".join(map(repr, gold["answers"][:3])))
    if gold.get("intervals"):
        parts.append(", ".join(f"{s:g}-{e:g} s" for s, e in gold["intervals"]))
    if gold.get("relevant"):
        parts.append(", ".join(gold["relevant"][:3]))
    return " ".join(parts) or "none"
