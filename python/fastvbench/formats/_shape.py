"""Entries of small text files: JSON Lines, a JSON array, one JSON object of entries, or text."""

from __future__ import annotations

import json
import os
from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats._bytes import Ledger, decode_text, text_blocks
from fastvbench.formats._json import JsonSyntaxError, iter_json_lines, parse_line, read_json
from fastvbench.formats._sniff import Container, sniff_container

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "QUERY_FIELDS",
    "RecordShape",
    "field_of",
    "iter_json_rows",
    "read_unique_map",
    "record_shape",
]

Path = str | os.PathLike[str]

QUERY_FIELDS = ("query_id", "qid", "id", "query")  # who asks, in rankings and in truths


class RecordShape(Enum):
    """How entries lie in a text file."""

    LINES = "lines"
    ARRAY = "array"
    MAP = "map"
    TEXT = "text"


def record_shape(path: Path, *, row_fields: tuple[str, ...]) -> RecordShape:
    """Tell the four apart by the first character, and lines from one object by what follows it.

    A file of one object on one line is a row if the object has one of ``row_fields``, else a map.

    Raises:
        InputError: no readable text file, or nothing in it.
    """
    first = _first_character(path, text_blocks(path))
    if first == b"[":
        return RecordShape.ARRAY
    if first != b"{":
        return RecordShape.TEXT
    if sniff_container(path) is Container.LINES or _is_one_row(path, row_fields):
        return RecordShape.LINES
    return RecordShape.MAP


def _first_character(path: Path, blocks: Iterator[bytes]) -> bytes:
    for block in blocks:
        text = block.lstrip()
        if text:
            return text[:1]
    raise InputError("the file holds nothing but white space", path=path)


def _is_one_row(path: Path, row_fields: tuple[str, ...]) -> bool:
    data = b"".join(text_blocks(path)).strip()
    if b"\n" in data:
        return False
    try:
        values = parse_line(data)
    except JsonSyntaxError:
        return False
    return (
        bool(values) and isinstance(values[0], dict) and not values[0].keys().isdisjoint(row_fields)
    )


def iter_json_rows(path: Path, shape: RecordShape) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (1-based line or position, object) of JSON Lines or of a JSON array.

    Raises:
        InputError: something that is no object, or no JSON, the last line included: what a file of
            rankings or truth has lost, nobody can tell.
    """
    ledger: Ledger = {}
    line = 0
    rows: Iterable[tuple[int, Any]]
    if shape is RecordShape.ARRAY:
        rows = enumerate(read_json(path, ledger=ledger), start=1)
    else:
        rows = iter_json_lines(path, ledger=ledger)
    for line, row in rows:
        if not isinstance(row, dict):
            raise InputError("a row is no object", path=path, line=line, value=row)
        yield line, row
    if "torn_last_line" in ledger:
        raise InputError(
            "the last line is torn", path=path, line=line + 1, expected="a complete file"
        )


def field_of(row: dict[str, Any], names: Sequence[str], path: Path, line: int) -> str:
    """The first of some field names that a row has.

    Raises:
        InputError: it has none of them.
    """
    for name in names:
        if name in row:
            return name
    raise InputError(
        "a field is missing",
        path=path,
        line=line,
        value=", ".join(map(str, row)),
        expected="one of " + ", ".join(names),
    )


def read_unique_map(path: Path) -> dict[str, Any]:
    """Read a file that is one JSON object in which, at every level, no key occurs twice.

    Raises:
        InputError: a repeated key, or no JSON object.
    """
    text = decode_text(b"".join(text_blocks(path)))

    def refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated = next(key for key, times in counts.items() if times > 1)
            raise InputError(
                "a key occurs twice in one object", path=path, value=repeated, expected="once"
            )
        return entries

    try:
        document = json.loads(text, object_pairs_hook=refuse_repeats)
    except InputError:
        raise
    except (ValueError, RecursionError):
        document = read_json(path)  # says where it is broken, or mends a trailing comma
    if not isinstance(document, dict):
        raise InputError("no JSON object", path=path, value=document)
    return document
