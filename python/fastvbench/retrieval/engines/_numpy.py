"""numpy: a matrix product, then a partial sort, chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from fastvbench.retrieval.engines._engine import (
    Neighbours,
    best_of_chunks,
    row_chunks,
    unit_rows,
)

if TYPE_CHECKING:
    from fastvbench.retrieval.engines._engine import Rows

__all__ = ["NumpyEngine"]


class NumpyEngine:
    """GEMM and argpartition; OpenBLAS takes its threads from the environment of the process.

    Args:
        threads: threads of the product; the partial sort of numpy has one.
    """

    name = "numpy"

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._gallery: Rows = np.empty((0, 0), np.float32)
        self._cosine = self._mapped = False

    def prepare(self, gallery: Rows, *, metric: str, mapped: bool = False) -> None:
        """Scale the rows for the cosine; a mapped gallery is scaled while it is searched."""
        self._mapped = mapped
        self._cosine = metric == "cosine"
        self._gallery = unit_rows(gallery) if self._cosine and not mapped else gallery

    def place(self, queries: Rows) -> object:
        """Queries are where they are wanted."""
        return queries

    def search(self, placed: object, k: int) -> object:
        """One chunk after another, the best of each merged at the end."""
        queries = cast("Rows", placed)
        parts = []
        for begin, rows in row_chunks(self._gallery, len(queries), mapped=self._mapped):
            scaled = unit_rows(rows) if self._cosine and self._mapped else rows
            parts.append(_best(queries @ scaled.T, min(k, len(rows)), begin))
        return best_of_chunks(parts, min(k, len(self._gallery)))

    def fetch(self, found: object) -> Neighbours:
        """Answers are on the host."""
        return cast("Neighbours", found)

    def settings(self) -> dict[str, object]:
        """The version, and the threads asked of its BLAS."""
        return {"numpy": np.__version__, "threads": self._threads}


def _best(scores: Rows, k: int, first_row: int) -> Neighbours:
    if k < scores.shape[1]:
        candidates = np.argpartition(scores, -k, axis=1)[:, -k:]
        candidates.sort(axis=1)  # lower rows first among equals
        kept = np.take_along_axis(scores, candidates, axis=1)
    else:
        candidates, kept = np.broadcast_to(np.arange(k), scores.shape), scores
    order = np.argsort(-kept, axis=1, kind="stable")
    indices = np.take_along_axis(candidates, order, axis=1) + first_row
    return Neighbours(indices, np.take_along_axis(kept, order, axis=1))
