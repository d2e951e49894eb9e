"""What an engine is: prepare a gallery once; then place queries, search, fetch the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]

__all__ = ["Engine", "Neighbours", "best_of_chunks", "row_chunks", "unit_rows"]

SCORE_BYTES_PER_CHUNK = 1 << 24  # scores of one chunk stay in the cache between GEMM and selection
SMALLEST_CHUNK_ROWS = 4096
GALLERY_BYTES_PER_CHUNK = 1 << 28  # of a mapped gallery that is read while it is searched


class Neighbours(NamedTuple):
    """The k best rows of every query, best first.

    Attributes:
        indices: int64 [q, k], row numbers of the gallery.
        scores: float32 or float64 [q, k], as the engine computes them.
    """

    indices: npt.NDArray[np.int64]
    scores: npt.NDArray[np.floating]


class Engine(Protocol):
    """One library that searches exactly, with its best settings; lives in a process of its own.

    A search goes through three calls, ``fetch(search(place(queries), k))``, so that moving data to
    and from a device can be timed apart from the work. On the CPU the outer two do next to nothing.
    """

    name: str

    def prepare(self, gallery: Rows, *, metric: str, mapped: bool = False) -> None:
        """Take a gallery: build the index, scale rows for the cosine, move them to the device.

        Args:
            gallery: float32 [n, d].
            metric: ``cosine`` or ``dot``.
            mapped: the gallery is a memory map that does not fit in memory: nothing is copied, rows
                are read in chunks while they are searched.
        """

    def place(self, queries: Rows) -> object:
        """Bring queries, float32 [q, d], to where the search wants them."""

    def search(self, placed: object, k: int) -> object:
        """Find the k best rows of each query; the answer is complete when this returns."""

    def fetch(self, found: object) -> Neighbours:
        """Bring an answer of `search` to the host."""

    def settings(self) -> dict[str, object]:
        """Versions and settings that its speed depends on."""


def unit_rows(rows: Rows) -> Rows:
    """Rows scaled to length 1; float32 [n, d].

    Norms are taken block by block in float64, so that no large temporary is made. A row of zeros
    stays as it is.
    """
    scaled = np.empty(rows.shape, np.float32)
    for begin in range(0, len(rows), SMALLEST_CHUNK_ROWS):
        block = np.asarray(rows[begin : begin + SMALLEST_CHUNK_ROWS], np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", block, block))
        norms[norms == 0.0] = 1.0
        scaled[begin : begin + len(block)] = block / norms[:, None]
    return scaled


def row_chunks(gallery: Rows, query_count: int, *, mapped: bool) -> Iterator[tuple[int, Rows]]:
    """Chunks of a gallery with their first row: cache-sized scores, and memory-sized reads.

    Args:
        gallery: float32 [n, d].
        query_count: queries that are scored against every chunk.
        mapped: the chunks also bound what is read of the gallery at a time.
    """
    rows = max(SMALLEST_CHUNK_ROWS, SCORE_BYTES_PER_CHUNK // (4 * query_count))
    if mapped:
        rows = min(rows, max(1, GALLERY_BYTES_PER_CHUNK // (4 * gallery.shape[1])))
    for begin in range(0, len(gallery), rows):
        yield begin, gallery[begin : begin + rows]


def best_of_chunks(parts: list[Neighbours], k: int) -> Neighbours:
    """The k best of what chunks of a gallery gave, best first, lower rows first among equals."""
    if len(parts) == 1 and parts[0].indices.shape[1] == k:
        return parts[0]
    indices = np.concatenate([part.indices for part in parts], axis=1)
    scores = np.concatenate([part.scores for part in parts], axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return Neighbours(
        np.take_along_axis(indices, order, axis=1), np.take_along_axis(scores, order, axis=1)
    )
