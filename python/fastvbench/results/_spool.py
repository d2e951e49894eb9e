"""What each row said and how each rule set read it, kept on disk until a report asks for it.

Answers can be gigabytes; a result needs them only for the samples file and the list of rows on
which rule sets differ. Rows are appended to a temporary file as they are scored, and memory holds
one number a row.
"""

from __future__ import annotations

import tempfile
import weakref
from array import array
from typing import Any

import orjson

from fastvbench.formats import MOST_EXCERPT_CHARACTERS
from fastvbench.results._strict_json import json_line, printable

__all__ = ["SampleSpool", "excerpt"]

_MEMORY_BYTES = 32 << 20


def excerpt(text: str | None) -> str | None:
    """At most 2,000 characters of a text, with lone surrogates made printable."""
    if text is None:
        return None
    cut = text if len(text) <= MOST_EXCERPT_CHARACTERS else text[:MOST_EXCERPT_CHARACTERS]
    return printable(cut)


class SampleSpool:
    """A JSON value for each cell of a table; the last value written for a cell stands.

    The disk space is given back when the spool is no longer used.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_MEMORY_BYTES)  # noqa: SIM115
        self._begin = array("q")  # by cell, -1 where nothing was stored
        self._end = 0
        self._finalizer = weakref.finalize(self, self._file.close)

    def put(self, cell: int, value: object) -> None:
        """Store the value of a cell."""
        if cell >= len(self._begin):
            grown = max(cell + 1, 2 * len(self._begin)) - len(self._begin)
            self._begin.extend(array("q", [-1]) * grown)
        encoded = json_line(value)
        self._file.write(encoded)
        self._begin[cell] = self._end
        self._end += len(encoded)

    def get(self, cell: int) -> dict[str, Any] | None:
        """The value of a cell, or None where none was stored."""
        begin = self._begin[cell] if cell < len(self._begin) else -1
        if begin < 0:
            return None
        self._file.seek(begin)
        value: dict[str, Any] = orjson.loads(self._file.readline())
        self._file.seek(self._end)
        return value
