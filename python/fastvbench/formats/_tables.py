"""Tables as rows: tsv and csv as a stream, xlsx whole."""

from __future__ import annotations

import csv
import datetime
import io
import zipfile
import zlib
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.formats._bytes import FileHash, Ledger, count, decode_text, open_bytes, text_blocks
from fastvbench.formats._json import line_lists
from fastvbench.formats._sniff import Container, sniff_container

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fastvbench.formats._batch import Path
    from fastvbench.formats._family import Row

__all__ = ["iter_table"]

_DELIMITERS = {"tsv": "\t", "csv": ","}
# Answers may be longer than the 128 KiB that the csv module allows a cell by default.
_LARGEST_CELL = 1 << 30


def iter_table(
    path: Path,
    *,
    kind: str | None = None,
    ledger: Ledger | None = None,
    file_hash: FileHash | None = None,
) -> Iterator[tuple[int, Row]]:
    r"""Yield (1-based line or sheet row, {column: cell}) for each row of a table.

    Quoted cells may hold line breaks; lines end at ``\n`` only. An empty cell is None. Cells of
    tsv and csv are texts; those of xlsx keep their numbers, and a text that Excel took for a
    formula is given as it was written. Of an .xlsx file, the first sheet is read.

    Args:
        path: the table, plain or gzip.
        kind: ``tsv``, ``csv`` or ``xlsx``; found by content if None.
        ledger: counts what was tolerated.
        file_hash: fed with the bytes on the disk.

    Raises:
        InputError: no readable table, a row with more cells than the header has columns.
        MissingExtraError: an .xlsx table without openpyxl.
    """
    if kind is None:
        container = sniff_container(path)
        if container in (Container.LINES, Container.DOCUMENT):
            raise InputError("this is JSON", path=path, expected="a tsv, csv or xlsx table")
        kind = container.value
    if kind == "xlsx":
        return _sheet_rows(path, ledger, file_hash)
    return _text_rows(path, _DELIMITERS[kind], ledger, file_hash)


def _text_rows(
    path: Path, delimiter: str, ledger: Ledger | None, file_hash: FileHash | None
) -> Iterator[tuple[int, Row]]:
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
    ends_with_newline = True

    def lines() -> Iterator[str]:
        nonlocal ends_with_newline
        for part in line_lists(_watched()):
            for line in part:
                yield decode_text(line.removesuffix(b"\r"), ledger=ledger) + "\n"

    def _watched() -> Iterator[bytes]:
        nonlocal ends_with_newline
        for block in text_blocks(path, ledger=ledger, file_hash=file_hash):
            ends_with_newline = block.endswith(b"\n")
            yield block

    reader = csv.reader(lines(), delimiter=delimiter)
    try:
        header = _header(path, next(reader, []))
        first_line = reader.line_num + 1
        held: tuple[int, list[str]] | None = None
        for cells in reader:
            if held is not None:
                yield held[0], _row(path, *held, header)
            held = (first_line, cells) if cells else None  # blank lines give no cells
            first_line = reader.line_num + 1
        if held is not None:
            if len(held[1]) < len(header) and not ends_with_newline:
                count(ledger, "torn_last_line")
            else:
                yield held[0], _row(path, *held, header)
    except csv.Error as error:
        raise InputError(
            f"not a table ({error})", path=path, line=reader.line_num, expected="quoted cells"
        ) from None


def _header(path: Path, names: Iterable[object]) -> list[str]:
    header = ["" if name is None else str(name).strip() for name in names]
    while header and not header[-1]:
        header.pop()
    named = [name for name in header if name]
    repeated = next((name for name in named if named.count(name) > 1), None)
    if repeated is not None:
        raise InputError(
            "two columns have one name", path=path, line=1, value=repeated, expected="unique names"
        )
    return header


def _row(path: Path, line: int, cells: list[str], header: list[str]) -> Row:
    if len(cells) > len(header) and any(cells[len(header) :]):
        raise InputError(
            "rows of mixed shape",
            path=path,
            line=line,
            value=f"{len(cells)} cells",
            expected=f"{len(header)}, as many as the header names",
        )
    row: Row = {name: cell or None for name, cell in zip(header, cells, strict=False) if name}
    for name in header[len(cells) :]:
        row[name] = None
    return row


def _sheet_rows(
    path: Path, ledger: Ledger | None, file_hash: FileHash | None
) -> Iterator[tuple[int, Row]]:
    try:
        import openpyxl  # noqa: PLC0415 - an optional dependency
        from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("reading .xlsx tables", "tables") from None
    with open_bytes(path, file_hash=file_hash) as file:
        data = io.BytesIO(file.read())
    broken = (
        InvalidFileException,
        zipfile.BadZipFile,
        zlib.error,
        KeyError,
        ValueError,
        ParseError,
    )
    try:
        # Not data_only: an answer that begins with "=" was stored as a formula without a value.
        workbook = openpyxl.load_workbook(data, read_only=True)
        rows = workbook.worksheets[0].iter_rows(values_only=True)
        header = _header(path, next(rows, ()))
        numbered = list(enumerate(rows, start=2))
    except broken as error:
        raise InputError(f"a damaged .xlsx table ({error})", path=path) from None
    for number, cells in numbered:
        row: Row = {}
        for name, cell in zip(header, cells, strict=False):
            if name:
                row[name] = _cell(cell, ledger)
        if any(cell is not None for cell in row.values()):
            yield number, row


def _cell(cell: object, ledger: Ledger | None) -> object:
    if isinstance(cell, str):
        return cell.replace("_x000D_", "\r") or None
    if cell is None or isinstance(cell, int | float):
        return cell
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        count(ledger, "excel_dates")
    return str(getattr(cell, "text", cell))
