"""Records and lines of annotation files, read with the same tolerance as predictions."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats._bytes import BLOCK_BYTES, Ledger, decode_text, raw_blocks, text_blocks
from fastvbench.formats._json import iter_json_lines, line_lists, read_json
from fastvbench.formats._parquet import PARQUET_MAGIC, iter_parquet_rows
from fastvbench.formats._sniff import Container, sniff_container
from fastvbench.formats._tables import iter_table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["file_sha256", "iter_records", "read_text_lines"]

Path = str | os.PathLike[str]


def iter_records(
    path: Path, *, ledger: Ledger | None = None, tables: bool = False
) -> Iterator[tuple[int, Any]]:
    """Yield (line or 1-based position, value) of a JSON Lines file or of a JSON array's elements.

    A JSON object that is a whole file is one record.

    Args:
        path: the file.
        ledger: counts what was tolerated.
        tables: read rows of a tsv, csv, xlsx or parquet table too.

    Raises:
        InputError: no readable file, or none of these kinds.
        MissingExtraError: a parquet file or an .xlsx table without the package that reads it.
    """
    if tables and _is_parquet(path):
        yield from iter_parquet_rows(path)
        return
    container = sniff_container(path)
    if tables and container in (Container.TSV, Container.CSV, Container.XLSX):
        yield from iter_table(path, kind=container.value, ledger=ledger)
        return
    if container is Container.LINES:
        yield from iter_json_lines(path, ledger=ledger)
        return
    if container is not Container.DOCUMENT:
        raise InputError(
            "not JSON", path=path, value=container.value, expected="JSON or JSON Lines"
        )
    value = read_json(path, ledger=ledger)
    if isinstance(value, list):
        yield from enumerate(value, start=1)
    else:
        yield 1, value


def _is_parquet(path: Path) -> bool:
    return next(raw_blocks(path)).startswith(PARQUET_MAGIC)


def read_text_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Yield (1-based line, text without its line break) of every line that is not blank.

    Lines end at \n; a \r before it is dropped.

    Raises:
        InputError: no readable text file.
    """
    number = 0
    for lines in line_lists(text_blocks(path)):
        for line in lines:
            number += 1
            text = decode_text(line).removesuffix("\r")
            if text.strip():
                yield number, text


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes on the disk, in hexadecimal.

    Of a folder, that of the lines ``<SHA-256>  <name>`` of its files in the order of their names.
    """
    digest = hashlib.sha256()
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            inner = os.path.join(path, name)
            if os.path.isfile(inner):
                digest.update(f"{file_sha256(inner)}  {name}\n".encode())
        return digest.hexdigest()
    with open(path, "rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
