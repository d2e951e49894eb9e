"""Gold answers that are short texts, however a file writes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastvbench.formats import parse_list_cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastvbench.protocols._annotations import Record

__all__ = ["answer_texts", "record_answers", "row_names"]

# A list of texts written as text; "[2007, 2008]" is one answer that is a list.
_LIST_OF_TEXTS = re.compile(r"\s*\[\s*['\"]")


def answer_texts(value: object) -> list[str]:
    r"""The accepted answers that a value holds: a list, a list written as text, or one answer.

    Args:
        value: what a file has; None holds none.

    Example:
        >>> answer_texts("['ITC', \"it's\"]"), answer_texts("[1, 2]"), answer_texts(3)
        (['ITC', "it's"], ['[1, 2]'], ['3'])
    """
    if value is None:
        return []
    if isinstance(value, str):
        listed = parse_list_cell(value) if _LIST_OF_TEXTS.match(value) else None
        return [value] if listed is None else listed
    if isinstance(value, list | tuple):
        return [str(answer) for answer in value if answer is not None]
    return [str(value)]


def record_answers(record: Record, *fields: str, without_gold: bool) -> list[str]:
    """The accepted answers of an annotation: of the first field that it has.

    Args:
        record: the annotation.
        fields: names that the field may have.
        without_gold: an annotation without an answer is let through, with none.

    Raises:
        InputError: there is no answer.
    """
    value = next((record.values[f] for f in fields if record.values.get(f) is not None), None)
    answers = answer_texts(value)
    if not answers and not without_gold:
        raise record.error("holds no answer", fields[0], "one or more texts", value)
    return answers


def row_names(fields: Mapping[str, list[object]]) -> list[str]:
    """One name for each row of files that carry their gold: its id, else image and question."""
    absent: list[object] = [None] * len(fields["id"])
    return [
        str(ident) if ident is not None else f"{video or ''}:{query or ''}"
        for ident, video, query in zip(
            fields["id"], fields.get("video", absent), fields.get("query", absent), strict=True
        )
    ]
