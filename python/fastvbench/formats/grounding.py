"""Temporal grounding: TimeChat, TimeLens, lmms-eval submissions, VTimeLLM, VUE-TR, QVHighlights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.core._numbers import as_float
from fastvbench.formats._batch import Json, Path, as_intervals
from fastvbench.formats._family import DocumentFamily, Row, RowFamily, needed_id
from fastvbench.formats._json import pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["QVHIGHLIGHTS", "TIMECHAT", "TIMELENS", "VTIMELLM", "VUE_TR"]

_SEPARATOR = ">>>"


def _mixed(path: Path, line: int, value: object, expected: str) -> InputError:
    return InputError("rows of mixed shape", path=path, line=line, value=value, expected=expected)


# TimeChat: parsed intervals, query and video under each id.


def _is_timechat(document: Json) -> bool:
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(row, dict) and "timestamp" in row for row in document.values())
    )


def _timechat_rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not isinstance(document, dict):
        raise InputError("not a TimeChat result", path=path, expected='{"id": {"timestamp": ...}}')
    for number, (key, row) in enumerate(pairs_of(document), start=1):
        if not isinstance(row, dict) or "timestamp" not in row:
            raise _mixed(path, number, row, "timestamp, query and vid")
        yield (
            number,
            {
                "id": key,
                "text": json.dumps(row["timestamp"]),
                "intervals": row["timestamp"],
                "video": row.get("vid"),
                "query": row.get("query"),
            },
        )


TIMECHAT = DocumentFamily(
    "timechat",
    "TimeChat's parsed results: {id: {timestamp, query, vid}}",
    _is_timechat,
    _timechat_rows,
)


# TimeLens and lmms-eval's Charades-STA submission: the key holds video, query and gold.


def _is_timelens(document: Json) -> bool:
    return (
        isinstance(document, dict)
        and bool(document)
        and all(key.count(_SEPARATOR) >= 2 for key in document)
    )


def _timelens_rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not isinstance(document, dict):
        raise InputError("not a map", path=path, expected='{"video>>>query>>>[s, e]": ...}')
    for number, (key, answer) in enumerate(pairs_of(document), start=1):
        video, _, rest = key.partition(_SEPARATOR)
        query, separator, gold = rest.rpartition(_SEPARATOR)
        if not separator:
            raise _mixed(path, number, key, "a key video>>>query>>>[start, end]")
        row: Row = {
            "id": None,
            "video": video,
            "query": query,
            "gold": _gold_of_key(gold, path, number),
        }
        if isinstance(answer, dict):
            row["text"] = answer.get("answers")
            # The parser of its own tool writes a placeholder where it found nothing.
            row["intervals"] = answer.get("timestamps")
        else:
            row["text"] = answer
        yield number, row


def _gold_of_key(text: str, path: Path, number: int) -> list[list[float]]:
    try:
        value = json.loads(text.strip().replace("(", "[").replace(")", "]"))
    except (json.JSONDecodeError, RecursionError):
        value = text
    intervals = as_intervals(value, path=path, line=number, name="key")
    return [] if intervals is None else intervals


TIMELENS = DocumentFamily(
    "timelens",
    "TimeLens' results or lmms-eval's Charades-STA submission: {video>>>query>>>[s, e]: ...}",
    _is_timelens,
    _timelens_rows,
    carries_gold=True,
)


# VTimeLLM: one line per query, answers in percent of the video.


def _is_vtimellm(row: Row) -> bool:
    return {"video_id", "query_id", "task", "answer", "info"} <= row.keys()


def _convert_vtimellm(row: Row, path: Path, line: int) -> Row:
    if "video_id" not in row or "answer" not in row:
        raise _mixed(path, line, ", ".join(row), "video_id, task, query_id, answer and info")
    info = row.get("info")
    info = info if isinstance(info, dict) else {}
    return {
        "id": None,  # query_id numbers the wordings of one question, not the questions
        "text": row["answer"],
        "video": row["video_id"],
        "task": row.get("task"),
        "sample": row.get("query_id"),  # each wording is one more try at the sentence
        "sentence_id": info.get("sentence_id"),
        "iou": info.get("iou"),
    }


VTIMELLM = RowFamily(
    "vtimellm",
    "VTimeLLM's log: video_id, task, query_id, answer, info",
    _is_vtimellm,
    _convert_vtimellm,
)


# VUE-TR: parsed intervals under "answer".


def _is_vue_tr(row: Row) -> bool:
    return {"query_id", "video_id", "query"} <= row.keys() and isinstance(row.get("answer"), list)


def _convert_vue_tr(row: Row, path: Path, line: int) -> Row:
    identifier = needed_id(row, "query_id", path, line)
    if "answer" not in row:
        raise _mixed(path, line, ", ".join(row), "query_id, video_id, query and answer")
    answer = row["answer"]
    return {
        "id": identifier,
        "text": None if answer is None else json.dumps(answer),
        "intervals": answer,
        "video": row.get("video_id"),
        "query": row.get("query"),
        "duration": row.get("duration"),
    }


VUE_TR = RowFamily(
    "vue-tr",
    "VUE-TR's results: query_id, video_id, duration, query, answer as [[s, e], ...]",
    _is_vue_tr,
    _convert_vue_tr,
)


# QVHighlights: windows with scores.


def _is_qvhighlights(row: Row) -> bool:
    return "qid" in row and "pred_relevant_windows" in row


def _convert_qvhighlights(row: Row, path: Path, line: int) -> Row:
    identifier = needed_id(row, "qid", path, line)
    if "pred_relevant_windows" not in row:
        raise _mixed(path, line, ", ".join(row), "qid and pred_relevant_windows")
    windows = row["pred_relevant_windows"]
    intervals = as_intervals(windows, path=path, line=line, name="pred_relevant_windows")
    converted: Row = {
        "id": identifier,
        "text": json.dumps(windows),
        "intervals": intervals,
        "video": row.get("vid"),
        "query": row.get("query"),
    }
    listed = [windows] if intervals and not isinstance(windows[0], list) else windows
    if intervals and all(len(window) == 3 for window in listed):
        converted["scores"] = [as_float(window[2]) for window in listed]
    if "pred_saliency_scores" in row:
        converted["saliency_scores"] = row["pred_saliency_scores"]
    return converted


QVHIGHLIGHTS = RowFamily(
    "qvhighlights",
    "QVHighlights' submission: qid, vid, query, pred_relevant_windows",
    _is_qvhighlights,
    _convert_qvhighlights,
)
