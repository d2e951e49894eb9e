"""Writes a report: the ending of the file's name picks what it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.core import InputError
from fastvbench.formats import write_atomic
from fastvbench.report._costs import read_prices
from fastvbench.report._model_names import read_names
from fastvbench.report._options import ReportOptions
from fastvbench.report._sources import open_sources
from fastvbench.report._tables_csv import csv_table
from fastvbench.report._tables_latex import latex_table
from fastvbench.report._tables_markdown import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SUFFIXES", "check_suffix", "write_report"]

SUFFIXES = {
    ".html": "one page with plots and rows that opens offline",
    ".png": "a picture of the values and their intervals",
    ".md": "a table of models by benchmarks in Markdown",
    ".csv": "the same, a line a model and benchmark",
    ".tex": "the same in LaTeX",
}


_TABLES = {".md": markdown_table, ".csv": csv_table, ".tex": latex_table}


def check_suffix(output: str | os.PathLike[str]) -> str:
    """The ending of a report's name, in lower case.

    Raises:
        InputError: no report ends like that.
    """
    suffix = Path(output).suffix.lower()
    if suffix == ".htm":
        suffix = ".html"
    if suffix not in SUFFIXES:
        raise InputError(
            "no report has this ending", path=output, value=suffix, expected=", ".join(SUFFIXES)
        )
    return suffix


def write_report(
    results: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    title: str | None = None,
    published: bool = False,
    x: str | None = None,
    prices: str | os.PathLike[str] | None = None,
    baseline: str | os.PathLike[str] | None = None,
    names: str | os.PathLike[str] | None = None,
    rule: str | None = None,
    metric: str | None = None,
    mixed: bool = False,
) -> Path:
    """Write a report about one or several results.

    Args:
        results: result files or run folders.
        output: the file; its ending picks the kind of report.
        title: heading of the page; None names the benchmarks.
        published: pages show what others report, and whether it lies in our interval.
        x: pages and pictures show the results as a sweep of this: ``frames``, or the dotted name of
            a number in the runs.
        prices: a JSON file of what models charge: what a question costs, in pages and .csv tables.
        baseline: result of a run that saw no frames; pages show the gain over it.
        names: a JSON file that maps names of models and benchmarks to those that tables show.
        rule: rule set that tables show; None for each benchmark's main one.
        metric: metric that tables show; None for each result's main one.
        mixed: let tables show results of different declarations of a protocol in one column.

    Returns:
        The file written.

    Raises:
        InputError: a result or another file that cannot be read, or an ending that no report has.
        MissingExtraError: the library that draws is not installed.

    Example:
        >>> write_report(["result.json"], "report.html")  # doctest: +SKIP
        PosixPath('report.html')
    """
    paths = [results] if isinstance(results, str | os.PathLike) else list(results)
    suffix = check_suffix(output)
    sources = open_sources(paths)
    options = ReportOptions(
        title, published, x, prices, baseline, names=names, rule=rule, metric=metric, mixed=mixed
    )
    if suffix == ".html":
        from fastvbench.report._report_page import report_page  # noqa: PLC0415

        return write_atomic(output, report_page(sources, options))
    if suffix in _TABLES:
        from fastvbench.report._leaderboard import build_leaderboard  # noqa: PLC0415

        board = build_leaderboard(
            sources,
            names=read_names(names),
            rule=rule,
            metric=metric,
            mixed=mixed,
            prices=read_prices(prices),
        )
        return write_atomic(output, _TABLES[suffix](board))
    from fastvbench.report._picture import report_picture  # noqa: PLC0415

    return write_atomic(output, report_picture(sources, options))
