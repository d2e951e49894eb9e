"""One HTML file that needs no network: styles, scripts and data are in it.

A content security policy names the scripts of this file by their hashes and forbids everything
else, so that nothing is loaded and no text of a model can become a script, whatever it holds.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

from fastvbench.report._html import escape, json_block, table
from fastvbench.report.charts._bokeh import plot_data, script_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastvbench.report._payload import PackedRows
    from fastvbench.report.charts._chart import Chart

__all__ = ["Page"]


def _asset(name: str) -> str:
    return (files("fastvbench.report") / "assets" / name).read_text(encoding="utf-8")


@dataclass
class Page:
    """A page under construction.

    Attributes:
        title: of the page and its first heading.
        about: a line below the heading.
    """

    title: str
    about: str
    _parts: list[tuple[str, str]] = field(default_factory=list)
    _body: list[str] = field(default_factory=list)
    _blocks: list[str] = field(default_factory=list)
    _plots: int = 0
    _tables: int = 0
    _folded: bool = False

    def part(self, title: str) -> None:
        """Begin a part; the navigation names it, unless it is inside another one."""
        if self._folded:
            self._body.append(f'<h3 class="part">{escape(title)}</h3>')
            return
        self._body.append(f'<h2 id="{self._listed(title)}">{escape(title)}</h2>')

    def _listed(self, title: str) -> str:
        """An anchor that the navigation names."""
        anchor = f"part-{len(self._parts) + 1}"
        self._parts.append((anchor, title))
        return anchor

    def fold(self, title: str) -> None:
        """Begin one result of several: it opens when it is wanted, and is drawn only then."""
        self.unfold()
        self._body.append(
            f'<details class="result" id="{self._listed(title)}"><summary><h2>{escape(title)}</h2>'
            "</summary>"
        )
        self._folded = True

    def unfold(self) -> None:
        """End the result that `fold` began, if any."""
        if self._folded:
            self._body.append("</details>")
            self._folded = False

    def add(self, html: str) -> None:
        """Add HTML that is safe already."""
        self._body.append(html)

    def charts(self, charts: Iterable[Chart]) -> None:
        """Add charts side by side where there is room."""
        figures = [self._chart(chart) for chart in charts]
        if figures:
            self._body.append(f'<div class="charts">{"".join(figures)}</div>')

    def _chart(self, chart: Chart) -> str:
        self._plots += 1
        name = f"plot-{self._plots}"
        plot = plot_data(chart)
        self._blocks.append(
            f'<script type="application/json" id="{name}-data">{json_block(plot.json)}</script>'
        )
        return (
            f'<figure class="chart" role="group" aria-labelledby="{name}-title">'
            f'<h3 id="{name}-title">{escape(chart.title)}</h3>'
            f'<p class="says" id="{name}-says">{escape(chart.description)}</p>'
            f'<div class="plot" role="img" aria-labelledby="{name}-title" '
            f'aria-describedby="{name}-says" data-plot="{name}-data" '
            f'style="min-height:{plot.height_pixels}px"></div>'
            f"<details><summary>Numbers<span hidden> of {escape(chart.title)}</span></summary>"
            f"{table(chart.table(), caption=chart.title)}</details></figure>"
        )

    def rows(self, packed: PackedRows, *, label: str, score_name: str) -> None:
        """Add a table of rows with its filters."""
        self._tables += 1
        name = f"rows-{self._tables}"
        self._blocks.append(
            f'<script type="application/octet-stream" id="{name}-data">{packed.columns}</script>'
            f'<script type="application/octet-stream" id="{name}-texts">{packed.texts}</script>'
        )
        heads = (
            ("id", "id", "id"),
            ("video", "video", "video"),
            ("status", "status", "status"),
            ("gold", "gold", "gold"),
            ("read", "read", "read"),
            ("score", "score", score_name),
            ("excerpt", "excerpt", "what the model said"),
        )
        buttons = "".join(
            f'<div role="columnheader" class="{kind}" data-key="{key}" aria-sort="none">'
            f'<button type="button">{escape(title)}</button></div>'
            for key, kind, title in heads
        )
        self._body.append(
            f'<section class="rows" id="{name}" aria-label="Rows of '
            f'{escape(label)}"><form class="filters" role="search" aria-label="Filter the rows">'
            '<label>Search<input name="search" type="search" autocomplete="off" '
            'placeholder="id, video, gold or text"></label>'
            '<label>Status<select name="status"></select></label>'
            '<label>Outcome<select name="outcome"><option value="">every outcome</option>'
            '<option value="right">full score</option><option value="wrong">score 0</option>'
            '<option value="between">in between</option>'
            '<option value="uncounted">not counted</option>'
            '<option value="differs">rule sets differ</option></select></label>'
            '<label>Group by<select name="stratum"></select></label>'
            '<label>Group<select name="category" disabled></select></label>'
            '<label>Rule set<select name="rule"></select></label>'
            '<button type="reset">Reset</button></form>'
            '<p class="count" role="status" aria-live="polite">Reading the rows …</p>'
            f'<p class="soft keys" id="{name}-keys">Arrow keys move, Enter opens a row; '
            "a column's head sorts.</p>"
            f'<div class="grid" role="grid" tabindex="0" aria-label="Rows of {escape(label)}" '
            f'aria-describedby="{name}-keys" aria-colcount="{len(heads)}">'
            f'<div class="heads" role="row" aria-rowindex="1">{buttons}</div>'
            '<div class="window" role="rowgroup" tabindex="-1">'
            '<div class="space" role="presentation"></div></div></div>'
            '<div class="detail" role="region" aria-label="One row" tabindex="-1" hidden></div>'
            "</section>"
        )

    def html(self) -> str:
        """The finished page."""
        self.unfold()
        # Rows come first: the drawing library is large, and they don't wait for it.
        scripts = [_asset("rows.js")] if self._tables else []
        scripts += [script_text(), _asset("page.js")]
        hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
        policy = (
            f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
            "img-src data: blob:; base-uri 'none'; form-action 'none'"
        )
        links = "".join(
            f'<li><a href="#{anchor}">{escape(title)}</a></li>' for anchor, title in self._parts
        )
        # Scripts come last: the words are there before anything runs.
        running = "".join(f"<script>{script}</script>" for script in scripts)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="referrer" content="no-referrer">'
            '<link rel="icon" href="data:,">'
            f"<title>{escape(self.title)}</title><style>{_asset('page.css')}</style></head>"
            '<body><a class="skip" href="#main">To the content</a>'
            f'<header class="top"><div class="wrap"><div><h1>{escape(self.title)}</h1>'
            f'<p class="soft">{escape(self.about)}</p></div>'
            '<button class="theme" type="button">Colours: auto</button></div></header>'
            f'<nav class="parts" aria-label="Parts of this report"><div class="wrap">'
            f'<ul>{links}</ul></div></nav><main id="main" class="wrap" tabindex="-1">'
            f"{''.join(self._body)}</main>"
            '<footer><div class="wrap">Made by fastvbench. This file needs no network and sends '
            "nothing.</div></footer>"
            "<noscript><p>Plots and the table of rows need JavaScript; every plot's numbers are in "
            "the table below it.</p></noscript>"
            f"{''.join(self._blocks)}{running}</body></html>\n"
        )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
