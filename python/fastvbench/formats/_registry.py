"""Every format by name: where detection looks, and what the command line lists."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats.generic import ID_TO_ROW, ID_TO_TEXT, LVBENCH_SUBMISSION
from fastvbench.formats.grounding import QVHIGHLIGHTS, TIMECHAT, TIMELENS, VTIMELLM, VUE_TR
from fastvbench.formats.lmms_eval import LMMS_EVAL_LOG, LMMS_EVAL_SAMPLES
from fastvbench.formats.mathvista import MATHVISTA
from fastvbench.formats.mlvu import MLVU
from fastvbench.formats.nested import TEMPCOMPASS, VIDEOMME
from fastvbench.formats.samples import SAMPLES
from fastvbench.formats.videollama3 import VIDEOLLAMA3, VIDEOLLAMA3_DOCUMENT
from fastvbench.formats.vlmevalkit import VLMEVALKIT

if TYPE_CHECKING:
    from fastvbench.formats._batch import Json, Path
    from fastvbench.formats._family import DocumentFamily, RowFamily

__all__ = ["DOCUMENT_FAMILIES", "FORMATS", "ROW_FAMILIES", "refuse_other_documents"]

# In the order in which they are tried: the peculiar ones first.
_DOCUMENTS = (
    LMMS_EVAL_LOG,
    TIMELENS,
    TIMECHAT,
    VIDEOLLAMA3_DOCUMENT,
    VIDEOMME,
    TEMPCOMPASS,
    MLVU,
    MATHVISTA,
    ID_TO_TEXT,
    LVBENCH_SUBMISSION,
    ID_TO_ROW,
)
_ROWS = (SAMPLES, LMMS_EVAL_SAMPLES, VIDEOLLAMA3, VTIMELLM, VUE_TR, QVHIGHLIGHTS, VLMEVALKIT)

DOCUMENT_FAMILIES: dict[str, DocumentFamily] = {family.name: family for family in _DOCUMENTS}
ROW_FAMILIES: dict[str, RowFamily] = {family.name: family for family in _ROWS}

FORMATS: dict[str, str] = {
    "jsonl": "one JSON object per line with an id and the model's text",
    "json-rows": "a JSON list of such objects",
    "table": "a tsv, csv or xlsx table with a column of the model's text",
    **{family.name: family.description for family in (*_DOCUMENTS, *_ROWS)},
}


def refuse_other_documents(path: Path, document: dict[str, Json]) -> None:
    """Say what a JSON object is that holds no predictions.

    Raises:
        InputError: always.
    """
    values = list(itertools.islice(document.values(), 8))
    row_keys = {key for value in values if isinstance(value, dict) for key in value}
    if "annotations" in document or {"sentences", "actions"} & row_keys:
        problem = "this looks like an annotations file, not predictions"
    elif {"dataset_name", "data"} <= document.keys():
        problem = "this looks like a data set, not predictions"
    elif "schema" in document and "kind" in document:
        problem = "this is a result of fastvbench, not predictions"
    elif isinstance(document.get("results"), dict):
        problem = "this looks like a file of scores, not predictions"
    else:
        problem = "no predictions found in this JSON object"
    raise InputError(
        problem,
        path=path,
        value=", ".join(itertools.islice(document, 8)),
        expected="{id: text}, a list of rows, or a known result file",
    )
