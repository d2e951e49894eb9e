"""VLMEvalKit: the table of a data set with a column ``prediction`` (xlsx, tsv, csv or json)."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import Row, RowFamily, first_present, needed_id

if TYPE_CHECKING:
    from fastvbench.formats._batch import Path

__all__ = ["VLMEVALKIT"]

_API_FAILURE = "Failed to obtain answer via API"  # written in place of an answer

_FIELDS = {
    "question_id": ("question_id", "id"),
    "video": ("video", "video_path"),
    "query": ("question",),
    "gold": ("answer", "correct_choice"),
    "question_type": ("task_type", "question_type", "category", "question_category"),
    "answer_type": ("answer_type",),
    "precision": ("precision",),
    "split": ("split",),
    "task": ("task",),
    "context": ("context",),
    "grade": ("grade",),
    "skills": ("skills",),
    "category": ("category",),
    "source": ("source",),
    "language": ("language",),
    "duration": ("duration",),
    "domain": ("domain",),
    "sub_category": ("sub_category",),
    "duration_group": ("duration_group",),
    "topic_category": ("topic_category",),
    "level": ("level",),
}


def _detects(row: Row) -> bool:
    return "index" in row and "prediction" in row and ("question" in row or "answer" in row)


def _convert(row: Row, path: Path, line: int) -> Row:
    if "prediction" not in row:
        raise InputError(
            "rows of mixed shape",
            path=path,
            line=line,
            value=", ".join(row),
            expected="columns index and prediction",
        )
    converted: Row = {"id": needed_id(row, "index", path, line), "text": row["prediction"]}
    for name, keys in _FIELDS.items():
        value = first_present(row, keys)
        if value is not None:
            converted[name] = value
    if isinstance(row["prediction"], str) and _API_FAILURE in row["prediction"]:
        converted["error"] = row["prediction"]
    if "log" in row:  # the table that its judge completed
        converted["extraction"] = row.get("res")
    options = first_present(row, ("candidates", "options", "choices"))
    converted["options"] = _lettered_options(row) if options is None else options
    return converted


def _lettered_options(row: Row) -> list[str] | None:
    """Options in columns A, B, C, ...; empty ones at the end belong to longer questions."""
    options: list[str] = []
    for letter in string.ascii_uppercase:
        value = row.get(letter)
        if value is None or value != value:  # NaN is an empty cell  # noqa: PLR0124
            break
        options.append(str(value))
    return options or None


VLMEVALKIT = RowFamily(
    "vlmevalkit",
    "VLMEvalKit's table with index, question, answer, prediction (xlsx, tsv, csv, json)",
    _detects,
    _convert,
)
