"""faiss, torch and numpy: the engines of the timing study, each asked to be as fast as it can.

Their settings and why they are the best ones is said in fastvbench.retrieval.engines. What a user
holds is numpy arrays, so the calls begin and end with those. The gallery is read into memory, not
mapped: its pages are then large ones, for everybody.
"""

from __future__ import annotations

import concurrent.futures
from pathlib import Path

import numpy as np
from benchmarks.contenders import Isolated

from fastvbench.retrieval.engines import engine_variables, make_engine


def isolated(prepare, engine, threads, **arguments):
    """A rival in a process of its own, with the variables that it wants."""
    return Isolated(
        prepare,
        {"engine": engine, "threads": threads, **arguments},
        engine_variables(engine, threads=threads),
    )


def prepare_search(
    engine: str, threads: int, gallery: Path, queries: Path, *, query_count: int, k: int
):
    """Search with the index at hand; the gallery's dot products are asked for."""
    searcher = make_engine(engine, threads=threads)
    searcher.prepare(np.load(gallery), metric="dot")
    asked = np.load(queries)[:query_count]
    return lambda: searcher.fetch(searcher.search(searcher.place(asked), k))


def prepare_one_shot(
    engine: str, threads: int, gallery: Path, queries: Path, *, query_count: int, k: int
):
    """Search an array that was never seen before: nothing may be prepared outside the call.

    FAISS has a function for that, which copies nothing; torch and numpy need no index anyway.
    """
    searcher = make_engine(engine, threads=threads)
    rows, asked = np.load(gallery), np.load(queries)[:query_count]
    if engine == "faiss":
        import faiss

        def call():
            return faiss.knn(asked, rows, k, metric=faiss.METRIC_INNER_PRODUCT)[::-1]

        return call

    def call():
        searcher.prepare(rows, metric="dot")
        return searcher.fetch(searcher.search(searcher.place(asked), k))

    return call


def prepare_recall(
    engine: str, threads: int, gallery: Path, queries: Path, relevant: Path, *, cutoffs
):
    """Recall@K by search: the best rows, and whether the relevant one is among them."""
    searcher = make_engine(engine, threads=threads)
    searcher.prepare(np.load(gallery), metric="dot")
    asked, wanted = np.load(queries), np.load(relevant)

    def call():
        found = searcher.fetch(searcher.search(searcher.place(asked), max(cutoffs)))
        hits = found.indices == wanted[:, None]
        return {k: float(hits[:, :k].any(axis=1).mean()) for k in cutoffs}

    return call


def prepare_read(threads: int, gallery: Path):
    """Read every byte of the gallery once: integer sums, on all threads.

    Of numpy's ways to touch every word (sums, maxima, dot products of floats) this is the fastest;
    it waits for the memory alone.
    """
    words = np.load(gallery).reshape(-1).view(np.int64)
    parts = np.array_split(words, 8 * threads)
    pool = concurrent.futures.ThreadPoolExecutor(threads)
    return lambda: sum(int(part) for part in pool.map(np.sum, parts)) % 2**64  # the sums wrap
