"""Embeddings for the search cases, from a seed, as .npy files that every process reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fastvbench.retrieval.timing import write_generated

DIMENSION = 512
MOST_QUERIES = 1000
BLOCK_ROWS = 65_536


@dataclass(frozen=True)
class Files:
    """A gallery and its queries on the disk; `relevant` names the row that each query describes."""

    gallery: Path
    queries: Path
    relevant: Path | None = None


def gaussian(folder: Path, rows: int, seed: int) -> Files:
    """Rows without any structure: nothing can be skipped for being far away, the hardest data."""
    files = Files(folder / f"gallery-{rows}.npy", folder / f"queries-{rows}.npy")
    if not files.queries.exists():
        gallery = np.lib.format.open_memmap(files.gallery, "w+", np.float32, (rows, DIMENSION))
        for begin, block in _blocks(rows, seed):
            gallery[begin : begin + len(block)] = block
        gallery.flush()
        generator = np.random.default_rng([seed, rows])
        np.save(files.queries, generator.standard_normal((MOST_QUERIES, DIMENSION), np.float32))
    return files


def _blocks(rows: int, seed: int) -> Iterator[tuple[int, np.ndarray]]:
    for begin in range(0, rows, BLOCK_ROWS):
        generator = np.random.default_rng([seed, begin])
        shape = (min(BLOCK_ROWS, rows - begin), DIMENSION)
        yield begin, generator.standard_normal(shape, np.float32)


def videos(folder: Path, rows: int, query_count: int, seed: int) -> Files:
    """Clips around their videos, a caption for each query: what Recall@K is asked of."""
    inner = folder / f"videos-{rows}"
    inner.mkdir()
    written = write_generated(
        inner, rows=rows, dimension=DIMENSION, query_count=query_count, seed=seed
    )
    np.save(inner / "relevant.npy", written.relevant)
    return Files(written.gallery, written.queries, inner / "relevant.npy")
