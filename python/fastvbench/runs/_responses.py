"""responses.jsonl: one line a row, written whole, never twice; what a crash leaves is made good."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from typing import TYPE_CHECKING, Any

import orjson

from fastvbench.core._errors import InputError
from fastvbench.formats import write_atomic
from fastvbench.results._strict_json import json_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = ["SYNC_SECONDS", "ResponsesFile", "read_rows", "row_hash", "rows_hash"]

SYNC_SECONDS = 5.0
_TIMES = ("latency_seconds", "attempts")  # a busy server moves both, and nothing else

Row = dict[str, Any]


def read_rows(path: Path) -> Iterator[tuple[Row, int]]:
    """Each row of a responses file with the offset behind it; a torn last line is left out.

    Raises:
        InputError: a line that no run of this package wrote, before the last one.
    """
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return  # the process was ended while it wrote
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                problem = f"not a row of a run ({error})"
                raise InputError(
                    problem, path=path, line=number, expected="a JSON object"
                ) from None
            if not isinstance(row, dict) or not isinstance(row.get("id"), str):
                raise InputError(
                    "not a row of a run", path=path, line=number, value=row, expected="an id"
                )
            offset += len(line)
            yield row, offset


def row_hash(row: Row) -> bytes:
    """SHA-256 of a row without its times, which differ between equal runs."""
    kept = {name: value for name, value in row.items() if name not in _TIMES}
    return hashlib.sha256(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)).digest()


def rows_hash(hash_of_id: Mapping[str, bytes]) -> str:
    """SHA-256 of the hashes of rows in the order of their ids."""
    return hashlib.sha256(b"".join(hash_of_id[ident] for ident in sorted(hash_of_id))).hexdigest()


class ResponsesFile:
    """An append-only file of rows, each id once.

    A row is on its way to the disk, by one write, before `append` returns: the end of the process,
    however it comes, loses nothing. It is forced to the disk (fsync) every `SYNC_SECONDS` and when
    the file is closed, so that a power cut costs the rows of the last seconds at most. A write that
    fails half-way is taken back.

    What an earlier process left is made good on opening: a torn last line is cut off, and failed
    rows are taken out (the file is replaced in one step), for they are tried again.

    Args:
        path: the file, which need not exist.
        clock: monotonic seconds.

    Attributes:
        finished: ids that have an answer.
        cut_bytes: length of the torn line that was cut off.
        retried: how many failed rows were taken out.

    Raises:
        InputError: the file holds something else, or an id twice.
        OSError: the disk refused.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.finished: set[str] = set()
        self.cut_bytes = self.retried = 0
        self._clock = clock
        if path.exists():
            self._make_good()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        self._size = os.fstat(self._file).st_size
        self._synced = clock()
        self._unsynced = False

    def _make_good(self) -> None:
        end, failed = 0, set[str]()
        for row, offset in read_rows(self.path):
            ident, end = row["id"], offset
            if ident in self.finished or ident in failed:
                raise InputError("the same id stands twice", path=self.path, value=ident)
            (failed if row.get("error") else self.finished).add(ident)
        self.cut_bytes = self.path.stat().st_size - end
        self.retried = len(failed)
        if failed:
            write_atomic(
                self.path,
                lambda file: file.writelines(
                    json_line(row) for row, _ in read_rows(self.path) if row["id"] not in failed
                ),
            )
        elif self.cut_bytes:
            os.truncate(self.path, end)

    def append(self, row: Row) -> None:
        """Write one row.

        Raises:
            OSError: the disk refused; the file is then as it was before.
        """
        line = json_line(row)
        try:
            self._write(line)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(line)
        self._unsynced = True
        if not row.get("error"):
            self.finished.add(row["id"])
        if self._clock() - self._synced >= SYNC_SECONDS:
            self.sync()

    def _write(self, line: bytes) -> None:
        """One write; the rest follows where a file system took a part."""
        written = os.write(self._file, line)
        while written < len(line):
            written += os.write(self._file, line[written:])

    def sync(self) -> None:
        """Force what was written to the disk."""
        if self._unsynced:
            os.fsync(self._file)
            self._unsynced = False
        self._synced = self._clock()

    def close(self) -> None:
        """Force to the disk and close; a second call does nothing."""
        if self._file < 0:
            return
        file, self._file = self._file, -1
        try:
            if self._unsynced:
                os.fsync(file)
        finally:
            os.close(file)
