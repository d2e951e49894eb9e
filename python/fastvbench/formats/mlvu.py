"""MLVU's own script, and MVBench's that it grew from: accuracies beside a list of results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import DocumentFamily, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.formats._batch import Json, Path

__all__ = ["MLVU"]

_PROMPT = re.compile(r"Question: (.*)\nOptions:\n(.*)", re.DOTALL)


def _detects(document: Json) -> bool:
    return (
        isinstance(document, dict)
        and isinstance(document.get("res_list"), list)
        and "acc_dict" in document
    )


def _rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not _detects(document):
        raise InputError("not MLVU's results", path=path, expected='{"acc_dict", "res_list": []}')
    for number, row in enumerate(document["res_list"], start=1):
        if not isinstance(row, dict) or "pred" not in row:
            raise InputError(
                "rows of mixed shape",
                path=path,
                line=number,
                field="res_list",
                value=row,
                expected="an object with pred and gt",
            )
        names_question = row.get("video") is not None and row.get("question") is not None
        yield (
            number,
            {
                # MVBench's script keeps texts and answers only, in the order of its questions.
                "id": None if names_question else number - 1,
                "text": row["pred"],
                "video": row.get("video"),
                "query": _bare_question(row.get("question")),
                "gold": row.get("gt"),
                "question_type": row.get("question_type", row.get("task_type")),
            },
        )


def _bare_question(prompt: Json) -> Json:
    """The question and its option lines, without the words that the script puts around them."""
    found = _PROMPT.fullmatch(prompt) if isinstance(prompt, str) else None
    return prompt if found is None else f"{found.group(1)}\n{found.group(2)}"


MLVU = DocumentFamily(
    "mlvu",
    "MLVU's and MVBench's results: {acc_dict, res_list: [{pred, gt, question, video}]}",
    _detects,
    _rows,
    carries_gold=True,
)
