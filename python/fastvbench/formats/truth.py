"""What is relevant for each query, as JSON or as TREC relevance judgements (qrels).

Rows of JSON Lines or of a JSON array: ``{"id": query, "relevant": item or [items]}``. A JSON
object: ``{query: item}``, ``{query: [items]}`` or ``{query: {item: grade}}``. TREC qrels: lines of
``query iteration item grade``. All of them plain or gzip. An item is relevant if its grade is above
zero.
"""

from __future__ import annotations

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
    from numpy.typing import NDArray

__all__ = ["Truth", "read_truth"]

ITEM_FIELDS = ("relevant", "relevant_ids", "positives", "target")


@dataclass(frozen=True)
class Truth:
    """Relevant items of several queries; query i owns ``items[offsets[i]:offsets[i + 1]]``.

    Attributes:
        query_ids: q ids, in the order in which the file first names them.
        items: m ids of relevant items; at least one for each query, none twice for one query.
        offsets: int64 [q + 1].
        format: ``json`` or ``qrels``.
        queries_without_relevant: how many queries were left out because all their grades are zero
            or less, as trec_eval leaves them out.
    """

    query_ids: list[str]
    items: list[str]
    offsets: NDArray[np.int64]
    format: Literal["json", "qrels"]
    queries_without_relevant: int = 0

    def __len__(self) -> int:
        return len(self.query_ids)

    def of(self, index: int) -> list[str]:
        """The relevant items of query ``index``."""
        return self.items[self.offsets[index] : self.offsets[index + 1]]


def read_truth(path: Path) -> Truth:
    """Read which items are relevant; the format is found by content.

    Raises:
        InputError: a line that is none of these, a query twice (JSON), an item twice for one query,
            a query with an empty list, no query with a relevant item; with file and line.
    """
    shape = record_shape(path, row_fields=ITEM_FIELDS)
    builder = _Builder(path)
    if shape is RecordShape.TEXT:
        _read_qrels(path, builder)
        return builder.finish("qrels")
    if shape is RecordShape.MAP:
        for number, (query, relevant) in enumerate(read_unique_map(path).items(), start=1):
            query_id = as_id(query, path=path, line=number, name="query")
            builder.start(query_id, number)
            builder.add_all(query_id, relevant, number, query)
        return builder.finish("json")
    for line, row in iter_json_rows(path, shape):
        query_field = field_of(row, QUERY_FIELDS, path, line)
        item_field = field_of(row, ITEM_FIELDS, path, line)
        query_id = as_id(row[query_field], path=path, line=line, name=query_field)
        builder.start(query_id, line)
        builder.add_all(query_id, row[item_field], line, item_field)
    return builder.finish("json")


def _read_qrels(path: Path, builder: _Builder) -> None:
    for line, text in read_text_lines(path):
        fields = text.split()
        if len(fields) != 4:
            raise InputError(
                "not a line of TREC qrels",
                path=path,
                line=line,
                value=text,
                expected="4 fields: query iteration item grade",
            )
        query, _, item, grade = fields
        builder.resume(query, line)
        builder.add(query, item, line)
        builder.grade(query, item, _grade(grade, path, line, "grade"))


def _grade(value: object, path: Path, line: int, field: str) -> int:
    if isinstance(value, int | str) and not isinstance(value, bool):
        try:
            return int(value)
        except ValueError:
            pass
    raise InputError(
        "not a grade",
        path=path,
        line=line,
        field=field,
        value=value,
        expected="a whole number; above zero is relevant",
    )


class _Builder:
    """Gathers the items of each query with their grades."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._grades: dict[str, dict[str, int]] = {}
        self._lines: dict[str, int] = {}

    def start(self, query: str, line: int) -> None:
        """Begin a query that may occur once."""
        if query in self._lines:
            raise InputError(
                f"a query that line {self._lines[query]} judges too",
                path=self._path,
                line=line,
                value=query,
                expected="each query once",
            )
        self.resume(query, line)

    def resume(self, query: str, line: int) -> None:
        """Begin a query, or go on with it."""
        self._grades.setdefault(query, {})
        self._lines.setdefault(query, line)

    def add(self, query: str, item: str, line: int) -> None:
        """Add an item to a query, relevant until a grade says otherwise."""
        if item in self._grades[query]:
            raise InputError(
                "an item that its query already has",
                path=self._path,
                line=line,
                value=item,
                expected="each item once for a query",
            )
        self._grades[query][item] = 1

    def add_all(self, query: str, relevant: object, line: int, field: str) -> None:
        """Add what JSON says of a query: one item, a list of them, or their grades."""
        if isinstance(relevant, dict):
            for item, grade in relevant.items():
                self.add(query, as_id(item, path=self._path, line=line, name=field), line)
                self.grade(query, item, _grade(grade, self._path, line, field))
            return
        items: list[Any] = relevant if isinstance(relevant, list) else [relevant]
        if not items:
            raise InputError(
                "a query without a relevant item",
                path=self._path,
                line=line,
                field=field,
                value=items,
                expected="at least one id",
            )
        for item in items:
            self.add(query, as_id(item, path=self._path, line=line, name=field), line)

    def grade(self, query: str, item: str, grade: int) -> None:
        """Say how relevant an item is."""
        self._grades[query][item] = grade

    def finish(self, file_format: Literal["json", "qrels"]) -> Truth:
        """All queries that have a relevant item, as columns."""
        relevant = {
            query: [item for item, grade in grades.items() if grade > 0]
            for query, grades in self._grades.items()
        }
        kept = {query: items for query, items in relevant.items() if items}
        if not kept:
            raise InputError(
                "holds no relevant items", path=self._path, expected="at least one query with one"
            )
        counts = [0, *map(len, kept.values())]
        return Truth(
            query_ids=list(kept),
            items=[item for items in kept.values() for item in items],
            offsets=np.cumsum(counts, dtype=np.int64),
            format=file_format,
            queries_without_relevant=len(relevant) - len(kept),
        )
