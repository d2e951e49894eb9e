"""Rows on their way to columns: a few at a time from lines, documents, tables and memory."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from fastvbench.formats._bytes import BLOCK_BYTES, FileHash, Ledger, text_blocks
from fastvbench.formats._json import JsonLines, line_lists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastvbench.formats._batch import Path
    from fastvbench.formats._family import Row

__all__ = ["Chunk", "chunks_of_cells", "chunks_of_lines", "chunks_of_rows"]

_CHUNK_ROWS = 512  # rows alive at once; more only miss the processor's cache


@dataclass(frozen=True, slots=True)
class Chunk:
    """A few rows.

    Attributes:
        rows: parsed values, not looked at yet.
        lines: their 1-based lines or row numbers.
        raw: the line of each row where it has one of its own.
        byte_count: no less than the size of their text, where it is not in memory anyway.
    """

    rows: list[Any]
    lines: Sequence[int]
    raw: Sequence[bytes | None] | None = None
    byte_count: int = 0


def chunks_of_lines(path: Path, ledger: Ledger, file_hash: FileHash | None) -> Iterator[Chunk]:
    """Read JSONL; sound lines take a path with almost no Python per line.

    Raises:
        InputError: as `fastvbench.formats.iter_json_lines`.
    """
    parser = JsonLines(path, ledger)
    number = 0
    for lines in line_lists(text_blocks(path, ledger=ledger, file_hash=file_hash)):
        for start in range(0, len(lines), _CHUNK_ROWS):
            # Only a list's first line can be longer than a block.
            part = lines[start : start + _CHUNK_ROWS]
            size = len(part[0]) + BLOCK_BYTES * len(part) // len(lines)
            chunk = None if parser.suspect else _sound_lines(part, number, size)
            yield _any_lines(parser, part, number, size) if chunk is None else chunk
            number += len(part)
    saved = parser.finish()
    if saved:
        yield Chunk([value for _, value in saved], [line for line, _ in saved])


def _sound_lines(part: list[bytes], number: int, size: int) -> Chunk | None:
    try:
        rows = list(map(orjson.loads, part))
    except orjson.JSONDecodeError:
        return None
    return Chunk(rows, range(number + 1, number + len(rows) + 1), part, size)


def _any_lines(parser: JsonLines, part: list[bytes], number: int, size: int) -> Chunk:
    rows: list[Any] = []
    numbers: list[int] = []
    raw: list[bytes | None] = []
    for line in part:
        number += 1
        values = parser.parse(number, line)
        rows += values
        numbers += [number] * len(values)
        raw += [line if len(values) == 1 else None] * len(values)
    return Chunk(rows, numbers, raw, size)


def chunks_of_cells(rows: Iterable[tuple[int, Row]]) -> Iterator[Chunk]:
    """Group numbered rows of a table that is read as a stream."""
    for chunk in chunks_of_rows(rows):
        cells = (cell for row in chunk.rows for cell in row.values() if isinstance(cell, str))
        yield Chunk(chunk.rows, chunk.lines, None, sum(map(len, cells)))


def chunks_of_rows(rows: Iterable[tuple[int, Any]]) -> Iterator[Chunk]:
    """Group numbered rows of a document or of memory."""
    iterator = iter(rows)
    while part := list(itertools.islice(iterator, _CHUNK_ROWS)):
        yield Chunk([row for _, row in part], [number for number, _ in part])
