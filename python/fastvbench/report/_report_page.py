"""The page about one or several results, whatever their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError
from fastvbench.report._html import escape, facts, table
from fastvbench.report._page import Page
from fastvbench.report._score_page import add_score, settings_html, value_text
from fastvbench.report._titles import page_title
from fastvbench.report._view import ResultView
from fastvbench.report.charts._bokeh import require_bokeh
from fastvbench.report.charts._chart import ChartTable
from fastvbench.report.parts._all import overview_charts
from fastvbench.report.parts._timing import timing_charts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.report._sources import ReportSource

__all__ = ["report_page"]

# A page stays under 25 MB: the drawing library takes 1.3, plots some hundred thousand a result.
ROW_BYTES = 19_000_000


def report_page(sources: Sequence[ReportSource], *, title: str | None = None) -> str:
    """The page as HTML.

    Raises:
        InputError: nothing to report.
        MissingExtraError: Bokeh is not installed.
    """
    require_bokeh()
    if not sources:
        raise InputError("no result to report", expected="at least one result file")
    views = [source.view() for source in sources if source.kind == "score"]
    page = Page(page_title(sources, title), ", ".join(source.label for source in sources))
    room = ROW_BYTES // max(1, sum(view.rows is not None for view in views))
    several = len(sources) > 1
    if len(views) > 1:
        page.part("Overview")
        page.charts(overview_charts(views))
    by_label = {view.label: view for view in views}
    for source in sources:
        prefix = f"{source.label}: " if several else ""
        if source.kind == "score":
            add_score(page, by_label[source.label], prefix=prefix, most_bytes=room)
        elif source.kind == "suite":
            _add_suite(page, source, prefix)
        elif source.kind == "timing":
            _add_timing(page, source, prefix)
        else:
            raise InputError("no page for this kind of result", path=source.path, value=source.kind)
    return page.html()


def _add_suite(page: Page, source: ReportSource, prefix: str) -> None:
    """A row a benchmark, a column a rule set, and each benchmark's own parts."""
    data = source.data
    page.part(f"{prefix}Summary")
    header = ["benchmark", "status", *data["rules"]]
    rows = []
    inner = {
        key: ResultView(data["rows"][key]["title"], held) for key, held in data["results"].items()
    }
    for key, row in data["rows"].items():
        cells = [row["title"], row["status"]]
        for entry in data["rules"].values():
            held = entry["overall"].get(key)
            if held is None or key not in inner:
                cells.append("-")
                continue
            view = inner[key]
            metric = view.metric(held["metric"])
            cells.append(value_text(metric, view.shown(held, held["metric"])))
        rows.append(cells)
    page.add(table(ChartTable(header, rows), caption="Values with 95 % intervals."))
    for warning in data.get("warnings", ()):
        page.add(f'<p class="warnings">{escape(warning)}</p>')
    for view in inner.values():
        add_score(page, view, prefix=f"{prefix}{view.label}: ", most_bytes=0)


def _add_timing(page: Page, source: ReportSource, prefix: str) -> None:
    data: dict[str, Any] = source.data
    page.part(f"{prefix}Times")
    page.charts(timing_charts(data))
    page.part(f"{prefix}What was measured")
    page.add(facts((name.replace("_", " "), text) for name, text in data["definitions"].items()))
    not_measured = [
        (run["engine"], f"{run['status'].replace('_', ' ')}: {run['reason']}")
        for run in data["runs"]
        if run["status"] != "ok"
    ]
    if not_measured:
        page.part(f"{prefix}Not measured")
        page.add(facts(not_measured))
    page.part(f"{prefix}Settings")
    page.add(settings_html(data))
