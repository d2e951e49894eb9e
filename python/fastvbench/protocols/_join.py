"""Which annotation each prediction row belongs to, and what did not fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from fastvbench.formats import PredictionBatch
    from fastvbench.protocols._gold import Gold

__all__ = ["JoinLedger", "join_batch"]

MOST_EXAMPLES = 5


@dataclass(slots=True)
class JoinLedger:
    """Counts over all files of one run."""

    rows: int = 0
    unexpected: int = 0
    duplicates: int = 0
    unexpected_examples: list[str] = field(default_factory=list)


def join_batch(
    batch: PredictionBatch, gold: Gold, path: Path | str, ledger: JoinLedger
) -> npt.NDArray[np.int64]:
    """Annotation row of each prediction row, -1 where there is none.

    Rows join by id; rows without an id, and files none of whose ids are known but whose rows name
    video and query, join by those.

    Raises:
        InputError: a row has neither id nor video and query, or its video and query stand for
            several annotations.
    """
    known = gold.row_of_id
    if None not in batch.ids:
        first = known.get(batch.ids[0], -1)  # type: ignore[arg-type]
        if first >= 0 and batch.ids == gold.ids[first : first + len(batch.ids)]:
            ledger.rows += len(batch.ids)  # in the annotations' own order: no look-ups
            return np.arange(first, first + len(batch.ids), dtype=np.int64)
        rows = np.array([known.get(i, -1) for i in batch.ids], dtype=np.int64)  # type: ignore[arg-type]
        if (rows >= 0).any() or not _names_queries(batch):
            return _count_unexpected(rows, batch, ledger)
    rows = np.array(
        [_row_without_id(batch, k, gold, known, path) for k in range(len(batch.ids))],
        dtype=np.int64,
    )
    return _count_unexpected(rows, batch, ledger)


def _names_queries(batch: PredictionBatch) -> bool:
    return "video" in batch.fields and "query" in batch.fields


def _row_without_id(
    batch: PredictionBatch, k: int, gold: Gold, known: dict[str, int], path: Path | str
) -> int:
    ident = batch.ids[k]
    if ident is not None and ident in known:
        return known[ident]
    video = batch.fields["video"][k] if "video" in batch.fields else None
    query = batch.fields["query"][k] if "query" in batch.fields else None
    if not isinstance(video, str) or not isinstance(query, str):
        if ident is not None:
            return -1
        raise InputError(
            "a row without an id",
            path=path,
            line=batch.lines[k],
            field="id",
            value=None,
            expected="an id, or a video and a query",
        )
    row = gold.row_of_key(video, query)
    if row == -1:
        raise InputError(
            "several annotations have this video and query",
            path=path,
            line=batch.lines[k],
            field="query",
            value=query,
            expected="rows with ids",
        )
    return -1 if row is None else row


def _count_unexpected(
    rows: npt.NDArray[np.int64], batch: PredictionBatch, ledger: JoinLedger
) -> npt.NDArray[np.int64]:
    ledger.rows += len(rows)
    outside = np.flatnonzero(rows < 0)
    ledger.unexpected += len(outside)
    for k in outside[: MOST_EXAMPLES - len(ledger.unexpected_examples)].tolist():
        ledger.unexpected_examples.append(str(batch.ids[k]))
    return rows
