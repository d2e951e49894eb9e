"""Readers of other people's prediction files, detected by content; tolerant JSON and tables."""

from __future__ import annotations

from fastvbench.formats._atomic import write_atomic
from fastvbench.formats._batch import BATCH_ROWS, PredictionBatch
from fastvbench.formats._bytes import FileHash, Ledger, decode_text, open_bytes
from fastvbench.formats._cells import parse_list_cell
from fastvbench.formats._json import iter_json_lines, read_json
from fastvbench.formats._open import PredictionFile, open_predictions
from fastvbench.formats._records import file_sha256, iter_records, read_text_lines
from fastvbench.formats._registry import FORMATS
from fastvbench.formats._tables import iter_table

__all__ = [
    "BATCH_ROWS",
    "FORMATS",
    "FileHash",
    "Ledger",
    "PredictionBatch",
    "PredictionFile",
    "decode_text",
    "file_sha256",
    "iter_json_lines",
    "iter_records",
    "iter_table",
    "open_bytes",
    "open_predictions",
    "parse_list_cell",
    "read_json",
    "read_text_lines",
    "write_atomic",
]
