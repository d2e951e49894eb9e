"""Rows of small comma- or tab-separated files, with errors that name the file."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["csv_rows"]

MOST_CELL_CHARACTERS = 131_072


def csv_rows(lines: Sequence[str], path: Path, delimiter: str) -> Iterator[list[str]]:
    """Cells of each line.

    Raises:
        InputError: a line that is no row, such as a cell of more than 131,072 characters.
    """
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for cells in reader:
            # The csv module's own limit belongs to the whole process, and others raise it.
            if max(map(len, cells), default=0) > MOST_CELL_CHARACTERS:
                raise csv.Error(f"field larger than field limit ({MOST_CELL_CHARACTERS})")
            yield cells
    except csv.Error as error:
        raise InputError(
            f"not a table: {error}", path=path, line=reader.line_num, expected="one row a line"
        ) from None
