"""Rows of unknown make: which key is the id, which the text, which one of the known fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastvbench.formats._batch import Path
    from fastvbench.formats._family import Row

__all__ = ["TEXT_KEYS", "RowPlan", "plan_any_rows", "plan_family_rows"]

ID_KEYS = (
    "id",
    "uid",
    "question_id",
    "qid",
    "data_id",
    "doc_id",
    "questionId",
    "sample_id",
    "query_id",
    "pid",
    "index",
    "key",
)
TEXT_KEYS = (
    "text",
    "response",
    "pred",
    "prediction",
    "model_response",
    "model_output",
    "model_answer",
    "model_prediction",
    "predicted_answer",
    "pred_answer",
    "generated_text",
    "completion",
    "output",
    "option",
)
_GOLD_KEYS = (
    "gold",
    "target",
    "ground_truth",
    "gt",
    "gt_answer",
    "gold_answer",
    "correct_answer",
    "gt-answer",
    "label",
    "answers",
)
# Keys of one field in falling priority.
_FIELD_KEYS: dict[str, tuple[str, ...]] = {
    "video": ("video", "video_id", "vid", "videoID", "video_name", "video_path", "imgname"),
    "query": ("question", "query", "caption", "sentence", "prompt"),
    "filtered": ("filtered", "filtered_resps"),
    "gold": _GOLD_KEYS,
    "options": ("options", "candidates", "choices"),
    "question_type": ("question_type", "task_type", "question_types"),
    "answer_type": ("answer_type",),
    "precision": ("precision",),
    "extraction": ("extraction",),
    "split": ("split", "human_or_machine"),
    "video_type": ("video_type",),
    "time_reference": ("time_reference",),
    "answer": ("answer",),
    "interval": ("interval",),
    "intervals": ("intervals", "pred_intervals", "predicted_intervals"),
    "sample": ("sample", "repeat"),
    "subset": ("setting",),  # one of several ways in which a benchmark was run
    "order": ("order", "try"),
    "finish_reason": ("finish_reason", "stop_reason"),
    "error": ("error",),
    "frames": ("frames", "frame_count", "num_frames", "n_frames"),
    "duration": ("duration",),
    "domain": ("domain",),
    "sub_category": ("sub_category",),
    "modality": ("modality",),
    "task": ("task",),
}
# Rows of nothing but parsed intervals: their JSON is the text.
_INTERVAL_KEYS = ("intervals", "interval", "pred_intervals", "predicted_intervals")
# A row that has one of these, but nothing that a model said beside an `answer`, is a question.
_QUESTION_KEYS = frozenset(
    {
        "options",
        "candidates",
        "choices",
        "correct_choice",
        "time_reference",
        "scoring_points",
        "qa",
        "relevant_windows",
        "gt",
    }
)


@dataclass(frozen=True)
class RowPlan:
    """Which keys of a row mean what.

    Attributes:
        id_key: the key of the id; None if rows have none.
        text_key: the key of the model's output.
        names: the fields that each further key fills; None if keys are fields already.
        priority: keys in the order in which they win one field.
        carries_gold: whether the rows hold the right answer too.
    """

    id_key: str | None
    text_key: str
    names: dict[str, tuple[str, ...]] | None = None
    priority: tuple[str, ...] = ()
    carries_gold: bool = False
    spare_text_keys: frozenset[str] = field(default_factory=frozenset)


def plan_family_rows(carries_gold: bool) -> RowPlan:
    """The plan for rows that a `RowFamily` or a document reader has already converted."""
    return RowPlan(id_key="id", text_key="text", carries_gold=carries_gold)


def plan_any_rows(
    path: Path,
    rows: Sequence[Row],
    *,
    id_field: str | None = None,
    text_field: str | None = None,
    wanted: Iterable[str] = (),
) -> RowPlan:
    """Decide which keys mean what, from the first rows of a file of unknown make.

    Raises:
        InputError: no key holds text, a named one does not occur, or these are annotations.
    """
    keys: dict[str, None] = {}  # a set that keeps the order of the file, for messages
    for row in rows:
        keys.update(dict.fromkeys(row))
    for option, name in (("--id-field", id_field), ("--text-field", text_field)):
        if name is not None and name not in keys:
            raise InputError(
                f"{option} names a field that the rows do not have",
                path=path,
                value=name,
                expected=_one_of(keys),
            )
    id_key = id_field or next((key for key in ID_KEYS if key in keys), None)
    text_key = text_field or next((key for key in TEXT_KEYS if key in keys and key != id_key), None)
    if text_key is None and "answer" in keys:
        _refuse_questions(path, keys)
        if id_key is None and "duration" in keys and "question" in keys:
            raise _annotations(path, keys)
        text_key = "answer"
    if text_key is None:
        _refuse_questions(path, keys)
        text_key = next((key for key in _INTERVAL_KEYS if key in keys), None)
    if text_key is None:
        raise InputError(
            "no field holds a model's text",
            path=path,
            value=", ".join(keys),
            expected="text, response, pred, prediction or answer, or --text-field NAME",
        )
    names: dict[str, tuple[str, ...]] = {}
    for name, candidates in _FIELD_KEYS.items():
        for key in candidates:
            if key in (id_key, text_key) and key != "answer":
                continue
            names[key] = (*names.get(key, ()), name)
    for key in wanted:
        if key not in names and key not in (id_key, text_key):
            names[key] = (key,)
    gold_keys = [key for key in _GOLD_KEYS if key in keys and key != text_key]
    if not gold_keys and "answer" in keys and text_key != "answer" and "interval" not in keys:
        names["answer"] = ("answer", "gold")
        gold_keys = ["answer"]
    return RowPlan(
        id_key=id_key,
        text_key=text_key,
        names=names,
        priority=tuple(names),
        carries_gold=bool(gold_keys),
        spare_text_keys=frozenset(TEXT_KEYS) - {text_key, id_key, "option"},
    )


def _one_of(keys: Iterable[str]) -> str:
    return "one of " + ", ".join(keys)


def _refuse_questions(path: Path, keys: Iterable[str]) -> None:
    if not _QUESTION_KEYS.isdisjoint(keys):
        raise _annotations(path, keys)


def _annotations(path: Path, keys: Iterable[str]) -> InputError:
    return InputError(
        "this looks like an annotations file, not predictions",
        path=path,
        value=", ".join(keys),
        expected="a field with the model's text, or --text-field NAME",
    )
