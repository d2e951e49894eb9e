"""What a reader of one tool's files has to say about itself: of rows, or of whole documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import Json, Path, as_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["DocumentFamily", "Row", "RowFamily", "first_present", "needed_id"]

Row = dict[str, Any]


@dataclass(frozen=True)
class RowFamily:
    """One kind of row that other people's tools write.

    Attributes:
        name: the format's name.
        description: one line for help texts.
        detects: whether a row has the keys that tell this kind apart.
        convert: a row as keys ``id``, ``text`` and names of fields; None for a row that carries
            no prediction (counted). Gets the row, the path and the line for messages.
    """

    name: str
    description: str
    detects: Callable[[Row], bool]
    convert: Callable[[Row, Path, int], Row | None]


@dataclass(frozen=True)
class DocumentFamily:
    """One layout of a whole JSON document.

    Attributes:
        name: the format's name.
        description: one line for help texts.
        detects: whether a parsed document has this layout.
        rows: its rows with their 1-based numbers; keys are ``id``, ``text`` and names of fields.
        carries_gold: whether the document holds the right answers too.
        converted: False if the rows still have their makers' keys, to be found out.
    """

    name: str
    description: str
    detects: Callable[[Json], bool]
    rows: Callable[[Json, Path], Iterator[tuple[int, Row]]]
    carries_gold: bool = False
    converted: bool = True


def first_present(row: Row, keys: Iterable[str]) -> Json:
    """The value of the first of some keys that holds one, else None."""
    return next((row[key] for key in keys if row.get(key) is not None), None)


def needed_id(row: Row, key: str, path: Path, line: int) -> Json:
    """The id of a row that some tool wrote, to be checked further by `as_id`.

    Raises:
        InputError: the row has none (it is no such row), or it is null.
    """
    if key not in row:
        raise InputError(
            "rows of mixed shape",
            path=path,
            line=line,
            value=", ".join(row),
            expected=f"a row with field {key!r}",
        )
    return as_id(row[key], path=path, line=line, name=key) if row[key] is None else row[key]
