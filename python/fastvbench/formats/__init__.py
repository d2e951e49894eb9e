"""Readers of other people's prediction files, detected by content; tolerant JSON and tables."""

from __future__ import annotations

from fastvbench.core._atomic import write_atomic
from fastvbench.formats._batch import BATCH_ROWS, PredictionBatch, as_id
from fastvbench.formats._bytes import FileHash, Ledger, decode_text, open_bytes
from fastvbench.formats._cells import parse_list_cell
from fastvbench.formats._family import first_present
from fastvbench.formats._json import iter_json_lines, read_json
from fastvbench.formats._open import PredictionFile, open_predictions
from fastvbench.formats._parquet import (
    PARQUET_MAGIC,
    blaming_parquet,
    iter_parquet_rows,
    open_parquet,
)
from fastvbench.formats._records import file_sha256, iter_records, read_text_lines
from fastvbench.formats._registry import FORMATS
from fastvbench.formats._tables import iter_table
from fastvbench.formats._write_rankings import write_rankings
from fastvbench.formats.clip_times import ClipTimes, read_clip_times
from fastvbench.formats.lovr_captions import (
    LovrCaptions,
    clip_id_of_path,
    read_lovr_captions,
    video_of_clip,
)
from fastvbench.formats.nested import VIDEOMME_CATEGORIES
from fastvbench.formats.rankings import Rankings, read_rankings
from fastvbench.formats.samples import MOST_EXCERPT_CHARACTERS
from fastvbench.formats.submissions import (
    SUBMISSIONS,
    SubmissionFormat,
    SubmissionRow,
    submission_bytes,
    write_submission,
)
from fastvbench.formats.truth import Truth, read_truth
from fastvbench.formats.verdicts import Verdict, VerdictFile, read_verdicts

__all__ = [
    "BATCH_ROWS",
    "FORMATS",
    "MOST_EXCERPT_CHARACTERS",
    "PARQUET_MAGIC",
    "SUBMISSIONS",
    "VIDEOMME_CATEGORIES",
    "ClipTimes",
    "FileHash",
    "Ledger",
    "LovrCaptions",
    "PredictionBatch",
    "PredictionFile",
    "Rankings",
    "SubmissionFormat",
    "SubmissionRow",
    "Truth",
    "Verdict",
    "VerdictFile",
    "as_id",
    "blaming_parquet",
    "clip_id_of_path",
    "decode_text",
    "file_sha256",
    "first_present",
    "iter_json_lines",
    "iter_parquet_rows",
    "iter_records",
    "iter_table",
    "open_bytes",
    "open_parquet",
    "open_predictions",
    "parse_list_cell",
    "read_clip_times",
    "read_json",
    "read_lovr_captions",
    "read_rankings",
    "read_text_lines",
    "read_truth",
    "read_verdicts",
    "submission_bytes",
    "video_of_clip",
    "write_atomic",
    "write_rankings",
    "write_submission",
]
