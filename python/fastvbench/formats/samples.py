"""The samples file of a result of our own: what each row said, to be scored or exported again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats._family import Row, RowFamily, needed_id

if TYPE_CHECKING:
    from fastvbench.formats._batch import Path

__all__ = ["MOST_EXCERPT_CHARACTERS", "SAMPLES"]

MOST_EXCERPT_CHARACTERS = 2_000  # of a text, in a samples file

_KEYS = frozenset({"id", "cluster", "strata", "rules", "excerpt"})


def _detects(row: Row) -> bool:
    return row.keys() >= _KEYS


def _convert(row: Row, path: Path, line: int) -> Row:
    if not _detects(row):
        raise InputError(
            "rows of mixed shape",
            path=path,
            line=line,
            value=", ".join(row),
            expected=", ".join(sorted(_KEYS)),
        )
    excerpt = row["excerpt"]
    if isinstance(excerpt, str) and len(excerpt) >= MOST_EXCERPT_CHARACTERS:
        raise InputError(
            "a text that may have been cut: a samples file keeps the first "
            f"{MOST_EXCERPT_CHARACTERS:,} characters",
            path=path,
            line=line,
            field="excerpt",
            value=excerpt[-40:],
            expected="the file of answers that the result was made from",
        )
    converted: Row = {"id": needed_id(row, "id", path, line), "text": excerpt}
    beside = {"run": "sample", "setting": "subset"}
    beside |= {"finish_reason": "finish_reason", "frame_count": "frames"}
    for key, name in beside.items():
        if row.get(key) is not None:
            converted[name] = row[key]
    return converted


SAMPLES = RowFamily(
    "fastvbench-samples",
    "the samples file of a result, where no text was cut (from 2,000 characters)",
    _detects,
    _convert,
)
