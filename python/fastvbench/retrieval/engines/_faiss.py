"""FAISS: IndexFlatIP, with the two settings without which its wheel is several times slower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fastvbench.retrieval.engines._cpu import has_avx2, has_avx512
from fastvbench.retrieval.engines._engine import (
    Neighbours,
    best_of_chunks,
    row_chunks,
    unit_rows,
)

if TYPE_CHECKING:
    from fastvbench.retrieval.engines._engine import Rows

__all__ = ["FaissEngine", "faiss_environment"]

# From this many queries on, scores come from a matrix product. The default, 128,000, sends small
# batches down a path that is several times slower.
BLAS_FROM_QUERIES = 20


def faiss_environment() -> dict[str, str]:
    """Variables for a process that runs FAISS.

    Its wheel carries an OpenBLAS that is older than today's CPUs and falls back to SSE3 kernels on
    them; naming the kernel makes it up to five times as fast, and its results stay right.
    """
    if has_avx512():
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    if has_avx2():
        return {"OPENBLAS_CORETYPE": "Haswell"}
    return {}


class FaissEngine:
    """An exact inner-product index.

    Args:
        threads: OpenMP threads. A single query is the work of one, and it would wait for the others
            to begin, so it gets one.
    """

    name = "faiss"

    def __init__(self, threads: int) -> None:
        import faiss  # noqa: PLC0415

        self._faiss: Any = faiss
        self._threads = self._threads_set = threads
        faiss.omp_set_num_threads(threads)
        faiss.cvar.distance_compute_blas_threshold = BLAS_FROM_QUERIES
        self._index: Any = None
        self._gallery: Rows | None = None
        self._cosine = False

    def prepare(self, gallery: Rows, *, metric: str, mapped: bool = False) -> None:
        """Copy the rows into an index, scaled for the cosine."""
        self._cosine = metric == "cosine"
        self._gallery = gallery if mapped else None
        if mapped:
            self._index = None
            return
        self._index = self._faiss.IndexFlatIP(gallery.shape[1])
        self._index.add(unit_rows(gallery) if self._cosine else np.ascontiguousarray(gallery))

    def place(self, queries: Rows) -> object:
        """Queries must lie row after row."""
        return np.ascontiguousarray(queries)

    def search(self, placed: object, k: int) -> object:
        """Search the index; a mapped gallery is searched chunk by chunk without one."""
        queries = cast("Rows", placed)
        self._set_threads(1 if len(queries) == 1 else self._threads)
        if self._gallery is None:
            scores, indices = self._index.search(queries, min(k, self._index.ntotal))
            return Neighbours(indices, scores)
        parts = []
        for begin, rows in row_chunks(self._gallery, len(queries), mapped=True):
            scaled = unit_rows(rows) if self._cosine else np.ascontiguousarray(rows)
            scores, indices = self._faiss.knn(
                queries, scaled, min(k, len(rows)), metric=self._faiss.METRIC_INNER_PRODUCT
            )
            parts.append(Neighbours(indices + begin, scores))
        return best_of_chunks(parts, min(k, len(self._gallery)))

    def fetch(self, found: object) -> Neighbours:
        """Answers are on the host."""
        return cast("Neighbours", found)

    def settings(self) -> dict[str, object]:
        """Version, threads and the settings named above."""
        return {
            "faiss": str(self._faiss.__version__),
            "index": "IndexFlatIP",
            "threads": self._threads,
            "distance_compute_blas_threshold": BLAS_FROM_QUERIES,
            "compiled_for": " ".join(self._faiss.get_compile_options().split()),
            **faiss_environment(),
        }

    def _set_threads(self, threads: int) -> None:
        if threads != self._threads_set:
            self._faiss.omp_set_num_threads(threads)
            self._threads_set = threads
