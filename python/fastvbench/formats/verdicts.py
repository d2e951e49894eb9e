"""A judge's verdicts: whether each answer is right, by id, from JSON, JSON Lines or a table."""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import as_id
from fastvbench.formats._bytes import blaming_gzip
from fastvbench.formats._json import iter_json_lines, pairs_of, read_json
from fastvbench.formats._plan import ID_KEYS
from fastvbench.formats._sniff import Container, sniff_container
from fastvbench.formats._tables import iter_table

if TYPE_CHECKING:
    from fastvbench.formats._batch import Path

__all__ = ["Verdict", "VerdictFile", "read_verdicts"]

VERDICT_KEYS = ("verdict", "correct", "judgement", "judgment", "true_false", "rating", "match")
RUN_KEYS = ("run", "sample")
_WORDS = {
    "true": True,
    "correct": True,
    "right": True,
    "yes": True,
    "1": True,
    "1.0": True,  # as pandas writes it where a row is blank
    "false": False,
    "incorrect": False,
    "wrong": False,
    "no": False,
    "0": False,
    "0.0": False,
}
_BLANK = frozenset({"", "none", "null", "nan"})
_EXPECTED = "true, false, 1, 0, correct or incorrect"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one answer.

    Attributes:
        ident: id of the row; empty where the file names its video and query instead.
        correct: whether the answer is right.
        run: name of the run that the answer belongs to, None where the file names none.
        order: in which order of its options the question was asked, None where not said.
        line: where it stands.
        video: video of the row, empty where it has an id.
        query: its question, empty where it has an id.
    """

    ident: str
    correct: bool
    run: str | None
    order: int | str | None
    line: int
    video: str = ""
    query: str = ""


@dataclass(slots=True)
class VerdictFile:
    """The verdicts of one file.

    Attributes:
        path: the file; ``<memory>`` for verdicts in memory.
        verdicts: in the order of the file; rows without a verdict are left out.
        blank: rows without one.
    """

    path: pathlib.Path
    verdicts: list[Verdict] = field(default_factory=list)
    blank: int = 0


def read_verdicts(source: Path | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> VerdictFile:
    """Read verdicts by id.

    A JSON object maps ids to verdicts, or to objects that hold one; JSON Lines, JSON lists and
    tables have an id and a verdict on each row, and where there are several runs the run's name.
    TempCompass's ratings, ``{video: {aspect: [{question, rating}]}}``, are read too.

    Args:
        source: a path; or in memory ``{id: verdict}`` or a list of row objects.

    Raises:
        InputError: no readable file, a row without an id, or a value that is no verdict.
    """
    if not isinstance(source, str | os.PathLike):
        rows: Iterable[tuple[int, Any, Any]] = (
            _map_rows(dict(source)) if isinstance(source, Mapping) else _list_rows(source)
        )
        return _gather(pathlib.Path("<memory>"), rows)
    path = pathlib.Path(source)
    with blaming_gzip(path):
        return _gather(path, _file_rows(path))


def _file_rows(path: pathlib.Path) -> Iterator[tuple[int, Any, Any]]:
    """(line, id or None where the row holds it, row)."""
    container = sniff_container(path)
    if container is Container.LINES:
        yield from ((line, None, row) for line, row in iter_json_lines(path))
    elif container is Container.DOCUMENT:
        document = read_json(path, keep_repeats=True)
        yield from _map_rows(document) if isinstance(document, dict) else _list_rows(document)
    else:
        yield from ((line, None, row) for line, row in iter_table(path, kind=container.value))


def _map_rows(document: dict[str, Any]) -> Iterator[tuple[int, Any, Any]]:
    pairs = list(pairs_of(document))
    if pairs and all(_is_tempcompass(value) for _, value in pairs):
        rows = (
            (video, row)
            for video, aspects in pairs
            for _, questions in pairs_of(aspects)
            for row in questions
        )
        return ((n, None, {**row, "video": video}) for n, (video, row) in enumerate(rows, start=1))
    return ((n, key, value) for n, (key, value) in enumerate(pairs, start=1))


def _is_tempcompass(value: Any) -> bool:
    """Whether a value is the aspects of one video, each with rated questions."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(
            isinstance(rows, list)
            and all(isinstance(row, Mapping) and "question" in row for row in rows)
            for _, rows in pairs_of(value)
        )
    )


def _list_rows(rows: Sequence[Any]) -> Iterator[tuple[int, Any, Any]]:
    return ((number, None, row) for number, row in enumerate(rows, start=1))


def _gather(path: pathlib.Path, rows: Iterable[tuple[int, Any, Any]]) -> VerdictFile:
    found = VerdictFile(path)
    line = 0
    for line, ident, row in rows:
        name, value = "verdict", row
        if isinstance(row, Mapping):
            names = [key for key in VERDICT_KEYS if key in row]
            name = next((key for key in names if not _is_blank(row[key])), "".join(names[:1]))
            if not name:
                raise InputError(
                    "no field holds a verdict",
                    path=path,
                    line=line,
                    value=", ".join(map(str, row)),
                    expected="one of " + ", ".join(VERDICT_KEYS),
                )
            value = row[name]
        elif ident is None:
            raise InputError(
                "a row is no object", path=path, line=line, value=row, expected="id and verdict"
            )
        correct = _as_verdict(value, path, line, name)
        if correct is None:
            found.blank += 1
            continue
        beside = row if isinstance(row, Mapping) else {}
        video, query = beside.get("video"), beside.get("question")
        by_query = ident is None and isinstance(video, str) and isinstance(query, str)
        by_query = by_query and not any(key in beside for key in ID_KEYS)
        found.verdicts.append(
            Verdict(
                "" if by_query else _ident(ident, beside, path, line),
                correct,
                _run(beside),
                _order(beside, path, line),
                line,
                str(video) if by_query else "",
                str(query) if by_query else "",
            )
        )
    if line == 0:
        raise InputError("holds no verdict", path=path, expected="{id: true or false, ...}")
    return found


def _ident(ident: Any, row: Mapping[str, Any], path: pathlib.Path, line: int) -> str:
    if ident is not None:
        return as_id(ident, path=path, line=line, name="id")
    key = next((key for key in ID_KEYS if key in row), None)
    if key is None:
        raise InputError(
            "a row without an id",
            path=path,
            line=line,
            value=", ".join(map(str, row)),
            expected="one of " + ", ".join(ID_KEYS),
        )
    return as_id(row[key], path=path, line=line, name=key)


def _run(row: Mapping[str, Any]) -> str | None:
    key = next((key for key in RUN_KEYS if row.get(key) not in (None, "")), None)
    if key is None:
        return None
    return str(row[key]) if key == "run" else f"sample {row[key]}"


def _order(row: Mapping[str, Any], path: pathlib.Path, line: int) -> int | str | None:
    order = row.get("order")
    if order is None or order == "":
        return None
    if isinstance(order, int | str) and not isinstance(order, bool):
        return order
    raise InputError(
        "not an order of options",
        path=path,
        line=line,
        field="order",
        value=order,
        expected="a whole number or text",
    )


def _as_verdict(value: Any, path: pathlib.Path, line: int, name: str) -> bool | None:
    """True, False, or None where there is none.

    Raises:
        InputError: anything that says neither.
    """
    if isinstance(value, bool):
        return value
    if _is_blank(value):
        return None
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _WORDS:
            return _WORDS[word]
    raise InputError(
        "not a verdict", path=path, line=line, field=name, value=value, expected=_EXPECTED
    )


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _BLANK
    return value is None or (isinstance(value, float) and math.isnan(value))
