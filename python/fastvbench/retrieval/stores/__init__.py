"""Files of embeddings: opened in place, checked row by row, written in one step."""

from __future__ import annotations

from fastvbench.retrieval.stores._open import open_embeddings
from fastvbench.retrieval.stores._store import EmbeddingStore
from fastvbench.retrieval.stores._url import is_url, local_copy
from fastvbench.retrieval.stores._write import write_embeddings

__all__ = ["EmbeddingStore", "is_url", "local_copy", "open_embeddings", "write_embeddings"]
