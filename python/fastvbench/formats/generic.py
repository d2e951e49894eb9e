"""Formats of no particular tool: a map from ids to texts or rows, lists and lines of rows."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import DocumentFamily, Row
from fastvbench.formats._json import pairs_of
from fastvbench.formats._plan import TEXT_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.formats._batch import Json, Path

__all__ = ["ID_TO_ROW", "ID_TO_TEXT", "LVBENCH_SUBMISSION", "MAPS_TO_TEXT", "is_one_row"]


_SCALARS = (str, int, float, NoneType)


def is_one_row(document: Json) -> bool:
    """Whether a JSON object is itself one row of answers, the only one of its file."""
    return (
        isinstance(document, dict)
        and any(key in document for key in ("id", "uid", "question_id", "qid", "data_id", "doc_id"))
        and any(key in document for key in (*TEXT_KEYS, "answer", "filtered_resps"))
    )


def _detects_id_to_text(document: Json) -> bool:
    if not isinstance(document, dict) or not document or is_one_row(document):
        return False
    types = set(map(type, document.values()))
    # Numbers alone are a table of metrics; texts beside them make them answers.
    return all(issubclass(each, _SCALARS) for each in types) and (
        any(issubclass(each, str) for each in types) or types == {NoneType}
    )


def _id_to_text_rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not isinstance(document, dict):
        raise InputError("not a map from ids to texts", path=path, expected='{"id": "text", ...}')
    for number, (key, value) in enumerate(pairs_of(document), start=1):
        if not isinstance(value, _SCALARS):
            raise InputError(
                "rows of mixed shape",
                path=path,
                line=number,
                field=key,
                value=value,
                expected="the model's text as a string",
            )
        yield number, {"id": key, "text": value}


def _detects_id_to_row(document: Json) -> bool:
    if not isinstance(document, dict) or not document:
        return False
    return all(isinstance(value, dict) for value in document.values()) and any(
        isinstance(row.get(key), str) for row in document.values() for key in (*TEXT_KEYS, "answer")
    )


def _id_to_row_rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not isinstance(document, dict):
        raise InputError("not a map from ids to rows", path=path, expected='{"id": {...}, ...}')
    for number, (key, row) in enumerate(pairs_of(document), start=1):
        if not isinstance(row, dict):
            raise InputError(
                "rows of mixed shape", path=path, line=number, value=row, expected="an object"
            )
        yield number, {**row, "id": key}


ID_TO_TEXT = DocumentFamily(
    "id-to-text",
    "one JSON object that maps each id to the model's text",
    _detects_id_to_text,
    _id_to_text_rows,
)
LVBENCH_SUBMISSION = DocumentFamily(
    "lvbench-submission",
    "LVBench's submission: one JSON object that maps each uid to a letter",
    lambda document: False,  # the same shape as id-to-text, which is tried first
    _id_to_text_rows,
)
MAPS_TO_TEXT = (ID_TO_TEXT, LVBENCH_SUBMISSION)
ID_TO_ROW = DocumentFamily(
    "id-to-row",
    "one JSON object that maps each id to a row with response or prediction",
    _detects_id_to_row,
    _id_to_row_rows,
    converted=False,
)
