"""Every format by name: where detection looks, and what the command line lists."""

from __future__ import annotations

import itertools
from typing import Any

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import Path
from fastvbench.formats._document import DocumentFamily
from fastvbench.formats._rows import RowFamily
from fastvbench.formats.generic import ID_TO_ROW, ID_TO_TEXT, LVBENCH_SUBMISSION

__all__ = ["DOCUMENT_FAMILIES", "FORMATS", "ROW_FAMILIES", "refuse_other_documents"]

# In the order in which they are tried: the peculiar ones first.
_DOCUMENTS = (ID_TO_TEXT, LVBENCH_SUBMISSION, ID_TO_ROW)
_ROWS: tuple[RowFamily, ...] = ()

DOCUMENT_FAMILIES: dict[str, DocumentFamily] = {family.name: family for family in _DOCUMENTS}
ROW_FAMILIES: dict[str, RowFamily] = {family.name: family for family in _ROWS}

FORMATS: dict[str, str] = {
    "jsonl": "one JSON object per line with an id and the model's text",
    "json-rows": "a JSON list of such objects",
    "table": "a tsv, csv or xlsx table with a column of the model's text",
}


def refuse_other_documents(path: Path, document: dict[str, Any]) -> None:
    """Say what a JSON object is that holds no predictions.

    Raises:
        InputError: always.
    """
    raise InputError(
        "no predictions found in this JSON object",
        path=path,
        value=", ".join(itertools.islice(document, 8)),
        expected="{id: text}, a list of rows, or a known result file",
    )
