"""MathVista's output files: one JSON object of problems by pid, each with its response."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import DocumentFamily, Row, first_present
from fastvbench.formats._json import pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.formats._batch import Json, Path

__all__ = ["MATHVISTA", "mathvista_fields"]

_FIELDS = {
    "query": ("question",),
    "gold": ("answer",),
    "options": ("choices",),
    "question_type": ("question_type",),
    "answer_type": ("answer_type",),
    "precision": ("precision",),
    "unit": ("unit",),
    "image": ("image",),
    "extraction": ("extraction",),
}
_METADATA = ("task", "context", "grade", "skills", "category", "source", "language")
_NO_ERROR = ("", "None")  # what runs of generated programs note where nothing went wrong


def mathvista_fields(problem: Row) -> Row:
    """What a problem says of itself, by the names that fields have here.

    Args:
        problem: a problem of MathVista, its ``metadata`` nested or spread out.
    """
    fields = {
        name: value
        for name, keys in _FIELDS.items()
        if (value := first_present(problem, keys)) is not None
    }
    metadata = problem.get("metadata")
    for source in (problem, metadata if isinstance(metadata, dict) else {}):
        fields.update({name: source[name] for name in _METADATA if source.get(name) is not None})
    return fields


def _detects(document: Json) -> bool:
    """Problems by pid, at least one with a response; every one of the first few is looked at."""
    if not isinstance(document, dict) or not document:
        return False
    first = list(islice(document.values(), 8))
    return all(
        isinstance(problem, dict) and {"question_type", "answer_type"} <= problem.keys()
        for problem in first
    ) and any(isinstance(problem.get("response"), str) for problem in first)


def _rows(document: Json, path: Path) -> Iterator[tuple[int, Row]]:
    if not isinstance(document, dict):
        raise InputError("not problems by pid", path=path, expected='{"1": {"response": ...}, ...}')
    for number, (pid, problem) in enumerate(pairs_of(document), start=1):
        if not isinstance(problem, dict):
            raise InputError(
                "rows of mixed shape", path=path, line=number, value=problem, expected="an object"
            )
        error = problem.get("error")
        yield (
            number,
            {
                "id": pid,
                "text": problem.get("response"),
                **mathvista_fields(problem),
                "error": None if error in _NO_ERROR else error,
            },
        )


MATHVISTA = DocumentFamily(
    "mathvista",
    "MathVista's output file: {pid: {response, extraction, question_type, answer, ...}}",
    _detects,
    _rows,
    carries_gold=True,
)
