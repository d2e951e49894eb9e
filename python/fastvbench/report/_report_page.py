"""The page about one or several results, whatever their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError
from fastvbench.report._costs import read_prices
from fastvbench.report._html import escape, facts, table
from fastvbench.report._leaderboard import build_leaderboard
from fastvbench.report._model_names import read_names
from fastvbench.report._page import Page
from fastvbench.report._score_page import add_score, settings_html, value_text
from fastvbench.report._titles import page_title
from fastvbench.report._view import ResultView
from fastvbench.report.charts._bokeh import require_bokeh
from fastvbench.report.charts._chart import ChartTable
from fastvbench.report.parts._all import overview_charts
from fastvbench.report.parts._baseline import baseline_charts
from fastvbench.report.parts._comparison import (
    difference_charts,
    flips_table,
    pair_charts,
    pair_name,
)
from fastvbench.report.parts._costs import cost_table
from fastvbench.report.parts._sweep import sweep_charts
from fastvbench.report.parts._timing import timing_charts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.report._options import ReportOptions
    from fastvbench.report._sources import ReportSource

__all__ = ["report_page"]

# A page stays under 25 MB: the drawing library takes 1.3, plots some hundred thousand a result.
ROW_BYTES = 19_000_000


def report_page(sources: Sequence[ReportSource], options: ReportOptions) -> str:
    """The page as HTML.

    Raises:
        InputError: nothing to report.
        MissingExtraError: Bokeh is not installed.
    """
    require_bokeh()
    if not sources:
        raise InputError("no result to report", expected="at least one result file")
    scored = [(source, source.view()) for source in sources if source.kind == "score"]
    views = [view for _, view in scored]
    page = Page(page_title(sources, options.title), ", ".join(source.label for source in sources))
    room = ROW_BYTES // max(1, sum(view.rows is not None for view in views))
    several = len(sources) > 1
    if len(views) > 1:
        page.part("Overview")
        page.charts(overview_charts(views))
        _add_leaderboard(page, sources, options)
    if options.x is not None:
        page.part("Sweep")
        page.charts(sweep_charts(scored, options.x))
    costs = cost_table(scored, read_prices(options.prices))
    if costs is not None:
        page.part("Cost")
        words = "Means over the questions that were answered; money by the prices that were given."
        page.add(table(costs, caption=words))
    if options.baseline is not None:
        for source, view in scored:
            page.part(f"Gain over no frames, {view.label}" if several else "Gain over no frames")
            page.charts(baseline_charts(source.path, view.label, options.baseline))
    by_label = {view.label: view for view in views}
    for source in sources:
        if several:
            page.fold(source.label)
        if source.kind == "score":
            add_score(
                page,
                by_label[source.label],
                most_bytes=room,
                published=options.published,
            )
        elif source.kind == "suite":
            _add_suite(page, source)
        elif source.kind == "timing":
            _add_timing(page, source)
        else:
            _add_comparison(page, source)
    return page.html()


def _add_leaderboard(page: Page, sources: Sequence[ReportSource], options: ReportOptions) -> None:
    """Models by benchmarks: who is best, and who is tied with whom."""
    board = build_leaderboard(
        sources,
        names=read_names(options.names),
        rule=options.rule,
        metric=options.metric,
        mixed=options.mixed,
    )
    header = ["model"]
    for column in board.columns:
        header += [f"{column.title}: {column.metric.title}", "tie group"]
    rows = []
    marked: dict[tuple[int, int], str] = {}
    for number, model in enumerate(board.models):
        cells = [model]
        for place, column in enumerate(board.columns):
            cell = column.cells.get(model)
            if cell is None:
                cells += ["-", "-"]
                continue
            text = column.metric.shown(cell.value)
            if cell.interval is not None:
                low, high = (column.metric.scale * end for end in cell.interval)
                text += f" [{low:.1f}, {high:.1f}]"
            cells += [text, "-" if cell.group is None else str(cell.group)]
            if cell.best or cell.tied:
                marked[number, 1 + 2 * place] = "best" if cell.best else "tied"
        rows.append(cells)
    page.add(table(ChartTable(header, rows), caption="Models, best first.", classes=marked))
    for note in board.notes:
        page.add(f'<p class="soft">{escape(note)}</p>')


def _add_comparison(page: Page, source: ReportSource) -> None:
    """What follows in words, every difference, and the rows that flipped."""
    data = source.data
    page.part("What follows")
    for pair in data["pairs"]:
        page.add(f"<p>{escape(pair['words'])}</p>")
    for warning in data.get("warnings", ()):
        page.add(f'<p class="warnings">{escape(warning)}</p>')
    page.charts(difference_charts(data))
    for pair in data["pairs"]:
        page.part(f"{pair_name(pair)}")
        page.charts(pair_charts(data, pair))
        flips = flips_table(pair)
        if flips is not None:
            page.add(table(flips, caption="Rows that one model alone has right.", words=(3, 4)))
    page.part("Settings")
    page.add(settings_html(data))


def _add_suite(page: Page, source: ReportSource) -> None:
    """A row a benchmark, a column a rule set, and each benchmark's own parts."""
    data = source.data
    page.part("Summary")
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
        page.fold(view.label)
        add_score(page, view, most_bytes=0)


def _add_timing(page: Page, source: ReportSource) -> None:
    data: dict[str, Any] = source.data
    page.part("Times")
    page.charts(timing_charts(data))
    page.part("What was measured")
    page.add(facts((name.replace("_", " "), text) for name, text in data["definitions"].items()))
    not_measured = [
        (run["engine"], f"{run['status'].replace('_', ' ')}: {run['reason']}")
        for run in data["runs"]
        if run["status"] != "ok"
    ]
    if not_measured:
        page.part("Not measured")
        page.add(facts(not_measured))
    page.part("Settings")
    page.add(settings_html(data))
