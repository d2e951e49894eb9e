"""Which annotation each prediction row belongs to, and what did not fit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.protocols._answers import answer_texts
from fastvbench.protocols._gold import bare_video_name, gold_letter_index
from fastvbench.protocols._groups import id_in_order

if TYPE_CHECKING:
    from pathlib import Path

    from fastvbench.formats import PredictionBatch
    from fastvbench.protocols._gold import Gold

__all__ = ["JoinLedger", "join_batch"]

MOST_EXAMPLES = 5
MOST_EXAMPLE_CHARACTERS = 80
MOST_DIFFERING_GOLD = 0.05  # a few corrected answers are no other numbering


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

    Rows join by id, and where questions stand in several orders of their options by id and order;
    files none of whose ids are known join by the ``question_id`` that some tools keep beside a row
    number. Rows without an id, and files whose rows are still unknown but name video and query,
    join by those. A row that names a video and the place of its sentence among the video's
    annotations (VTimeLLM's ``sentence_id``) joins by that; one that names a video, whose one
    question stands in several orders of its options, and an order, by these.

    Raises:
        InputError: a row has neither id nor video and query, or its video and query stand for
            several annotations.
    """
    known = gold.row_of_id
    batch = _by_question_id(batch, known)
    if gold.groups is not None:
        batch = _with_orders(batch, known)
    if None not in batch.ids:
        first = known.get(batch.ids[0], -1)  # type: ignore[arg-type]
        if first >= 0 and batch.ids == gold.ids[first : first + len(batch.ids)]:
            # In the annotations' own order: no look-ups.
            rows = np.arange(first, first + len(batch.ids), dtype=np.int64)
        else:
            rows = np.array([known.get(i, -1) for i in batch.ids], dtype=np.int64)  # type: ignore[arg-type]
        _compare_own_gold(batch, rows, gold, path)
        if (rows >= 0).any() or not _names_queries(batch):
            return _count_unexpected(rows, batch, ledger)
    rows = np.array(
        [_row_without_id(batch, k, gold, known, path) for k in range(len(batch.ids))],
        dtype=np.int64,
    )
    return _count_unexpected(rows, batch, ledger)


def _by_question_id(batch: PredictionBatch, known: dict[str, int]) -> PredictionBatch:
    """The batch with the benchmark's own ids where its tool counts rows and keeps those beside."""
    named = batch.fields.get("question_id")
    if named is None or any(ident in known for ident in batch.ids):
        return batch
    ids = [
        ident if name is None else str(name) for ident, name in zip(batch.ids, named, strict=True)
    ]
    return replace(batch, ids=ids) if any(ident in known for ident in ids) else batch


def _with_orders(batch: PredictionBatch, known: dict[str, int]) -> PredictionBatch:
    """The batch with ``id#order`` for ids that stand for a question in all its orders."""
    orders = batch.fields.get("order")
    if orders is None:
        return batch
    ids = [
        ident if ident is None or order is None or ident in known else id_in_order(ident, order)
        for ident, order in zip(batch.ids, orders, strict=True)
    ]
    return replace(batch, ids=ids)


def _compare_own_gold(
    batch: PredictionBatch, rows: npt.NDArray[np.int64], gold: Gold, path: Path | str
) -> None:
    """Refuse files whose own gold answers say that their ids number something else.

    lmms-eval's ``doc_id`` is a row number of its data set; it may well be the id of another
    question of the annotation file.
    """
    own = batch.fields.get("gold")
    if own is None:
        return
    compared, differing = 0, []
    for k in np.flatnonzero(rows >= 0).tolist():
        agrees = _agrees(own[k], gold, int(rows[k]))
        if agrees is not None:
            compared += 1
            if not agrees:
                differing.append(k)
    if len(differing) > MOST_DIFFERING_GOLD * compared:
        k = differing[0]
        raise InputError(
            f"the file's own gold differs from the annotations in {len(differing):,} of "
            f"{compared:,} rows: its ids number something else",
            path=path,
            line=batch.lines[k],
            field="gold",
            value=own[k],
            expected=f"{_gold_text(gold, int(rows[k]))} for id {batch.ids[k]!r}",
        )


def _agrees(own: object, gold: Gold, row: int) -> bool | None:
    """Whether a file's own gold answer is the annotation's; None where that can't be compared."""
    if gold.answers is not None and gold.answers[row] and own is not None:
        # An accepted answer in common is enough: some tables keep the first alone.
        return any(answer in gold.answers[row] for answer in answer_texts(own))
    if gold.letters is not None and isinstance(own, str):
        letter = gold_letter_index(own, None)
        if letter >= 0:
            return letter == int(gold.letters[row])
    return None


def _gold_text(gold: Gold, row: int) -> str:
    if gold.answers is not None and gold.answers[row]:
        return repr(gold.answers[row][0])
    return chr(ord("A") + int(gold.letters[row])) if gold.letters is not None else "another"


def _names_queries(batch: PredictionBatch) -> bool:
    return "video" in batch.fields and "query" in batch.fields


def _row_without_id(
    batch: PredictionBatch, k: int, gold: Gold, known: dict[str, int], path: Path | str
) -> int:
    ident = batch.ids[k]
    if ident is not None and ident in known:
        return known[ident]
    video, query, place, order = (
        batch.fields[name][k] if name in batch.fields else None
        for name in ("video", "query", "sentence_id", "order")
    )
    if ident is None and isinstance(video, str) and gold.groups is not None and order is not None:
        row_in_order = gold.row_of_order(bare_video_name(video), order)
        if row_in_order is not None:
            return row_in_order
    if isinstance(video, str) and query is None and isinstance(place, int) and place >= 0:
        return gold.row_of_place(video, place)
    if not isinstance(video, str) or not isinstance(query, str):
        if ident is not None:
            return -1
        raise InputError(
            "a row without an id",
            path=path,
            line=batch.lines[k],
            field="id",
            value=None,
            expected="an id, a video and a query, or a video and a sentence_id",
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


def _named(batch: PredictionBatch, k: int) -> str:
    """Row k as a message names it: its id, else its video and query."""
    if batch.ids[k] is not None:
        return str(batch.ids[k])
    parts = (batch.fields[name][k] for name in ("video", "query") if name in batch.fields)
    return " ".join(str(part) for part in parts if part is not None)[:MOST_EXAMPLE_CHARACTERS]


def _count_unexpected(
    rows: npt.NDArray[np.int64], batch: PredictionBatch, ledger: JoinLedger
) -> npt.NDArray[np.int64]:
    ledger.rows += len(rows)
    outside = np.flatnonzero(rows < 0)
    ledger.unexpected += len(outside)
    for k in outside[: MOST_EXAMPLES - len(ledger.unexpected_examples)].tolist():
        ledger.unexpected_examples.append(_named(batch, k))
    return rows
