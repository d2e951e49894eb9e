"""Open a prediction file: find out what it is, then give its rows as columns."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import BATCH_ROWS, BatchBuilder, Path, PredictionBatch
from fastvbench.formats._bytes import FileHash, Ledger, count, text_blocks
from fastvbench.formats._document import DocumentFamily
from fastvbench.formats._json import JsonLines, line_lists, read_json
from fastvbench.formats._registry import (
    ANNOTATION_SHAPES,
    DOCUMENT_FAMILIES,
    FORMATS,
    GENERIC_ROWS,
    ROW_FAMILIES,
)
from fastvbench.formats._rows import (
    RowFamily,
    RowPlan,
    RowsToColumns,
    plan_any_rows,
    plan_family_rows,
)
from fastvbench.formats._sniff import Container, first_rows, sniff_container
from fastvbench.formats._tables import iter_table
from fastvbench.formats.generic import is_one_row

__all__ = ["PredictionFile", "open_predictions"]

_SLICE_ROWS = 1024  # rows alive at once on the fast path; more only miss the cache


@dataclass(frozen=True)
class _Reading:
    """How a file is read: decided once, on opening."""

    format: str
    container: Container
    plan: RowPlan
    row_family: RowFamily | None = None
    document_family: DocumentFamily | None = None


@dataclass(frozen=True)
class _Chunk:
    """A few rows on their way to columns."""

    rows: list[Any]
    lines: Sequence[int]
    raw: Sequence[bytes | None] | None
    byte_count: int
    fast: bool = False


class PredictionFile:
    """A file of model outputs, or rows in memory, read in batches of columns.

    Made by `open_predictions`.

    Attributes:
        path: the file; ``<memory>`` for rows in memory.
        format: the name of its format, a key of ``FORMATS``, or ``memory``.
        carries_gold: whether rows hold the right answers too, so that no annotations are needed.
        ledger: what the latest pass met and tolerated, by name, with how often.
    """

    def __init__(self, path: pathlib.Path, reading: _Reading, document: Any = None) -> None:
        self.path = path
        self.format = reading.format
        self.carries_gold = reading.plan.carries_gold
        self.ledger: Ledger = {}
        self._reading = reading
        self._sha256: str | None = None
        self._memory = document if reading.container is Container.MEMORY else None

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes on the disk, packed if they are; known after a full pass.

        For rows in memory, of their JSON text. Before a full pass, the file is read for it.
        """
        if self._sha256 is None:
            self._sha256 = self._hash_now()
        return self._sha256

    def _hash_now(self) -> str:
        if self._memory is not None:
            text = json.dumps(self._memory, sort_keys=True, default=str)
            return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        file_hash = FileHash()
        with open(self.path, "rb") as file:
            while block := file.read(1 << 20):
                file_hash.update(block)
        return file_hash.hexdigest()

    def batches(self) -> Iterator[PredictionBatch]:
        """Yield all rows in the order of the file; a second call reads the file again.

        Raises:
            InputError: a row cannot be read as what its file is; also in the middle of a pass.
        """
        self.ledger = ledger = {}
        file_hash = FileHash()
        builder = BatchBuilder()
        columns = RowsToColumns(self.path, self._reading.plan, ledger)
        row_count = 0
        for chunk in self._chunks(ledger, file_hash):
            row_count += len(chunk.rows)
            bare = columns.bare(chunk.rows) if chunk.fast else None
            if bare is not None:
                ids, texts, fields = *bare, {}
            elif chunk.rows:
                ids, texts, fields = columns.convert(*self._converted(chunk, ledger))
            else:
                continue
            lines = chunk.lines if bare is not None else self._lines
            yield from builder.add(ids, texts, lines, fields, byte_count=chunk.byte_count)
        if row_count == 0:
            raise InputError("holds no rows", path=self.path, expected="at least one prediction")
        yield from builder.flush()
        if self._memory is None:
            self._sha256 = file_hash.hexdigest()
