"""What a file is, by its content alone: lines, one document, or a table."""

from __future__ import annotations

import io
import itertools
import zipfile
from enum import Enum
from typing import TYPE_CHECKING, BinaryIO

import orjson

from fastvbench.core._errors import InputError
from fastvbench.formats._bytes import open_bytes, raw_blocks, text_blocks
from fastvbench.formats._json import JsonSyntaxError, iter_json_lines, parse_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.formats._batch import Json, Path

__all__ = ["SNIFFED_ROWS", "Container", "first_rows", "sniff_container"]

SNIFFED_ROWS = 100


class Container(Enum):
    """How rows lie in a file."""

    LINES = "lines"
    DOCUMENT = "document"
    TSV = "tsv"
    CSV = "csv"
    XLSX = "xlsx"
    MEMORY = "memory"


def sniff_container(path: Path) -> Container:
    """Tell lines, a document and tables apart.

    Raises:
        InputError: the file is none of these; the message says what it seems to be.
    """
    start = next(raw_blocks(path))
    if start.startswith(b"PK\x03\x04"):
        with open_bytes(path) as file:
            return _zip_container(path, file)
    blocks = text_blocks(path)
    line, rest = _first_line(path, blocks)
    following = next(
        (part for block in itertools.chain([rest], blocks) if (part := block.strip())), b""
    )
    if line[:1] == b"[":
        return Container.DOCUMENT
    if line[:1] == b"{":
        return _lines_or_document(line, following)
    if following and b"\t" in line:
        return Container.TSV
    if following and b"##" in line:
        raise InputError(
            "this looks like Charades-STA annotations, not predictions",
            path=path,
            value=line[:60].decode("utf-8", "replace"),
            expected="JSON, JSONL, tsv, csv or xlsx",
        )
    if following and b"," in line:
        return Container.CSV
    if line.startswith(b'"') and line.endswith(b'"'):
        raise InputError(
            "lines that are names, not answers: VideoLLaMA3 writes only the names of its settings "
            "to .jsonl where a benchmark has several",
            path=path,
            value=line[:60].decode("utf-8", "replace"),
            expected="the .json file that it can write instead",
        )
    raise InputError(
        "neither JSON nor a table",
        path=path,
        value=line[:60].decode("utf-8", "replace"),
        expected="JSON, JSONL, tsv, csv or xlsx",
    )


def _zip_container(path: Path, file: BinaryIO) -> Container:
    try:
        names = zipfile.ZipFile(io.BytesIO(file.read())).namelist()
    except zipfile.BadZipFile as error:
        raise InputError(f"a damaged zip archive ({error})", path=path) from None
    if "xl/workbook.xml" in names:
        return Container.XLSX
    raise InputError("this is a zip archive", path=path, expected="JSON, JSONL, tsv, csv or xlsx")


def _first_line(path: Path, blocks: Iterator[bytes]) -> tuple[bytes, bytes]:
    """The first line that is not blank, and what was read beyond it."""
    parts: list[bytes] = []
    for block in blocks:
        piece = block if parts else block.lstrip()
        if not piece:
            continue
        line, end, rest = piece.partition(b"\n")
        parts.append(line)
        if end:
            return b"".join(parts).rstrip(), rest
    if not parts:
        raise InputError("the file holds nothing but white space", path=path)
    return b"".join(parts).rstrip(), b""


def _lines_or_document(line: bytes, following: bytes) -> Container:
    try:
        orjson.loads(line)
        whole = 1
    except orjson.JSONDecodeError:
        try:
            whole = len(parse_line(line))
        except JsonSyntaxError as problem:
            # An opening line of a printed document ends in "{" or ","; a broken row does not.
            broken_row = line.endswith(b"}") or following.startswith(b"{")
            whole = 2 if problem.before or (broken_row and following) else 0
    if whole > 1 or (whole == 1 and following):
        return Container.LINES
    return Container.DOCUMENT


def first_rows(path: Path) -> list[Json]:
    """The first rows of a file of lines, enough to see which keys it has.

    Raises:
        InputError: as `iter_json_lines`, and if there is no row.
    """
    rows = [value for _, value in itertools.islice(iter_json_lines(path), SNIFFED_ROWS)]
    if not rows:
        raise InputError("the file holds no complete row", path=path, expected="JSON objects")
    return rows
