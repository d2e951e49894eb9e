"""Rows on their way to columns: a few at a time from lines, documents, tables and memory."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any

import orjson

from fastvbench.formats._bytes import BLOCK_BYTES, FileHash, Ledger, text_blocks
from fastvbench.formats._json import JsonLines, RepeatedKeys, line_lists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastvbench.formats._batch import Path
    from fastvbench.formats._family import Row

__all__ = [
    "BareChunk",
    "Chunk",
    "chunks_of_cells",
    "chunks_of_lines",
    "chunks_of_map",
    "chunks_of_rows",
]

# Rows alive at once; more only miss the processor's cache.
_CHUNK_ROWS = 512
_BARE_CHUNK_ROWS = 8192  # of which only one is alive


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


@dataclass(frozen=True, slots=True)
class BareChunk:
    """Rows that hold an id and a text and nothing else, already as columns.

    Attributes:
        ids: n ids.
        texts: n texts.
        lines: n 1-based lines.
        byte_count: no less than the size of their text.
    """

    ids: list[str]
    texts: list[str | None]
    lines: Sequence[int]
    byte_count: int


def chunks_of_lines(
    path: Path,
    ledger: Ledger,
    file_hash: FileHash | None,
    *,
    bare_keys: tuple[str, str] | None = None,
) -> Iterator[Chunk | BareChunk]:
    """Read JSONL; sound lines take a path with as little Python per line as there can be.

    Args:
        path: the file.
        ledger: counts what was tolerated.
        file_hash: fed with the bytes on the disk.
        bare_keys: the keys of id and text, where rows of nothing else may come as `BareChunk`.

    Raises:
        InputError: as `fastvbench.formats.iter_json_lines`.
    """
    parser = JsonLines(path, ledger)
    number = 0
    slice_rows = _CHUNK_ROWS if bare_keys is None else _BARE_CHUNK_ROWS
    for lines in line_lists(text_blocks(path, ledger=ledger, file_hash=file_hash)):
        start = 0
        while start < len(lines):
            part = lines[start : start + slice_rows]
            start += len(part)  # not a fixed step: slice_rows may shrink on the way
            # Only a list's first line can be longer than a block.
            size = len(part[0]) + BLOCK_BYTES * len(part) // len(lines)
            numbers = range(number + 1, number + len(part) + 1)
            number += len(part)
            if parser.suspect:
                yield _any_lines(parser, part, numbers, size)
                continue
            try:
                if bare_keys is not None:
                    columns = _bare_columns(part, *bare_keys)
                    if columns is not None:
                        yield BareChunk(*columns, numbers, size)
                        continue
                    bare_keys, slice_rows = None, _CHUNK_ROWS  # rows hold more; don't try again
                yield Chunk(list(map(orjson.loads, part)), numbers, part, size)
            except orjson.JSONDecodeError:
                yield _any_lines(parser, part, numbers, size)
    saved = parser.finish()
    if saved:
        yield Chunk([value for _, value in saved], [line for line, _ in saved])


def _bare_columns(
    lines: list[bytes], id_key: str, text_key: str
) -> tuple[list[str], list[str | None]] | None:
    """Ids and texts of sound lines, or None if a row holds anything but these two.

    One row at a time: each is freed before the next is made, which is what makes this fast.
    """
    ids: list[Any] = []
    texts: list[Any] = []
    add_id, add_text = ids.append, texts.append
    value_count = 0
    try:
        for row in map(orjson.loads, lines):
            add_id(row[id_key])
            add_text(row[text_key])
            value_count += len(row)
    except (KeyError, TypeError):
        return None
    if value_count != 2 * len(lines) or not set(map(type, texts)) <= {str, NoneType}:
        return None
    id_types = set(map(type, ids))
    if id_types == {int}:
        return list(map(str, ids)), texts
    return (ids, texts) if id_types == {str} and all(ids) else None


def _any_lines(parser: JsonLines, part: list[bytes], numbers: range, size: int) -> Chunk:
    rows: list[Any] = []
    lines: list[int] = []
    raw: list[bytes | None] = []
    for number, line in zip(numbers, part, strict=True):
        values = parser.parse(number, line)
        rows += values
        lines += [number] * len(values)
        raw += [line if len(values) == 1 else None] * len(values)
    return Chunk(rows, lines, raw, size)


def chunks_of_map(document: dict[str, Any]) -> Iterator[BareChunk] | None:
    """Slice a map from ids to texts; None if a value is neither text nor null."""
    pairs = document.pairs if isinstance(document, RepeatedKeys) else None
    ids = list(document) if pairs is None else [key for key, _ in pairs]
    texts = list(document.values()) if pairs is None else [text for _, text in pairs]
    if not all(ids) or not set(map(type, texts)) <= {str, NoneType}:
        return None
    return (
        BareChunk(
            ids[start : start + _BARE_CHUNK_ROWS],
            texts[start : start + _BARE_CHUNK_ROWS],
            range(start + 1, min(start + _BARE_CHUNK_ROWS, len(ids)) + 1),
            0,
        )
        for start in range(0, len(ids), _BARE_CHUNK_ROWS)
    )


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
