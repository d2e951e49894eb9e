"""Small pieces of HTML from untrusted text: everything is escaped, nothing is hidden."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from fastvbench.results._strict_json import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastvbench.report.charts._chart import ChartTable

__all__ = ["escape", "facts", "json_block", "table"]

# Characters that hide text or change its direction: shown by their codes, as the page's script
# does for the rows.
_HIDING = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def escape(text: object) -> str:
    """A text as HTML shows it, hiding characters by their codes."""
    escaped = html.escape(printable(str(text)), quote=True)
    return _HIDING.sub(lambda found: f"[U+{ord(found.group()):04X}]", escaped)


def json_block(text: str) -> str:
    """JSON that can stand in a script element: no tag can begin or end inside it."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def table(
    held: ChartTable,
    *,
    caption: str = "",
    words: Sequence[int] = (),
    stacked: bool = False,
    classes: dict[tuple[int, int], str] | None = None,
) -> str:
    """A table that scrolls sideways by itself where a phone is narrower.

    Args:
        held: header and cells.
        caption: what it holds.
        words: columns of running text.
        stacked: put the cells of a row below each other on a phone.
        classes: class of single cells, by row and column.
    """
    marked = classes or {}
    head = "".join(
        f'<th scope="col"{_class(i in words)}>{escape(title)}</th>'
        for i, title in enumerate(held.header)
    )
    body = []
    for number, row in enumerate(held.rows):
        cells = []
        for i, cell in enumerate(row):
            name = marked.get((number, i), "words" if i in words else "")
            kind = f' class="{name}"' if name else ""
            cells.append(
                f'<th scope="row"{kind}>{escape(cell)}</th>'
                if i == 0
                else f"<td{kind}>{escape(cell)}</td>"
            )
        body.append(f"<tr>{''.join(cells)}</tr>")
    tall = " tall" if len(held.rows) > 14 else ""
    title = f"<caption><span>{escape(caption)}</span></caption>" if caption else ""
    label = f' aria-label="{escape(caption)}"' if caption else ""
    kind = ' class="stacked"' if stacked else ""
    return (
        f'<div class="scroll{tall}" tabindex="0" role="group"{label}><table{kind}>{title}'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _class(is_words: bool) -> str:
    return ' class="words"' if is_words else ""


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Names and what they are."""
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
        + "</dl>"
    )
