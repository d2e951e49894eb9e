"""What each row said and how each rule set read it, kept on disk until a report asks for it.

Answers can be gigabytes; a result needs them only for the samples file and the list of rows on
which rule sets differ. Rows are appended to a temporary file as they are scored, and memory holds
one offset a row.
"""

from __future__ import annotations

import tempfile
import weakref
from typing import Any

import numpy as np
import orjson

__all__ = ["MOST_EXCERPT_CHARACTERS", "SampleSpool", "excerpt"]

MOST_EXCERPT_CHARACTERS = 2_000
_MEMORY_BYTES = 32 << 20


def excerpt(text: str | None) -> str | None:
    """At most 2,000 characters of a text, with lone surrogates made printable."""
    if text is None:
        return None
    cut = text if len(text) <= MOST_EXCERPT_CHARACTERS else text[:MOST_EXCERPT_CHARACTERS]
    return cut.encode("utf-8", "backslashreplace").decode("utf-8")


class SampleSpool:
    """One JSON value for each of n rows; the last value written for a row stands.

    The disk space is given back when the spool is no longer used.
    """

    def __init__(self, row_count: int) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_MEMORY_BYTES)  # noqa: SIM115
        self._begin = np.full(row_count, -1, dtype=np.int64)
        self._size = np.zeros(row_count, dtype=np.int64)
        self._end = 0
        self._finalizer = weakref.finalize(self, self._file.close)

    def put(self, row: int, value: object) -> None:
        """Store the value of a row."""
        encoded = orjson.dumps(value)
        self._file.write(encoded)
        self._begin[row] = self._end
        self._size[row] = len(encoded)
        self._end += len(encoded)

    def get(self, row: int) -> dict[str, Any] | None:
        """The value of a row, or None where none was stored."""
        begin = int(self._begin[row])
        if begin < 0:
            return None
        self._file.seek(begin)
        value: dict[str, Any] = orjson.loads(self._file.read(int(self._size[row])))
        self._file.seek(self._end)
        return value
