"""Records of an annotation file, with errors that name file, line and field."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastvbench.core._errors import InputError
from fastvbench.core._numbers import as_float
from fastvbench.formats import iter_records

__all__ = ["Record", "annotation_records", "clock_seconds", "row_id"]

_FOLDER_SUFFIXES = frozenset({".json", ".jsonl", ".gz"})


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object and where it stands."""

    values: dict[str, Any]
    path: str | None
    line: int

    @property
    def stem(self) -> str:
        """Its file's name without folders and endings; empty in memory."""
        return "" if self.path is None else Path(self.path).name.split(".")[0]

    def error(self, problem: str, field: str, expected: str, value: object = ...) -> InputError:
        """The error for one field of this record."""
        return InputError(
            problem, path=self.path, line=self.line, field=field, value=value, expected=expected
        )

    def text(self, *fields: str) -> str:
        """The first of `fields` that is a string.

        Raises:
            InputError: none is.
        """
        for field in fields:
            value = self.values.get(field)
            if isinstance(value, str):
                return value
        found = next((f for f in fields if f in self.values), None)
        if found is None:
            raise self.error(
                f"missing, fields are {sorted(self.values)}", fields[0], "a string in it"
            )
        raise self.error("wrong type", found, "a string", self.values[found])

    def seconds_pair(self, field: str, value: object) -> tuple[float, float]:
        """`value` as (start, end) in seconds, in the file's order.

        Raises:
            InputError: it is not two finite numbers.
        """
        if (
            isinstance(value, list | tuple)
            and len(value) == 2
            and all(isinstance(x, int | float) and not isinstance(x, bool) for x in value)
            and all(math.isfinite(as_float(x)) for x in value)
        ):
            return float(value[0]), float(value[1])
        raise self.error("not an interval", field, "[start, end] in seconds", value)


def annotation_records(source: object, *, ledger: dict[str, int] | None = None) -> Iterator[Record]:
    """Records of a JSON array, JSON Lines, a table, a parquet file, or in-memory dicts.

    A folder stands for its ``.json``, ``.jsonl`` and ``.gz`` files in the order of their names.

    Args:
        source: a path or a list of dicts.
        ledger: counts what was tolerated in a file.

    Raises:
        InputError: the file is missing, empty or none of these, or a record is no object.
        MissingExtraError: a parquet file or an .xlsx table without the package that reads it.
    """
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        yield from _records_of_folder(Path(source), ledger)
        return
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        pairs: Iterator[tuple[int, object]] = iter_records(path, ledger=ledger, tables=True)
        name: str | None = str(path)
    elif isinstance(source, Sequence):
        pairs, name = enumerate(source, 1), None
    else:
        raise TypeError(
            f"annotations: expected a path or a list of dicts, got {type(source).__name__}"
        )
    empty = True
    for line, values in pairs:
        if not isinstance(values, dict):
            raise InputError(
                "not an annotation record", path=name, line=line, value=values, expected="an object"
            )
        empty = False
        yield Record(values, name, line)
    if empty:
        raise InputError("holds no annotation", path=name, expected="at least one record")


def _records_of_folder(folder: Path, ledger: dict[str, int] | None) -> Iterator[Record]:
    files = [path for path in sorted(folder.iterdir()) if path.suffix in _FOLDER_SUFFIXES]
    if not files:
        raise InputError(
            "a folder without annotation files",
            path=folder,
            expected=" or ".join(sorted(_FOLDER_SUFFIXES)),
        )
    for path in files:
        yield from annotation_records(path, ledger=ledger)


def row_id(value: object, record: Record, field: str) -> str:
    """An id as text: strings as they are, whole numbers in decimal.

    Raises:
        InputError: anything else.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise record.error("not an id", field, "a string or a whole number", value)


def clock_seconds(text: str) -> float | None:
    """Seconds of ``mm:ss`` or ``h:mm:ss``; None where it is neither. Minutes may exceed 59."""
    parts = text.strip().split(":")
    if not 2 <= len(parts) <= 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    seconds = 0
    for part in parts:
        seconds = seconds * 60 + int(part)
    return float(seconds)
