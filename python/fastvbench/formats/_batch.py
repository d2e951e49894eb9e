"""The columns that every reader of predictions gives, and how raw values become ids and texts."""

from __future__ import annotations

import json
import math
import numbers
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.core._numbers import as_float
from fastvbench.formats._bytes import Json, Ledger, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "BATCH_ROWS",
    "BatchBuilder",
    "Json",
    "Path",
    "PredictionBatch",
    "as_id",
    "as_intervals",
    "as_text",
]

BATCH_ROWS = 65_536
_BATCH_CHARACTERS = 64 << 20  # long answers make shorter batches

Path = str | os.PathLike[str]


@dataclass(slots=True)
class PredictionBatch:
    """Some rows of a prediction file, as columns.

    Attributes:
        ids: n ids; None where the file carries none for the row.
        texts: n raw model outputs; None where there is none (null, NaN, absent).
        lines: n 1-based lines (JSONL, tsv, csv) or rows (documents, xlsx), for messages.
        fields: columns of length n that the file carries beside those; None where absent.
    """

    ids: list[str | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    fields: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, places: Sequence[int]) -> PredictionBatch:
        """The rows at these places."""
        return PredictionBatch(
            [self.ids[k] for k in places],
            [self.texts[k] for k in places],
            [self.lines[k] for k in places],
            {name: [values[k] for k in places] for name, values in self.fields.items()},
        )


def as_id(value: object, *, path: Path, line: int, name: str) -> str:
    """An id as a string: text as it is, whole numbers in plain digits.

    Raises:
        InputError: NaN, a fraction, null, a boolean, a list, an object or an empty text.
    """
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = float(value)
        if math.isfinite(number) and number.is_integer():
            return str(int(number))
    raise InputError(
        "not an id",
        path=path,
        line=line,
        field=name,
        value=value,
        expected="text or a whole number",
    )


def as_text(value: object, ledger: Ledger) -> str | None:
    """A model's output as text: None for null, NaN and Infinity (counted), JSON for structures."""
    if isinstance(value, str):
        return value
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, numbers.Real):
        if not isinstance(value, numbers.Integral) and not math.isfinite(value):
            count(ledger, "nan_as_missing")
            return None
        return str(value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]  # a list of one answer, as several harnesses write it
    count(ledger, "structured_text")
    return json.dumps(value, ensure_ascii=False, default=str)


def as_intervals(value: Json, *, path: Path, line: int, name: str) -> list[list[float]] | None:
    """Already parsed intervals as a list of [start, end] in seconds; None where there are none.

    One bare [start, end] is a list of one. A third number (a score) is left out. Reversed and
    non-finite pairs pass through: what to do with them is a scoring rule.

    Raises:
        InputError: anything but pairs of numbers.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if _is_window(value):
        return [[as_float(value[0]), as_float(value[1])]]
    if isinstance(value, list) and all(_is_window(pair) for pair in value):
        return [[as_float(pair[0]), as_float(pair[1])] for pair in value]
    raise InputError(
        "not intervals",
        path=path,
        line=line,
        field=name,
        value=value,
        expected="[[start, end], ...] in seconds",
    )


def _is_window(value: Json) -> bool:
    return (
        isinstance(value, list)
        and len(value) in (2, 3)
        and all(isinstance(part, int | float) and not isinstance(part, bool) for part in value)
    )


class BatchBuilder:
    """Gathers columns of changing sets of fields into batches of a bounded size."""

    def __init__(self) -> None:
        self._batch = PredictionBatch()
        self._characters = 0

    def add(
        self,
        ids: Sequence[str | None],
        texts: Sequence[str | None],
        lines: Iterable[int],
        fields: dict[str, list[Any]],
        *,
        byte_count: int,
    ) -> Iterator[PredictionBatch]:
        """Add up to BATCH_ROWS rows; yields the batch before, if these no longer fit."""
        if len(self._batch) + len(ids) > BATCH_ROWS or self._characters > _BATCH_CHARACTERS:
            yield from self.flush()
        batch = self._batch
        before = len(batch)
        batch.ids += ids
        batch.texts += texts
        batch.lines += lines
        self._characters += byte_count
        for name, values in fields.items():
            column = batch.fields.get(name)
            if column is None:
                batch.fields[name] = [None] * before + values
            else:
                column += values
        for name in batch.fields.keys() - fields.keys():
            batch.fields[name].extend([None] * len(ids))

    def flush(self) -> Iterator[PredictionBatch]:
        """Yield what was gathered, if anything."""
        batch, self._batch, self._characters = self._batch, PredictionBatch(), 0
        if len(batch):
            yield batch
