"""What a reader of one-document JSON files has to say about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastvbench.formats._batch import Json, Path
    from fastvbench.formats._rows import Row

__all__ = ["DocumentFamily"]


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
