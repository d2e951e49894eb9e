"""The rows of a result as a page's table takes them: columns, packed, within a number of bytes."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import STATUS_NAMES
from fastvbench.report._meanings import STATUS_MEANINGS
from fastvbench.results._samples import letter_text
from fastvbench.results._strict_json import json_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.report._view import ResultView
    from fastvbench.results._samples import SampleTable
    from fastvbench.results._strata import Stratum

__all__ = ["PackedRows", "pack_rows", "read_text", "utf16_span"]

_EXCERPT_STEPS = (2000, 1000, 500, 250, 120, 60, 0)
_LONGEST_READ = 200
_LONGEST_GOLD = 300
_PATCH_SHARE = 0.5
_Column = list[Any]


@dataclass(frozen=True, slots=True)
class PackedRows:
    """Rows, gzipped and in base64: the columns, which are small, apart from what was said.

    Attributes:
        columns: everything but texts and spans, so that a page can show rows at once.
        texts: texts and spans.
        count: rows.
        excerpt_characters: longest excerpt that is in it; what was longer is cut.
    """

    columns: str
    texts: str
    count: int
    excerpt_characters: int


def pack_rows(view: ResultView, *, most_bytes: int) -> PackedRows:
    """Pack the rows of a result; excerpts are cut until they fit.

    Args:
        view: a result with rows.
        most_bytes: room for the packed text.
    """
    rows = view.rows if view.every_row is None else view.every_row
    assert rows is not None
    columns = _packed(_columns(view, rows))
    spans = _spans(rows)
    for most in _EXCERPT_STEPS:
        texts = [text if text is None else text[:most] for text in rows.excerpts]
        packed = _packed({"texts": texts, "spans": spans})
        if len(columns) + len(packed) <= most_bytes:
            break
    return PackedRows(columns, packed, len(rows), most)


def _packed(data: dict[str, Any]) -> str:
    # Level 5: the last percent of size is not worth twice the time.
    packed = gzip.compress(json_line(data), compresslevel=5, mtime=0)
    return base64.b64encode(packed).decode("ascii")


def _columns(view: ResultView, rows: SampleTable) -> dict[str, Any]:
    """Everything but texts and spans."""
    metric = view.metric(view.main_metric)
    rules = []
    first: dict[str, _Column] = {}
    for name, held in rows.rules.items():
        key = view.main_metric
        if key not in held.scores:
            key = next(iter(held.scores))
        scale, digits = view.metric(key).scale, view.metric(key).decimals
        column = {
            "status": held.status.tolist(),
            "read": [read_text(value) for value in held.reads],
            "score": _rounded(held.scores[key] * scale, digits),
        }
        if not first:
            first = column
            rules.append({"name": name, **column})
        else:
            rules.append({"name": name} | {k: _patch(first[k], v) for k, v in column.items()})
    videos: dict[str, int] = {}
    codes = [videos.setdefault(video, len(videos)) for video in rows.clusters]
    return {
        "count": len(rows),
        "ids": rows.ids,
        "videos": {"names": list(videos), "codes": codes},
        "statuses": list(STATUS_NAMES),
        "meanings": STATUS_MEANINGS,
        "rules": rules,
        "gold": _gold_texts(rows),
        "strata": [
            {
                "name": name.replace("_", " "),
                "categories": list(stratum.categories),
                "codes": _codes(stratum, len(rows)),
            }
            for name, stratum in rows.strata.items()
        ],
        "differs": _differing(rows).astype(np.int8).tolist(),
        "score_name": metric.title,
        "full_score": metric.scale,
        "facts": _facts(rows),
    }


def _rounded(values: npt.NDArray[np.float64], digits: int) -> _Column:
    """Numbers as JSON takes them; None where a row does not count or has no rank."""
    shown = np.round(values, digits)
    return [None if not np.isfinite(v) else int(v) if v == int(v) else v for v in shown.tolist()]


def _patch(main: _Column, column: _Column) -> object:
    """A column as its difference from the main one: None, where they differ, or whole."""
    at = [i for i, (a, b) in enumerate(zip(main, column, strict=True)) if a != b]
    if not at:
        return None
    if len(at) > _PATCH_SHARE * len(main):
        return column
    return {"at": at, "is": [column[i] for i in at]}


def _shorter(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _times(pairs: Sequence[Sequence[float]]) -> str:
    return ", ".join(f"{_seconds(pair[0])}-{_seconds(pair[1])} s" for pair in pairs[:8]) + (
        f" and {len(pairs) - 8} more" if len(pairs) > 8 else ""
    )


def _seconds(value: float) -> str:
    """To a hundredth, without trailing noughts: finer than any annotation."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def read_text(value: object) -> str | None:
    """What a rule set read, as people write it."""
    if value is None:
        return None
    if isinstance(value, dict):
        parts = [read_text(held) for held in value.values()]
        return " · ".join(part for part in parts if part) or None
    if isinstance(value, list):
        if not value:
            return None
        if all(isinstance(v, list) and len(v) >= 2 for v in value):
            return _shorter(_times(value), _LONGEST_READ)
        return _shorter(", ".join(str(v) for v in value), _LONGEST_READ)
    return _shorter(str(value), _LONGEST_READ)


