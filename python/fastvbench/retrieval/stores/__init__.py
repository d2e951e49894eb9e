"""Files of embeddings: opened in place, checked row by row, written in one step."""

from __future__ import annotations

from fastvbench.retrieval.stores._lovr import TWO_KINDS, Part
from fastvbench.retrieval.stores._open import open_embeddings
from fastvbench.retrieval.stores._rows import RowColumns, find_sidecar, read_id_file
from fastvbench.retrieval.stores._store import EmbeddingStore
from fastvbench.retrieval.stores._url import is_url, local_copy
from fastvbench.retrieval.stores._write import write_embeddings

__all__ = [
    "TWO_KINDS",
    "EmbeddingStore",
    "Part",
    "RowColumns",
    "find_sidecar",
    "is_url",
    "local_copy",
    "open_embeddings",
    "read_id_file",
    "write_embeddings",
]
