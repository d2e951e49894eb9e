"""Questions nested under their videos: Video-MME's template and TempCompass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import DocumentFamily, Row, first_present

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.formats._batch import Json, Path

__all__ = ["TEMPCOMPASS", "VIDEOMME", "VIDEOMME_CATEGORIES"]

# What the template says of a video, under its present keys and those of its first edition.
VIDEOMME_CATEGORIES: dict[str, tuple[str, ...]] = {
    "duration": ("duration", "duration_category"),
    "domain": ("domain", "video_category"),
    "sub_category": ("sub_category", "video_subcategory"),
}

_TEMPCOMPASS_TEXT = ("response", "prediction", "video-llm-prediction")


def _is_videomme(document: Json) -> bool:
    return (
        isinstance(document, list)
        and bool(document)
        and all(
            isinstance(video, dict) and isinstance(video.get("questions"), list)
            for video in document
        )
        and any(
            isinstance(question, dict) and "response" in question
            for video in document
            for question in video["questions"]
        )
    )


def _videomme_rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not _is_videomme(document):
        raise InputError(
            "not Video-MME's template", path=path, expected='[{"video_id", "questions": [...]}]'
        )
    number = 0
    for video in document:
        for question in video["questions"]:
            number += 1
            if not isinstance(question, dict) or question.get("question_id") is None:
                raise InputError(
                    "rows of mixed shape",
                    path=path,
                    line=number,
                    field="questions",
                    value=question,
                    expected="an object with question_id and response",
                )
            yield (
                number,
                {
                    "id": question["question_id"],
                    "text": question.get("response"),
                    "video": video.get("video_id"),
                    "query": question.get("question"),
                    "options": first_present(question, ("options", "choices")),
                    "gold": question.get("answer"),
                    "question_type": question.get("task_type"),
                    **{
                        name: first_present(video, keys)
                        for name, keys in VIDEOMME_CATEGORIES.items()
                    },
                },
            )


VIDEOMME = DocumentFamily(
    "videomme",
    "Video-MME's template with a response for each question",
    _is_videomme,
    _videomme_rows,
    carries_gold=True,
)


def _tempcompass_questions(document: Json) -> Iterator[tuple[str, str, Json]]:
    for video, dimensions in document.items():
        for dimension, questions in dimensions.items():
            for question in questions:
                yield video, dimension, question


def _is_tempcompass(document: Json) -> bool:
    if not isinstance(document, dict) or not document:
        return False
    for dimensions in document.values():
        if not isinstance(dimensions, dict) or not all(
            isinstance(questions, list) for questions in dimensions.values()
        ):
            return False
    return any(
        isinstance(question, dict) and any(key in question for key in _TEMPCOMPASS_TEXT)
        for _, _, question in _tempcompass_questions(document)
    )


def _tempcompass_rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not _is_tempcompass(document):
        raise InputError(
            "not TempCompass's layout", path=path, expected='{"video": {"dimension": [...]}}'
        )
    for number, (video, dimension, row) in enumerate(_tempcompass_questions(document), start=1):
        if not isinstance(row, dict):
            raise InputError(
                "rows of mixed shape", path=path, line=number, value=row, expected="an object"
            )
        yield (
            number,
            {
                "id": None,
                "text": first_present(row, _TEMPCOMPASS_TEXT),
                "video": video,
                "query": row.get("question"),
                "question_type": dimension,
                "gold": first_present(row, ("answer", "gt-answer")),
            },
        )


TEMPCOMPASS = DocumentFamily(
    "tempcompass",
    "TempCompass's predictions: {video: {dimension: [{question, answer, prediction}]}}",
    _is_tempcompass,
    _tempcompass_rows,
    carries_gold=True,
)
