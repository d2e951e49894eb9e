"""Which queries are expected, and which rows of the gallery each of them should find."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fastvbench.protocols._retrieval_rule import Direction

__all__ = ["CaptionTexts", "Pairs", "QuerySide", "pair"]

Indices = npt.NDArray[np.int64]


@dataclass(slots=True)
class CaptionTexts:
    """Captions of a benchmark: the item that each describes, its text, and the item's video."""

    ids: list[str]
    texts: list[str] | None = None
    videos: Sequence[str] | None = None


@dataclass(slots=True)
class QuerySide:
    """What is known of the queries that were run.

    Attributes:
        ids: id of each row; rows of one id are queries of their own (several captions an item).
        texts: caption of each row, where known.
        token_counts: tokens of each row's caption, where known.
    """

    ids: list[str]
    texts: Sequence[str | None] | None = None
    token_counts: npt.NDArray[np.int64] | None = None


@dataclass(slots=True)
class Pairs:
    """q expected queries of one direction, and the m relevant items of all of them.

    Query i owns the items ``offsets[i]:offsets[i + 1]``; item j may be found at any of the gallery
    rows ``item_rows[row_offsets[j]:row_offsets[j + 1]]``, and is absent from the gallery where it
    has none.

    Attributes:
        names: the queries' names, each once: the id, with ``#2`` and so on where ids repeat.
        rows: int64[q], row of the query side, -1 where the query was never run.
        relevant: ids of the relevant items of each query, in the order given.
        offsets: int64[q + 1].
        first_of_query: bool[m], items of the id that a query's truth names first.
        item_ids: id of each of the m items.
        item_copies: int64[m], number of an item among those of its query and id, from 0.
        row_offsets: int64[m + 1].
        item_rows: int64, rows of the gallery.
        texts: caption of each query, where known.
        token_counts: float64[q], NaN where unknown.
        unexpected: rows of the query side that belong to no expected query.
        unexpected_examples: ids of some of them.
    """

    names: list[str] = field(default_factory=list)
    rows: Indices = field(default_factory=lambda: np.zeros(0, np.int64))
    relevant: list[list[str]] = field(default_factory=list)
    offsets: Indices = field(default_factory=lambda: np.zeros(1, np.int64))
    first_of_query: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    item_ids: list[str] = field(default_factory=list)
    item_copies: Indices = field(default_factory=lambda: np.zeros(0, np.int64))
    row_offsets: Indices = field(default_factory=lambda: np.zeros(1, np.int64))
    item_rows: Indices = field(default_factory=lambda: np.zeros(0, np.int64))
    texts: list[str | None] = field(default_factory=list)
    token_counts: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    unexpected: int = 0
    unexpected_examples: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(slots=True)
class _Expected:
    """One query that the denominator holds: its id, row, relevant ids, and caption if known."""

    ident: str
    row: int
    relevant: Sequence[str]
    text: str | None = None


def pair(
    queries: QuerySide,
    gallery_ids: Sequence[str] | None,
    direction: Direction | None,
    truth: Mapping[str, Sequence[str]] | None,
    captions: CaptionTexts | None,
    *,
    copies: Mapping[str, int] | None = None,
) -> Pairs:
    """Say who should find what.

    The truth is, in this order: the ids that `truth` lists for a query; where captions are
    searched, every caption of the query's item; else the item of the query's own id.

    Expected queries are, in this order: those of `truth`; the captions (where they are the
    queries) or the captioned items (where captions are searched), whether they were run or not;
    else every query that was run.

    Args:
        queries: what was run.
        gallery_ids: id of each gallery row; None for finished rankings.
        direction: None where the caller did not say.
        truth: relevant item ids by query id.
        captions: the benchmark's captions.
        copies: how many captions of each item are searched, where neither `gallery_ids` nor
            `captions` tells.
    """
    captions_searched = direction is not None and not direction.from_text
    rows_of_query = _rows_by_id(queries.ids)
    if truth is not None:
        expected = list(_from_truth(truth, rows_of_query))
    elif captions_searched:
        expected = list(_from_captioned(captions, gallery_ids, rows_of_query))
    elif captions is not None:
        expected = list(_from_captions(captions, rows_of_query))
    else:
        expected = [_Expected(ident, row, [ident]) for row, ident in enumerate(queries.ids)]
    if not captions_searched:
        copies = None
    elif captions is not None:
        copies = Counter(captions.ids)
    pairs = _with_items(expected, gallery_ids, copies, each_row=captions_searched)
    _describe(pairs, expected, queries)
    return pairs


