"""Parquet files: opened and read as rows, with damage reported in one line."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PARQUET_MAGIC", "blaming_parquet", "iter_parquet_rows", "open_parquet"]

PARQUET_MAGIC = b"PAR1"
_ROWS_AT_A_TIME = 8_192

Path = str | os.PathLike[str]


@contextlib.contextmanager
def blaming_parquet(path: Path) -> Iterator[None]:
    """Turn what pyarrow says about a damaged file into one line about that file.

    Raises:
        InputError: in place of pyarrow's own errors.
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise MissingExtraError("reading .parquet files", "tables") from None
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, OverflowError, ValueError) as error:  # names may be broken
        reason = str(error).partition("\n")[0]
        raise InputError(f"a damaged .parquet file ({reason})", path=path) from None


def open_parquet(path: Path) -> Any:
    """Open a file as a ``pyarrow.parquet.ParquetFile``; its rows are read when asked for.

    Raises:
        InputError: truncated or damaged.
        MissingExtraError: pyarrow is not installed.
    """
    with open(path, "rb") as file:
        size_bytes = file.seek(0, os.SEEK_END)
        file.seek(max(0, size_bytes - len(PARQUET_MAGIC)))
        last = file.read()
    if size_bytes < 12 or last != PARQUET_MAGIC:
        raise InputError(
            "a truncated .parquet file",
            path=path,
            value=last,
            expected=f"{PARQUET_MAGIC!r} as the last 4 of its {size_bytes} bytes",
        )
    with blaming_parquet(path):
        import pyarrow.parquet as pq  # noqa: PLC0415 - an optional dependency

        return pq.ParquetFile(os.fspath(path), memory_map=True)


def iter_parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (1-based row, {column: value}) for each row of a parquet file.

    Raises:
        InputError: truncated or damaged.
        MissingExtraError: pyarrow is not installed.
    """
    number = 0
    with blaming_parquet(path):
        for batch in open_parquet(path).iter_batches(batch_size=_ROWS_AT_A_TIME):
            for row in batch.to_pylist():
                number += 1
                yield number, row
