"""Submission files: what a benchmark's server, or its own script, wants to be handed."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from fastvbench.core._atomic import write_atomic
from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path as FilePath

    from fastvbench.formats._batch import Path

__all__ = [
    "SUBMISSIONS",
    "SubmissionFormat",
    "SubmissionRow",
    "submission_bytes",
    "write_submission",
]


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """One question of a benchmark and what is handed in for it.

    Attributes:
        id: the benchmark's own id.
        answer: a letter or a text; None where there is no answer.
        query: the question's text, empty where that is not known.
        option_lines: its options as the benchmark writes them, letters included.
        gold: the right letter or None.
        columns: what else the benchmark says of it and its video, its type for instance.
    """

    id: str
    answer: str | None
    query: str = ""
    option_lines: Sequence[str] = ()
    gold: str | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SubmissionFormat:
    """One layout of a submission file.

    Attributes:
        name: the format's name.
        description: one line for help texts.
        document: rows in the order of the annotations to the JSON value of the file.
        untouched: texts are handed in as the model gave them; False where a rule set reads them.
        blank: how a row without an answer is written, for messages.
    """

    name: str
    description: str
    document: Callable[[Sequence[SubmissionRow]], Any]
    untouched: bool = False
    blank: str = 'as ""'


def _id_to_letter(rows: Sequence[SubmissionRow]) -> dict[str, str]:
    return {row.id: row.answer or "" for row in rows}


def _mlvu(rows: Sequence[SubmissionRow]) -> list[dict[str, str]]:
    return [
        {
            "question_id": row.id,
            "question_type": row.columns.get("question_type") or "",
            "option": row.answer or "",
        }
        for row in rows
    ]


def _docvqa(rows: Sequence[SubmissionRow]) -> list[dict[str, Any]]:
    return [{"questionId": _whole_number(row.id), "answer": row.answer or ""} for row in rows]


def _whole_number(ident: str) -> int | str:
    """DocVQA's ids are numbers; what isn't the plain form of one stays text."""
    plain = ident.isascii() and ident.isdigit() and (ident == "0" or ident[0] != "0")
    return int(ident) if plain and len(ident) < 19 else ident


def _videomme(rows: Sequence[SubmissionRow]) -> list[dict[str, Any]]:
    videos: dict[str, dict[str, Any]] = {}
    for row in rows:
        number = row.columns.get("video_id") or ""
        video = videos.get(number)
        if video is None:
            video = {
                "video_id": number,
                **{name: row.columns.get(name) for name in ("duration", "domain", "sub_category")},
                "questions": [],
            }
            videos[number] = video
        video["questions"].append(
            {
                "question_id": row.id,
                "task_type": row.columns.get("task_type"),
                "question": row.query,
                "options": list(row.option_lines),
                "answer": row.gold,
                "response": row.answer or "",
            }
        )
    return list(videos.values())


_FORMATS = (
    SubmissionFormat("lvbench-submission", "LVBench: {uid: letter}", _id_to_letter),
    SubmissionFormat(
        "mlvu-submission", "MLVU's test set: [{question_id, question_type, option}]", _mlvu
    ),
    SubmissionFormat("docvqa-submission", "DocVQA's test set: [{questionId, answer}]", _docvqa),
    SubmissionFormat(
        "videomme-template",
        "Video-MME: the official template, each question with its response",
        _videomme,
        untouched=True,
    ),
)

SUBMISSIONS: dict[str, SubmissionFormat] = {each.name: each for each in _FORMATS}


def write_submission(path: Path, format: str, rows: Sequence[SubmissionRow]) -> FilePath:
    """Write a submission file in one step, the same bytes for the same rows.

    Args:
        path: the file to replace; a name that ends in ``.gz`` is packed.
        format: a key of ``SUBMISSIONS``.
        rows: every question of the benchmark, in its order.

    Returns:
        The path written to, links resolved.

    Raises:
        InputError: an unknown format, or a place that no file can take.
    """
    content = submission_bytes(format, rows)
    if os.fspath(path).endswith(".gz"):
        content = gzip.compress(content, 6, mtime=0)
    return write_atomic(path, content)


def submission_bytes(format: str, rows: Sequence[SubmissionRow]) -> bytes:
    """The content of a submission file.

    Raises:
        InputError: an unknown format.
    """
    known = SUBMISSIONS.get(format)
    if known is None:
        raise InputError(
            "no such submission format", value=format, expected="one of " + ", ".join(SUBMISSIONS)
        )
    document = known.document(rows)
    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"
    except orjson.JSONEncodeError:  # a lone surrogate
        return json.dumps(document, indent=2).encode() + b"\n"
