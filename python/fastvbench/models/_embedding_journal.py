"""Vectors as they are made, so that a stopped job goes on where it was."""

from __future__ import annotations

import fcntl
import os
import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import orjson

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["EmbeddingJournal", "JournalEntry"]

_HEAD = struct.Struct("<qq")  # row, units
_CHECK = struct.Struct("<I")


class JournalEntry(NamedTuple):
    """One finished row.

    Attributes:
        row: its number.
        units: tokens of its text, or frames of its video.
        vector: float32 [d].
    """

    row: int
    units: int
    vector: NDArray[np.float32]


class EmbeddingJournal:
    """A file of finished rows, appended to one write a row.

    Its first line says what the rows were made of and with. Each row carries a checksum: what a
    kill, a full disk or a power cut left of a last row is cut off at the next opening. Writes
    reach the operating system at once and the disk when it pleases, since a row that is lost is
    made again. The file stays when all is done: the next begin then has nothing to do.

    Args:
        path: the file; made where it is not there.
        made_with: what moves the vectors, as JSON values; must be that of an earlier begin.
        dimension: values a row.

    Raises:
        InputError: begun with other settings, in use by another process, or no such file.
    """

    def __init__(self, path: Path, made_with: Mapping[str, Any], dimension: int) -> None:
        self._path = path
        self._record = _HEAD.size + 4 * dimension + _CHECK.size
        head = orjson.dumps(made_with, option=orjson.OPT_SORT_KEYS) + b"\n"
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._lock()
            self.entries = self._resume(head)
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("another process writes here", path=self._path) from None

    def _resume(self, head: bytes) -> dict[int, JournalEntry]:
        with open(self._path, "rb") as file:
            begun = file.readline()
            content = file.read()
        if not begun.endswith(b"\n"):  # new, or stopped before its first line was whole
            os.ftruncate(self._file, 0)
            _write(self._file, head)
            return {}
        if begun != head:
            raise InputError(
                f"was begun with other settings ({_difference(begun, head)})",
                path=self._path,
                expected="another output folder, or the settings of the first begin",
            )
        entries: dict[int, JournalEntry] = {}
        whole = 0
        while (entry := self._entry(content, whole)) is not None:
            entries[entry.row] = entry
            whole += self._record
        os.ftruncate(self._file, len(begun) + whole)
        return entries

    def _entry(self, content: bytes, begin: int) -> JournalEntry | None:
        record = content[begin : begin + self._record]
        if len(record) < self._record:
            return None
        body, check = record[: -_CHECK.size], _CHECK.unpack(record[-_CHECK.size :])[0]
        if zlib.crc32(body) != check:
            return None
        row, units = _HEAD.unpack(body[: _HEAD.size])
        return JournalEntry(row, units, np.frombuffer(body, np.float32, offset=_HEAD.size))

    def add(self, row: int, units: int, vector: NDArray[np.float32]) -> None:
        """Keep a finished row.

        Raises:
            OSError: the disk refused it.
        """
        body = _HEAD.pack(row, units) + np.ascontiguousarray(vector, np.float32).tobytes()
        _write(self._file, body + _CHECK.pack(zlib.crc32(body)))
        self.entries[row] = JournalEntry(row, units, vector)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def _write(descriptor: int, content: bytes) -> None:
    """Write all of it; a disk that fills up takes a part first and refuses the rest."""
    done = 0
    while done < len(content):
        done += os.write(descriptor, content[done:])


def _difference(begun: bytes, asked: bytes) -> str:
    """The names of the settings that differ."""
    try:
        old, new = orjson.loads(begun), orjson.loads(asked)
    except orjson.JSONDecodeError:
        return "its first line is damaged"
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return ", ".join(sorted(names))
