"""fastvbench itself, through its public API."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from fastvbench.core import info
from fastvbench.retrieval import Gallery
from fastvbench.retrieval.engines._engine import Neighbours

if TYPE_CHECKING:
    from fastvbench.retrieval import Metric
    from fastvbench.retrieval.engines._engine import Rows

__all__ = ["FastvbenchEngine"]


class FastvbenchEngine:
    """A prepared `Gallery`.

    Args:
        threads: threads of preparation and search.
    """

    name = "fastvbench"

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._gallery: Gallery | None = None

    def prepare(self, gallery: Rows, *, metric: str, mapped: bool = False) -> None:
        """Build the gallery; a memory map is read where it lies either way."""
        known: Metric = "cosine" if metric == "cosine" else "dot"
        self._gallery = Gallery(gallery, metric=known, threads=self._threads)

    def place(self, queries: Rows) -> object:
        """Queries are where they are wanted."""
        return queries

    def search(self, placed: object, k: int) -> object:
        """Exact search."""
        assert self._gallery is not None, "prepare comes first"
        k = min(k, self._gallery.size)
        return self._gallery.search(cast("Rows", placed), k, threads=self._threads)

    def fetch(self, found: object) -> Neighbours:
        """Answers are on the host."""
        indices, scores = cast("Neighbours", found)
        return Neighbours(indices, scores)

    def settings(self) -> dict[str, object]:
        """Version, CPU level and threads."""
        about = info()
        return {
            "fastvbench": about["version"],
            "cpu_level": about["cpu_level"],
            "threads": self._threads,
        }