def _gold_texts(rows: SampleTable) -> list[str | None]:
    gold = rows.gold
    letters = [None] * len(rows) if gold.letters is None else list(map(letter_text, gold.letters))
    pairs = [[]] * len(rows) if gold.intervals is None else gold.intervals.rows()
    texts = []
    for letter, answers, times, relevant in zip(
        letters, gold.answers, pairs, gold.relevant, strict=True
    ):
        parts = [letter] if letter else []
        parts += [" | ".join(answers[:5])] if answers else []
        parts += [_times(times)] if times else []
        parts += [", ".join(relevant[:5])] if relevant else []
        texts.append(_shorter(" · ".join(parts), _LONGEST_GOLD) or None)
    return texts


def _codes(stratum: Stratum, count: int) -> list[Any]:
    """The category of each row, a list where it is in several or in none."""
    if len(stratum.rows) == count and np.array_equal(stratum.rows, np.arange(count)):
        return list(stratum.category.tolist())
    codes: list[Any] = [[] for _ in range(count)]
    for row, code in zip(stratum.rows.tolist(), stratum.category.tolist(), strict=True):
        codes[row].append(code)
    return [held[0] if len(held) == 1 else held for held in codes]


def _differing(rows: SampleTable) -> npt.NDArray[np.bool_]:
    """bool[n]: a metric that all rule sets have is not the same under all of them."""
    held = list(rows.rules.values())
    differs = np.zeros(len(rows), dtype=np.bool_)
    for key in set.intersection(*(set(rule.scores) for rule in held)):
        first = held[0].scores[key]
        for rule in held[1:]:
            other = rule.scores[key]
            same = np.isclose(first, other, rtol=0, atol=1e-9, equal_nan=True)
            differs |= ~same
    return differs


def _facts(rows: SampleTable) -> list[dict[str, Any]]:
    """Further columns that a row's own view shows, where they say anything."""
    gold = rows.gold
    columns: dict[str, Sequence[Any] | None] = {
        "run": rows.runs,
        "setting": rows.settings,
        "finish reason": rows.finish_reasons,
        "frames": _rounded(rows.frame_counts, 0) if len(rows.frame_counts) else None,
        "video length (s)": _rounded(gold.durations_seconds, 3),
        "evidence from (s)": _rounded(gold.evidence_seconds[:, 0], 3),
        "evidence to (s)": _rounded(gold.evidence_seconds[:, 1], 3),
    }
    return [
        {"name": name, "values": list(values)}
        for name, values in columns.items()
        if values is not None and any(value is not None for value in values)
    ]


# ---- spans: bytes of UTF-8 here, UTF-16 units in a browser ---------------------------------------


def utf16_span(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where a span of UTF-8 bytes lies in a text as browsers count it.

    Args:
        text: the beginning of what was read from.
        begin: first byte.
        end: byte after the last.

    Returns:
        First UTF-16 unit and the one after the last; the first is at the text's end or beyond
        where the span lies beyond the text.
    """
    if text.isascii():
        return begin, end
    units = []
    encoded = text.encode("utf-8", "surrogatepass")
    for place in (begin, end):
        if place > len(encoded):
            units.append(place)  # beyond: any number past the end says so
            continue
        before = encoded[:place].decode("utf-8", "ignore")
        units.append(len(before) + sum(character > "\uffff" for character in before))
    return units[0], units[1]


def _spans(rows: SampleTable) -> list[list[int] | None]:
    """By rule set, begin and end of each row's span in UTF-16 units, one after the other.

    A rule set whose spans are the main one's has None; an empty list says that none are known.
    """
    spans: list[list[int] | None] = []
    for held in rows.rules.values():
        flat: list[int] = []
        if (held.spans[:, 0] >= 0).any():
            for text, (begin, end) in zip(rows.excerpts, held.spans.tolist(), strict=True):
                flat.extend((-1, -1) if begin < 0 or text is None else utf16_span(text, begin, end))
        spans.append(None if spans and flat == spans[0] else flat)
    return spans
