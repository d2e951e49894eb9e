"""VideoLLaMA3's evaluation: a list that opens with its metrics, a dict of such lists, or lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import DocumentFamily, Row, RowFamily, first_present, needed_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.formats._batch import Json, Path

__all__ = ["VIDEOLLAMA3", "VIDEOLLAMA3_DOCUMENT"]

_NAME = "videollama3"
_DESCRIPTION = "VideoLLaMA3's results: data_id, response, prediction, ground_truth, task_type"
_META_FIELDS = {
    "question_id": ("question_id",),
    "video": ("video", "video_id", "video_path", "vid"),
    "query": ("question", "query", "caption"),
    "duration": ("duration",),
    "options": ("options", "candidates"),
    "answer_type": ("answer_type",),
    "precision": ("precision",),
}


def _detects_row(row: Row) -> bool:
    return "data_id" in row and ("response" in row or "prediction" in row)


def _convert(row: Row, path: Path, line: int) -> Row | None:
    if "data_id" not in row and line == 1:
        return None  # the metrics that open a file
    identifier = needed_id(row, "data_id", path, line)
    prediction = row.get("prediction")
    text = row.get("response")
    converted: Row = {"id": identifier, "text": text}
    if isinstance(prediction, list):
        converted["intervals"] = prediction
        if text is None:
            converted["text"] = json.dumps(prediction)
    elif text is None:
        converted["text"] = prediction
    if isinstance(row.get("score"), bool):  # of ChartQA, a judge's word included
        converted["recorded_verdict"] = row["score"]
    if row.get("ground_truth") is not None:
        converted["gold"] = row["ground_truth"]
    if row.get("task_type") is not None:
        converted["question_type"] = row["task_type"]
    meta = row.get("meta_data")
    for source in (row, meta if isinstance(meta, dict) else {}):
        for name, keys in _META_FIELDS.items():
            value = first_present(source, keys)
            if value is not None:
                converted.setdefault(name, value)
    if "answer_type" in converted and text is not None and isinstance(prediction, str):
        converted["extraction"] = prediction  # of MathVista, by a rule or by its judge
    return converted


VIDEOLLAMA3 = RowFamily(_NAME, _DESCRIPTION, _detects_row, _convert)


def _is_result_list(value: Json) -> bool:
    return isinstance(value, list) and any(
        isinstance(row, dict) and _detects_row(row) for row in value[:2]
    )


def _detects(document: Json) -> bool:
    if isinstance(document, dict):
        return bool(document) and all(map(_is_result_list, document.values()))
    return _is_result_list(document)


def _rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    parts = document if isinstance(document, dict) else {None: document}
    number = 0
    for subset, part in parts.items():
        if not isinstance(part, list):
            raise InputError("not a list of results", path=path, field=subset, value=part)
        for place, row in enumerate(part, start=1):
            number += 1
            if not isinstance(row, dict):
                raise InputError(
                    "rows of mixed shape", path=path, line=number, value=row, expected="an object"
                )
            if place == 1 and "data_id" not in row:
                continue
            converted = _convert(row, path, max(number, 2))
            if converted is not None:
                if subset is not None:
                    converted["subset"] = subset
                yield number, converted


VIDEOLLAMA3_DOCUMENT = DocumentFamily(_NAME, _DESCRIPTION, _detects, _rows, carries_gold=True)
