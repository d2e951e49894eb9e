"""lmms-eval: sample files of today (JSONL), and the one-document logs of 2024 and 2025."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import DocumentFamily, Row, RowFamily, first_present, needed_id
from fastvbench.formats.mathvista import mathvista_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.formats._batch import Json, Path

__all__ = ["LMMS_EVAL_LOG", "LMMS_EVAL_SAMPLES"]

_DOC_FIELDS = {
    "video": ("video", "video_id", "videoID", "vid", "video_path"),
    "query": ("question", "query", "caption"),
    "options": ("options", "candidates", "choices"),
    "question_type": ("question_type", "task_type", "question_category", "question_types"),
    "video_type": ("video_type", "type"),
    "time_reference": ("time_reference",),
    "duration": ("duration",),
    "domain": ("domain",),
    "sub_category": ("sub_category",),
    "duration_group": ("duration_group",),
    "topic_category": ("topic_category",),
    "level": ("level",),
}
# What some tasks repeat of the question in the payload of their metric.
_PAYLOAD_FIELDS: dict[str, tuple[str, ...]] = {
    "question_id": ("question_id",),
    "question_type": ("task_category",),
    "duration": ("duration",),
    "domain": ("category",),
    "sub_category": ("sub_category",),
}
_MOST_NUMBERED_OPTIONS = 10
_DOC_IDS = ("uid", "question_id", "questionId", "qid", "pid", "id")


def _first_text(responses: Json) -> Json:
    """The first response of a row: ``[["D"]]``, ``["D"]`` and ``"D"`` all hold "D"."""
    while isinstance(responses, list):
        if not responses:
            return None
        responses = responses[0]
    return responses


def _responses(row: Row) -> Row:
    """Raw and filtered output; files leave out the raw one where the two are equal."""
    filtered = _first_text(row.get("filtered_resps"))
    raw = _first_text(row.get("resps"))
    return {"text": filtered if raw is None else raw, "filtered": filtered}


def _fields(values: Row, names: dict[str, tuple[str, ...]]) -> Row:
    fields: Row = {}
    for name, keys in names.items():
        value = first_present(values, keys)
        if value is not None:
            fields[name] = value
    return fields


def _doc_fields(doc: Row) -> Row:
    """Fields of a question; LongVideoBench's options stand in ``option0`` and on, up to N/A."""
    fields = _fields(doc, _DOC_FIELDS)
    numbered = [doc.get(f"option{place}", "N/A") for place in range(_MOST_NUMBERED_OPTIONS)]
    if "options" not in fields and numbered[0] != "N/A":
        absent = [place for place, text in enumerate(numbered) if text == "N/A"]
        fields["options"] = numbered[: absent[0]] if absent else numbered
    return fields | mathvista_fields(doc) if "answer_type" in doc else fields


def _is_sample(row: Row) -> bool:
    return "doc_id" in row and ("filtered_resps" in row or "resps" in row)


def _convert_sample(row: Row, path: Path, line: int) -> Row:
    if not _is_sample(row):
        raise InputError(
            "rows of mixed shape",
            path=path,
            line=line,
            value=", ".join(row),
            expected="doc_id and filtered_resps",
        )
    converted: Row = {"id": needed_id(row, "doc_id", path, line), **_responses(row)}
    doc = row.get("doc")
    if isinstance(doc, dict):
        converted.update(_doc_fields(doc))
        doc_id = first_present(doc, _DOC_IDS)
        if doc_id is not None:
            converted["id"] = doc_id
    if row.get("target") is not None:
        converted["gold"] = row["target"]
    for payload in row.values():  # metric payloads of some tasks name the question
        if isinstance(payload, dict) and payload is not doc:
            named = _named_by_payload(payload, converted)
            if named is not None:
                converted = named
                break
    return converted


def _named_by_payload(payload: Row, converted: Row) -> Row | None:
    """The row with what a metric's payload says of the question; None where it says nothing.

    The ids in payloads of DocVQA and MathVista are the data set's own, unlike ``doc_id``.
    """
    if payload.get("questionId") is not None:
        return converted | {"id": payload["questionId"]}
    if payload.get("question_id") is None:
        return None
    if "answer_type" in payload:
        return converted | {"id": payload["question_id"], **mathvista_fields(payload)}
    return {**_fields(payload, _PAYLOAD_FIELDS), **converted}


LMMS_EVAL_SAMPLES = RowFamily(
    "lmms-eval-samples",
    "lmms-eval's samples file: doc_id, target, filtered_resps, resps",
    _is_sample,
    _convert_sample,
)


def _is_log(document: Json) -> bool:
    return (
        isinstance(document, dict)
        and isinstance(document.get("logs"), list)
        and ("args" in document or "model_configs" in document)
    )


def _log_rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not _is_log(document):
        raise InputError("not an lmms-eval log", path=path, expected='{"args", "logs": [...]}')
    for number, row in enumerate(document["logs"], start=1):
        if not isinstance(row, dict) or not isinstance(row.get("doc"), dict):
            raise InputError(
                "rows of mixed shape",
                path=path,
                line=number,
                field="logs",
                value=row,
                expected="an object with doc, target and resps",
            )
        doc = row["doc"]
        # doc_id counts within one task, so those of several logs collide: no id.
        yield (
            number,
            {
                "id": first_present(doc, _DOC_IDS),
                **_responses(row),
                "gold": row.get("target"),
                **_doc_fields(doc),
            },
        )


LMMS_EVAL_LOG = DocumentFamily(
    "lmms-eval-log",
    "lmms-eval's older log, one JSON document with docs, targets and responses",
    _is_log,
    _log_rows,
    carries_gold=True,
)