def _rows_by_id(ids: Iterable[str]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, ident in enumerate(ids):
        rows.setdefault(ident, []).append(row)
    return rows


def _from_truth(
    truth: Mapping[str, Sequence[str]], rows_of_query: Mapping[str, list[int]]
) -> Iterator[_Expected]:
    for ident, relevant in truth.items():
        for row in rows_of_query.get(ident, [-1]):
            yield _Expected(ident, row, list(dict.fromkeys(relevant)))


def _from_captioned(
    captions: CaptionTexts | None,
    gallery_ids: Sequence[str] | None,
    rows_of_query: Mapping[str, list[int]],
) -> Iterator[_Expected]:
    """Every item that has a caption; an item without one is nobody's query."""
    if captions is not None:
        captioned: Iterable[str] = captions.ids
    else:
        captioned = rows_of_query if gallery_ids is None else gallery_ids
    for ident in dict.fromkeys(captioned):
        for row in rows_of_query.get(ident, [-1]):
            yield _Expected(ident, row, [ident])


def _from_captions(
    captions: CaptionTexts, rows_of_query: Mapping[str, list[int]]
) -> Iterator[_Expected]:
    """Every caption: the n-th of an item is the n-th row of that id."""
    seen: Counter[str] = Counter()
    for place, ident in enumerate(captions.ids):
        rows = rows_of_query.get(ident, [])
        number = seen[ident]
        seen[ident] += 1
        text = None if captions.texts is None else captions.texts[place]
        yield _Expected(ident, rows[number] if number < len(rows) else -1, [ident], text)


def _with_items(
    expected: Sequence[_Expected],
    gallery_ids: Sequence[str] | None,
    copies: Mapping[str, int] | None,
    *,
    each_row: bool,
) -> Pairs:
    """The relevant items of each query, and their rows.

    Args:
        expected: the queries.
        gallery_ids: id of each gallery row, None for finished rankings.
        copies: captions of each item, where captions are searched and known.
        each_row: each gallery row of an id is an item of its own (captions); else the rows of an
            id are one item.
    """
    rows_of_item = {} if gallery_ids is None else _rows_by_id(gallery_ids)
    offsets, row_offsets, item_rows = [0], [0], []
    item_ids: list[str] = []
    item_copies: list[int] = []
    first: list[bool] = []
    for query in expected:
        for place, ident in enumerate(query.relevant):
            rows = rows_of_item.get(ident, [])
            groups = [[row] for row in rows] if each_row else [rows]
            wanted = max(len(groups), 1 if copies is None else copies.get(ident, 1))
            for number in range(wanted):
                item_rows.extend(groups[number] if number < len(groups) else [])
                row_offsets.append(len(item_rows))
                item_ids.append(ident)
                item_copies.append(number)
                first.append(place == 0)
        offsets.append(len(item_ids))
    return Pairs(
        relevant=[list(query.relevant) for query in expected],
        offsets=np.array(offsets, dtype=np.int64),
        first_of_query=np.array(first, dtype=np.bool_),
        item_ids=item_ids,
        item_copies=np.array(item_copies, dtype=np.int64),
        row_offsets=np.array(row_offsets, dtype=np.int64),
        item_rows=np.array(item_rows, dtype=np.int64),
    )


def _describe(pairs: Pairs, expected: Sequence[_Expected], queries: QuerySide) -> None:
    """Fill in names, rows, captions, and what was run beside the expected queries."""
    seen: Counter[str] = Counter()
    for query in expected:
        seen[query.ident] += 1
        number = seen[query.ident]
        pairs.names.append(query.ident if number == 1 else f"{query.ident}#{number}")
        text = query.text
        if text is None and queries.texts is not None and query.row >= 0:
            text = queries.texts[query.row]
        pairs.texts.append(text)
    pairs.rows = np.array([query.row for query in expected], dtype=np.int64)
    pairs.token_counts = np.full(len(expected), np.nan)
    if queries.token_counts is not None:
        run = pairs.rows >= 0
        pairs.token_counts[run] = queries.token_counts[pairs.rows[run]]
    used = np.zeros(len(queries.ids), dtype=np.bool_)
    used[pairs.rows[pairs.rows >= 0]] = True
    unused = np.flatnonzero(~used)
    pairs.unexpected = len(unused)
    pairs.unexpected_examples = [queries.ids[row] for row in unused[:5].tolist()]
