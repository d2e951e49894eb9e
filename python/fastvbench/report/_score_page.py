"""The parts of a page about one scored benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.report._html import escape, facts, table
from fastvbench.report._payload import pack_rows
from fastvbench.report.charts._chart import ChartTable
from fastvbench.report.parts._all import group_charts, row_charts
from fastvbench.report.parts._overview import coverage_chart, rules_chart
from fastvbench.report.parts._published import published_chart, published_table
from fastvbench.report.parts._settings import repeats_table, setting_charts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.report._page import Page
    from fastvbench.report._view import ResultView, Shown
    from fastvbench.results._metrics import Metric

__all__ = ["add_score", "value_text"]

MOST_METRICS = 12
_SETTINGS = (
    "protocol",
    "setting",
    "options",
    "parameters",
    "subset",
    "inputs",
    "rule",
    "interval_method",
    "correction",
    "engines",
    "galleries",
    "run",
    "environment",
)


def value_text(metric: Metric, shown: Shown | None, *, interval: bool = True) -> str:
    """A value with its interval, as tables print it."""
    if shown is None or shown.value is None:
        return "-"
    text = f"{shown.value:.{metric.decimals}f}"
    if interval and shown.low is not None and shown.high is not None:
        text += f" [{shown.low:.1f}, {shown.high:.1f}]"
    if shown.upper is not None and shown.upper != shown.value:
        text += f" ≤ {shown.upper:.{metric.decimals}f}"
    return text


def add_score(
    page: Page,
    view: ResultView,
    *,
    most_bytes: int,
    published: bool = False,
) -> None:
    """Add everything that is known of one result.

    Args:
        page: the page.
        view: the result.
        most_bytes: room for the rows.
        published: show what others report.
    """
    page.part("Summary")
    page.add(_warnings(view.data.get("warnings", ())))
    page.add(_cards(view))
    page.add(_rules_table(view))
    repeats = repeats_table(view)
    if repeats is not None:
        runs = view.data["repeats"]["runs"]
        page.add(table(repeats, caption=f"Over {runs} runs of the same model."))
    page.charts([rules_chart(view), coverage_chart(view), *setting_charts(view)])
    if published:
        page.part("Published")
        _add_published(page, view)
    strata = group_charts(view)
    if strata:
        page.part("By group")
        page.charts(strata)
    answers = row_charts(view)
    if answers:
        page.part("Answers")
        page.charts(answers)
    page.part("Diagnostics")
    page.add(diagnostics_html(view.data.get("diagnostics", {})))
    page.part("Rows")
    if view.rows is None:
        page.add(
            '<p class="soft">The samples file is not beside the result file, so that single rows, '
            "and plots made from them, are left out.</p>"
        )
    else:
        packed = pack_rows(view, most_bytes=most_bytes)
        if packed.excerpt_characters < 2000:
            page.add(
                f'<p class="soft">Texts are cut at {packed.excerpt_characters:,} characters, so '
                "that the file stays small; the samples file has more.</p>"
            )
        page.rows(packed, label=view.label, score_name=view.metric(view.main_metric).title)
    page.part("Settings")
    page.add(_deviations(view.data))
    page.add(settings_html(view.data))


def _deviations(data: dict[str, Any]) -> str:
    """Where the run departs from what is published; empty for results that no run made."""
    entry = data.get("diagnostics", {}).get("protocol_deviations")
    if not entry:
        return ""
    rows = [[each["what"], each["published"], each["used"]] for each in entry["deviations"]]
    if not rows:
        return "<p>The run keeps to every published setting that is known.</p>"
    header = ["setting", "published", "this run"]
    caption = "Where the run departs from what is published."
    return table(ChartTable(header, rows), caption=caption, words=(1, 2))


def _add_published(page: Page, view: ResultView) -> None:
    """What others report, drawn and listed."""
    listed = published_table(view)
    if not listed.rows:
        page.add('<p class="soft">No published number of this benchmark is at hand.</p>')
        return
    chart = published_chart(view)
    if chart is not None:
        page.charts([chart])
    words = "Numbers as their sources give them; what is not stated there is not known."
    page.add(table(listed, caption=words, words=(8, 9, 10)))


def _warnings(warnings: Any) -> str:
    listed = "".join(f"<li>{escape(warning)}</li>" for warning in warnings)
    if not listed:
        return ""
    return f'<div class="warnings" role="note"><strong>Mind</strong><ul>{listed}</ul></div>'


def _cards(view: ResultView) -> str:
    metric, shown = view.metric(view.main_metric), view.headline()
    coverage = view.data["coverage"]
    cards = [(metric.title, value_text(metric, shown, interval=False), _interval_words(shown))]
    other = view.published_rule()
    if other is not None:
        value = view.overall(other, view.main_metric)
        cards.append(
            (f"{metric.title}, {other}", value_text(metric, value, interval=False), "the same rows")
        )
    published = view.data["protocol"].get("published_size")
    size = f"of {coverage['expected']:,} expected rows"
    if published is not None and published != coverage["expected"]:
        size += f"; {published:,} are published"
    cards.append(("scored", f"{coverage['scored']:,}", size))
    status = view.data["rules"][view.main_rule]["status"]
    unread = sum(status.values()) - status.get("ok", 0)
    cards.append(("without a readable answer", f"{unread:,}", f"under {view.main_rule}"))
    aborts = {
        rule: entry.get("public_script_aborts", 0) for rule, entry in view.data["rules"].items()
    }
    if any(aborts.values()):
        worst = max(aborts, key=lambda rule: aborts[rule])
        cards.append(("a public script would stop", f"{aborts[worst]:,}", f"times: {worst}"))
    items = "".join(
        f'<li><span class="name">{escape(name)}</span><span class="big">{escape(value)}</span>'
        f'<span class="of">{escape(words)}</span></li>'
        for name, value, words in cards
    )
    return f'<ul class="cards">{items}</ul>'


def _interval_words(shown: Shown) -> str:
    if shown.low is None or shown.high is None:
        return f"n {shown.count:,}"
    return f"95 % interval {shown.low:.1f} to {shown.high:.1f}, n {shown.count:,}"


def _rules_table(view: ResultView) -> str:
    keys = list(
        dict.fromkeys(key for entry in view.data["rules"].values() for key in entry["overall"])
    )
    left_out = len(keys) - MOST_METRICS
    keys = keys[:MOST_METRICS]
    rows = []
    for rule in view.data["rules"]:
        entry = view.data["rules"][rule]
        cells = [rule]
        cells += [
            value_text(view.metric(key), view.overall(rule, key)) if key in entry["overall"] else ""
            for key in keys
        ]
        first = next(iter(entry["overall"].values()))
        unread = sum(entry["status"].values()) - entry["status"].get("ok", 0)
        rows.append([*cells, f"{first['n']:,}", f"{unread:,}"])
    header = ["rule set", *(view.metric(key).title for key in keys), "n", "unread"]
    method = view.data.get("interval_method", {})
    words = (
        f"Values with 95 % intervals ({method.get('name', 'none')}, "
        f"{method.get('clusters', 0):,} videos)."
    )
    if left_out > 0:
        words += f" {left_out} more metrics are in the result file."
    return table(ChartTable(header, rows), caption=words)


def diagnostics_html(diagnostics: dict[str, Any]) -> str:
    """Diagnostics with their definitions, alarms first; what has none is listed plainly."""
    rows: list[list[str]] = []
    classes: dict[tuple[int, int], str] = {}
    plain: list[tuple[str, str]] = []
    entries = list(_entries(diagnostics))
    entries.sort(key=lambda pair: not pair[1].get("alarm", False))
    for number, (name, entry) in enumerate(entries):
        alarm = bool(entry.get("alarm", False))
        words = "alarm" if alarm else "fine" if "alarm" in entry else ""
        says = entry.get("says") or _plain(entry.get("value"))
        rows.append([name.replace("_", " "), words, says, entry["definition"]])
        classes[number, 1] = "alarm" if alarm else "fine"
    for name, value in diagnostics.items():
        if not any(name == found.split(".")[0] for found, _ in entries):
            plain.extend(_flat(name, value))
    parts = []
    if rows:
        header = ["diagnostic", "", "found", "what it is"]
        parts.append(table(ChartTable(header, rows), words=(2, 3), stacked=True, classes=classes))
    if plain:
        parts.append(facts(plain))
    return "".join(parts) or '<p class="soft">None were recorded.</p>'


def _entries(held: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in held.items():
        if isinstance(value, dict):
            if "definition" in value:
                yield prefix + str(value.get("name", name)), value
            else:
                yield from _entries(value, f"{name}.")
        elif isinstance(value, list):
            for entry in value:
                if isinstance(entry, dict) and "definition" in entry:
                    yield str(entry.get("name", name)), entry


def _plain(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "-" if value is None else "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return " · ".join(f"{name} {_plain(held)}" for name, held in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(held) for held in value[:20])
    return str(value)


def _flat(name: str, value: object, *, deepest: int = 3) -> Iterator[tuple[str, str]]:
    """Nested values as dotted names."""
    if (
        isinstance(value, dict)
        and deepest
        and any(isinstance(v, dict | list) for v in value.values())
    ):
        for key, held in value.items():
            yield from _flat(f"{name} · {key}".replace("_", " "), held, deepest=deepest - 1)
    else:
        yield name.replace("_", " "), _plain(value)


def settings_html(data: dict[str, Any]) -> str:
    """Everything that says how this number came about."""
    pairs: list[tuple[str, str]] = []
    for key in _SETTINGS:
        if key in data:
            pairs.extend(_flat(key, data[key]))
    for rule, entry in data.get("rules", {}).items():
        if "denominator" in entry:
            words = f"{entry['source']}; denominator: {entry['denominator']}"
            pairs.append((f"rule set {rule}", words))
    return facts(pairs)
