"""From row objects to columns, by a plan of which key means what."""

from __future__ import annotations

import math
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import Json, Path, as_id, as_intervals, as_text
from fastvbench.formats._bytes import Ledger, count
from fastvbench.formats._cells import parse_list_cell
from fastvbench.formats._json import JsonSyntaxError, parse_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastvbench.formats._family import Row
    from fastvbench.formats._plan import RowPlan

__all__ = ["RowsToColumns"]

_TEXT_FIELDS = frozenset({"video", "query"})
_LARGEST_EXACT_FLOAT = 2.0**53


class RowsToColumns:
    """Turns lists of rows into columns, by a plan, as fast as Python lets it.

    Args:
        path: the file, for messages.
        plan: which keys mean what.
        ledger: counts what was tolerated.
    """

    def __init__(self, path: Path, plan: RowPlan, ledger: Ledger) -> None:
        self._path = path
        self._plan = plan
        self._ledger = ledger

    def convert(
        self, rows: list[Any], lines: Sequence[int], raw: Sequence[bytes | None] | None = None
    ) -> tuple[list[str | None], list[str | None], dict[str, list[Any]]]:
        """Ids, texts and fields of any rows.

        Args:
            rows: parsed values, one per row.
            lines: their lines or row numbers.
            raw: the text of each row, to read numbers again that a double cannot hold.

        Raises:
            InputError: rows of mixed shape, or a value that its column cannot take.
        """
        if set(map(type, rows)) != {dict}:
            for row, line in zip(rows, lines, strict=True):
                if not isinstance(row, dict):
                    raise self._mixed(line, row, "an object on every row")
        keys = set().union(*rows)
        ids = self._ids(rows, lines, raw)
        texts, intervals = self._texts(rows, lines, raw)
        fields = self._fields(rows, lines, keys)
        if intervals is not None and "intervals" not in fields:
            fields["intervals"] = intervals
        return ids, texts, fields

    def _ids(
        self, rows: list[Row], lines: Sequence[int], raw: Sequence[bytes | None] | None
    ) -> list[str | None]:
        key = self._plan.id_key
        if key is None:
            return [None] * len(rows)
        column = _column(rows, key)
        types = set(map(type, column))
        if types == {int}:
            return list(map(str, column))
        if types == {str} and all(column):
            return column
        ids: list[str | None] = []
        named = self._plan.names is not None
        for place, value in enumerate(column):
            if type(value) is str and value:
                ids.append(value)
            elif value is None and not named:
                ids.append(None)  # converted rows say by None that the file has no id here
            elif key not in rows[place]:
                raise self._mixed(lines[place], ", ".join(rows[place]), f"an id in field {key!r}")
            else:
                exact = self._exact(value, key, raw, place)
                ids.append(as_id(exact, path=self._path, line=lines[place], name=key))
        return ids

    def _texts(
        self, rows: list[Row], lines: Sequence[int], raw: Sequence[bytes | None] | None
    ) -> tuple[list[str | None], list[Any] | None]:
        key = self._plan.text_key
        texts = _column(rows, key)
        types = set(map(type, texts))
        if types == {str}:
            return texts, None
        intervals: list[Any] | None = None
        for place, value in enumerate(texts):
            if type(value) is str:
                continue
            row = rows[place]
            if value is None and key not in row:
                spare = [name for name in self._plan.spare_text_keys if row.get(name) is not None]
                if spare:
                    raise self._mixed(lines[place], ", ".join(row), f"the text in field {key!r}")
            if self._plan.names is not None and _are_windows(value):
                intervals = intervals or [None] * len(rows)
                intervals[place] = as_intervals(value, path=self._path, line=lines[place], name=key)
            texts[place] = as_text(self._exact(value, key, raw, place), self._ledger)
        return texts, intervals

    @staticmethod
    def _exact(value: Json, key: str, raw: Sequence[bytes | None] | None, place: int) -> Json:
        """A number as it was written: the fast parser turns long integers into doubles."""
        if not isinstance(value, float) or abs(value) < _LARGEST_EXACT_FLOAT or raw is None:
            return value
        line = raw[place]
        if line is None or not math.isfinite(value):
            return value
        try:
            # A NaN in front of the object keeps the fast parser away.
            slow = parse_line(b"[NaN," + line + b"]")[0][1]
        except JsonSyntaxError:
            return value
        return slow[key]

    def _fields(
        self, rows: list[Row], lines: Sequence[int], keys: set[str]
    ) -> dict[str, list[Any]]:
        names = self._plan.names
        fields: dict[str, list[Any]] = {}
        if names is None:
            ordered: Iterable[str] = sorted(keys - {"id", "text"})
        else:
            ordered = [key for key in self._plan.priority if key in keys]
        for key in ordered:
            column = _column(rows, key)
            for name in (key,) if names is None else names[key]:
                earlier = fields.get(name)
                fields[name] = (
                    list(column)
                    if earlier is None
                    else [
                        new if old is None else old
                        for old, new in zip(earlier, column, strict=True)
                    ]
                )
        for name, column in fields.items():
            self._settle(name, column, lines)
        return fields

    def _settle(self, name: str, column: list[Any], lines: Sequence[int]) -> None:
        """Give a column the type that its name promises, in place."""
        types = set(map(type, column))
        if float in types:
            for place, value in enumerate(column):
                if type(value) is float and not math.isfinite(value):
                    column[place] = None
                    count(self._ledger, "nan_as_missing")
        if types == {NoneType}:
            return
        if name in _TEXT_FIELDS:
            if types <= {str, NoneType}:
                return
            for place, value in enumerate(column):
                if value is not None and type(value) is not str:
                    column[place] = str(value)
        elif name == "options":
            for place, value in enumerate(column):
                column[place] = self._options(value, lines[place])
        elif name == "intervals":
            for place, value in enumerate(column):
                column[place] = as_intervals(value, path=self._path, line=lines[place], name=name)

    def _options(self, value: Json, line: int) -> list[str] | None:
        if isinstance(value, str):
            value = parse_list_cell(value)
        elif isinstance(value, dict):  # {"A": "red", "B": "blue"}
            value = list(value.values())
        if value is None or isinstance(value, list):
            return None if value is None else [str(option) for option in value]
        raise InputError(
            "not options",
            path=self._path,
            line=line,
            field="options",
            value=value,
            expected="a list of texts",
        )

    def _mixed(self, line: int, value: object, expected: str) -> InputError:
        return InputError(
            "rows of mixed shape", path=self._path, line=line, value=value, expected=expected
        )


def _column(rows: list[Row], key: str) -> list[Any]:
    """The values of one key; None where a row has none. The usual case runs in C."""
    try:
        return list(map(itemgetter(key), rows))
    except KeyError:
        return [row.get(key) for row in rows]


def _are_windows(value: Json) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(pair, list)
            and len(pair) in (2, 3)
            and all(isinstance(part, int | float) for part in pair)
            for pair in value
        )
    )
