"""Finished rankings: who was retrieved for each query, as JSON or as a TREC run file.

Rows of JSON Lines or of a JSON array: ``{"id": query, "ranking": [items]}``, with ``scores`` if
they are at hand. A JSON object: ``{query: [items]}``, or ``{query: {item: score}}`` as pytrec_eval
takes it. A TREC run: lines of ``query Q0 item rank score tag``. All of them plain or gzip.

Three orders of the items of one query are in use, and they are not the same:

- ``file``: as they stand in the file.
- ``rank``: by the rank column of a TREC run, ascending.
- ``trec``: by score, descending, and among equal scores by the bytes of the item's id, descending.
  The rank column is ignored. This is what trec_eval scores, and with it everything built on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import Path, as_id
from fastvbench.formats._records import read_text_lines
from fastvbench.formats._shape import (
    QUERY_FIELDS,
    RecordShape,
    field_of,
    iter_json_rows,
    read_unique_map,
    record_shape,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Order", "Rankings", "read_rankings"]

Order = Literal["file", "rank", "trec"]

ITEM_FIELDS = ("ranking", "retrieved", "ids", "results")


@dataclass(frozen=True)
class Rankings:
    """Ranked items of several queries; query i owns ``items[offsets[i]:offsets[i + 1]]``.

    Attributes:
        query_ids: q ids, in the order in which the file first names them.
        items: m ids of retrieved items, best first; no item twice for one query.
        offsets: int64 [q + 1].
        scores: float64 [m]; None where the file has none.
        format: ``json`` or ``trec``.
        order: the order that the items were put in.
    """

    query_ids: list[str]
    items: list[str]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64] | None
    format: Literal["json", "trec"]
    order: Order

    def __len__(self) -> int:
        return len(self.query_ids)

    def of(self, index: int) -> list[str]:
        """The items of query ``index``, best first."""
        return self.items[self.offsets[index] : self.offsets[index + 1]]


def read_rankings(path: Path, *, order: Order | None = None) -> Rankings:
    """Read finished rankings; the format is found by content.

    Args:
        path: JSON Lines, JSON or a TREC run, plain or gzip.
        order: see the head of this module. None takes ``trec`` where trec_eval would (TREC runs and
            ``{item: score}`` objects) and ``file`` elsewhere.

    Raises:
        InputError: a line that is no ranking, an item twice for one query, a query twice, a score
            that is not finite, equal ranks under ``rank``, no scores under ``trec``; with file and
            line.
    """
    if order not in (None, "file", "rank", "trec"):
        raise InputError(
            "unknown order", field="order", value=order, expected="'file', 'rank', 'trec' or None"
        )
    shape = record_shape(path, row_fields=ITEM_FIELDS)
    builder = _Builder(path)
    if shape is RecordShape.TEXT:
        _read_trec(path, builder)
        return builder.finish("trec", order or "trec")
    if shape is RecordShape.MAP:
        is_scored = _read_map(path, builder)
        return builder.finish("json", order or ("trec" if is_scored else "file"))
    for line, row in iter_json_rows(path, shape):
        _add_row(path, line, row, builder)
    return builder.finish("json", order or "file")


def _add_row(path: Path, line: int, row: dict[str, Any], builder: _Builder) -> None:
    query_field = field_of(row, QUERY_FIELDS, path, line)
    item_field = field_of(row, ITEM_FIELDS, path, line)
    query = as_id(row[query_field], path=path, line=line, name=query_field)
    items, scores = row[item_field], row.get("scores")
    if not isinstance(items, list):
        raise InputError(
            "not a ranking",
            path=path,
            line=line,
            field=item_field,
            value=items,
            expected="a list of ids, best first",
        )
    if scores is not None and (not isinstance(scores, list) or len(scores) != len(items)):
        raise InputError(
            "not the scores of this ranking",
            path=path,
            line=line,
            field="scores",
            value=len(scores) if isinstance(scores, list) else scores,
            expected=f"{len(items)} numbers, one for each item",
        )
    builder.start(query, line)
    for i, item in enumerate(items):
        if type(item) is not str or not item.strip():
            item = as_id(item, path=path, line=line, name=item_field)  # noqa: PLW2901
        score = None if scores is None else _score(scores[i], path, line, "scores")
        builder.add(item, score, i, line)


def _read_map(path: Path, builder: _Builder) -> bool:
    """Read {query: [items]} or {query: {item: score}}; tells whether there are scores."""
    is_scored = False
    for number, (query, ranked) in enumerate(read_unique_map(path).items(), start=1):
        builder.start(as_id(query, path=path, line=number, name="query"), number)
        if isinstance(ranked, list):
            for i, item in enumerate(ranked):
                builder.add(as_id(item, path=path, line=number, name=query), None, i, number)
        elif isinstance(ranked, dict):
            is_scored = True
            for i, (item, score) in enumerate(ranked.items()):
                builder.add(item, _score(score, path, number, query), i, number)
        else:
            raise InputError(
                "not a ranking",
                path=path,
                line=number,
                field=query,
                value=ranked,
                expected="a list of ids, or an object of scores by id",
            )
    return is_scored


def _read_trec(path: Path, builder: _Builder) -> None:
    for line, text in read_text_lines(path):
        if text.lstrip().startswith("#"):  # trec_eval passes over them too
            continue
        fields = text.split()
        if len(fields) != 6:
            raise InputError(
                "not a line of a TREC run",
                path=path,
                line=line,
                value=text,
                expected="6 fields: query Q0 item rank score tag",
            )
        query, _, item, rank, score, _ = fields
        try:
            rank_number = int(rank)
        except ValueError:
            raise InputError(
                "not a rank",
                path=path,
                line=line,
                field="rank",
                value=rank,
                expected="a whole number",
            ) from None
        builder.resume(query, line)
        builder.add(item, _score(score, path, line, "score"), rank_number, line)


def _score(value: object, path: Path, line: int, field: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise InputError(
            "not a score",
            path=path,
            line=line,
            field=field,
            value=value,
            expected="a finite number",
        )
    return number


@dataclass
class _Query:
    line: int
    items: dict[str, int]  # in the order of the file, with their ranks
    scores: list[float]


class _Builder:
    """Gathers the items of each query and puts them in order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queries: dict[str, _Query] = {}
        self._current = _Query(0, {}, [])

    def start(self, query: str, line: int) -> None:
        """Begin a query that may occur once."""
        before = self._queries.get(query)
        if before is not None:
            raise InputError(
                f"a query that line {before.line} ranks too",
                path=self._path,
                line=line,
                value=query,
                expected="each query once",
            )
        self.resume(query, line)

    def resume(self, query: str, line: int) -> None:
        """Begin a query, or go on with it."""
        self._current = self._queries.setdefault(query, _Query(line, {}, []))

    def add(self, item: str, score: float | None, rank: int, line: int) -> None:
        """Add an item to the current query."""
        query = self._current
        if item in query.items:
            raise InputError(
                "an item that its query already has",
                path=self._path,
                line=line,
                value=item,
                expected="each item once for a query",
            )
        query.items[item] = rank
        if score is not None:
            query.scores.append(score)

    def finish(self, file_format: Literal["json", "trec"], order: Order) -> Rankings:
        """All queries as columns."""
        if not self._queries:
            raise InputError("holds no rankings", path=self._path, expected="at least one query")
        item_count = sum(len(query.items) for query in self._queries.values())
        score_count = sum(len(query.scores) for query in self._queries.values())
        if 0 < score_count < item_count:
            unscored = next(q for q in self._queries.values() if len(q.scores) < len(q.items))
            raise InputError(
                "some rankings have scores and this one has none",
                path=self._path,
                line=unscored.line,
                expected="scores for all or for none",
            )
        if order == "trec" and score_count < item_count:
            raise InputError(
                "no scores to order by", path=self._path, expected="scores, or order='file'"
            )
        items: list[str] = []
        scores: list[float] = []
        counts = [0]
        for query_id, query in self._queries.items():
            names = list(query.items)
            for i in self._in_order(query_id, query, names, order):
                items.append(names[i])
                if score_count:
                    scores.append(query.scores[i])
            counts.append(len(names))
        return Rankings(
            query_ids=list(self._queries),
            items=items,
            offsets=np.cumsum(counts, dtype=np.int64),
            scores=np.array(scores, np.float64) if score_count else None,
            format=file_format,
            order=order,
        )

    def _in_order(
        self, query_id: str, query: _Query, names: list[str], order: Order
    ) -> Sequence[int]:
        if order == "trec":
            keys = [(query.scores[i], _bytes_of(name)) for i, name in enumerate(names)]
            return sorted(range(len(names)), key=keys.__getitem__, reverse=True)
        if order == "rank":
            ranks = list(query.items.values())
            if len(set(ranks)) != len(ranks):
                raise InputError(
                    f"query {query_id!r} has two items of one rank",
                    path=self._path,
                    line=query.line,
                    expected="distinct ranks, or order='trec' or 'file'",
                )
            return sorted(range(len(names)), key=ranks.__getitem__)
        return range(len(names))


def _bytes_of(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
