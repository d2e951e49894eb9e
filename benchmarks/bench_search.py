"""Exact search against faiss, torch and numpy at their best, each in its own process."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.contenders import Isolated
from benchmarks.rivals import search_data
from benchmarks.rivals.search_rival import (
    isolated,
    prepare_one_shot,
    prepare_read,
    prepare_recall,
    prepare_search,
)

from fastvbench.retrieval import Gallery, recall_at_k, search
from fastvbench.retrieval.timing import LOVR_CLIPS, LOVR_VIDEOS, usable_threads

MILLION = 1_000_000
NAMES = {MILLION: "1M", LOVR_CLIPS: "40,804", LOVR_VIDEOS: "467"}
SEED = 0
CUTOFFS = (1, 5, 10)
THREADS = usable_threads()


class Vectors:
    """Galleries and queries, made when a case first asks for them and kept for the next."""

    def __init__(self, folder):
        self._folder = folder
        self._rows, self._galleries = {}, {}

    def files(self, rows):
        return search_data.gaussian(self._folder, rows, SEED)

    def rows(self, rows):
        if rows not in self._rows:
            self._rows[rows] = np.load(self.files(rows).gallery)
        return self._rows[rows]

    def gallery(self, rows):
        if rows not in self._galleries:
            self._galleries[rows] = Gallery(self.rows(rows), metric="dot", threads=THREADS)
        return self._galleries[rows]

    def queries(self, rows, count):
        return np.load(self.files(rows).queries)[:count]

    def videos(self, rows):
        return search_data.videos(self._folder, rows, rows, SEED)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    return Vectors(tmp_path_factory.mktemp("vectors"))


def same_neighbours(name, ours, theirs):
    """The same scores, as far as float32 can tell, and the same rows but for ties in float32."""
    indices, scores = theirs
    np.testing.assert_allclose(scores, ours.scores, rtol=1e-4, atol=1e-3, err_msg=name)
    common = [
        len(np.intersect1d(a, b)) for a, b in zip(ours.indices, np.asarray(indices), strict=True)
    ]
    assert np.sum(common) >= 0.999 * ours.indices.size, name


def rivals_for(rows, query_count):
    """Whoever may be the fastest: numpy is not, where its partial sort meets large matrices."""
    return ("faiss", "torch", "numpy") if rows * query_count < 2_000_000 else ("faiss", "torch")


# Rounds and calls a round: short calls are repeated until a round takes some tens of milliseconds.
EFFORT = {
    (LOVR_VIDEOS, 1): {"rounds": 15, "calls": 1000},
    (LOVR_VIDEOS, 32): {"rounds": 15, "calls": 200},
    (LOVR_VIDEOS, 1000): {"rounds": 15, "calls": 10},
    (LOVR_CLIPS, 1): {"rounds": 15, "calls": 20},
    (LOVR_CLIPS, 32): {"rounds": 11, "calls": 12},
    (LOVR_CLIPS, 1000): {"rounds": 7},
    (MILLION, 1): {"rounds": 9},
    (MILLION, 32): {"rounds": 7},
    (MILLION, 1000): {"rounds": 2, "warmup": 1},
}

PREPARED = [
    (MILLION, 1, 10),
    (MILLION, 32, 10),
    (MILLION, 32, 100),
    (MILLION, 1000, 10),
    (MILLION, 1000, 100),
    (LOVR_CLIPS, 1, 10),
    (LOVR_CLIPS, 32, 10),
    (LOVR_CLIPS, 32, 100),
    (LOVR_CLIPS, 1000, 1),
    (LOVR_CLIPS, 1000, 10),
    (LOVR_CLIPS, 1000, 100),
    (LOVR_VIDEOS, 1, 10),
    (LOVR_VIDEOS, 32, 10),
    (LOVR_VIDEOS, 1000, 10),
]


def case_id(value):
    return "1M" if value == MILLION else str(value)  # no comma: -k takes none


@pytest.mark.parametrize(("rows", "query_count", "k"), PREPARED, ids=case_id)
def bench_search(compare, vectors, rows, query_count, k):
    """The index is at hand: a gallery is prepared once and asked many times."""
    files, queries = vectors.files(rows), vectors.queries(rows, query_count)
    gallery = vectors.gallery(rows)
    compare(
        lambda: gallery.search(queries, k, threads=THREADS),
        {
            name: isolated(
                prepare_search,
                name,
                THREADS,
                gallery=files.gallery,
                queries=files.queries,
                query_count=query_count,
                k=k,
            )
            for name in rivals_for(rows, query_count)
        },
        same_neighbours,
        case=f"search/{NAMES[rows]} x 512, Q={query_count} K={k}",
        **EFFORT[rows, query_count],
    )


@pytest.mark.parametrize("query_count", [1, 32, 1000])
@pytest.mark.parametrize("rows", [MILLION, LOVR_CLIPS], ids=case_id)
def bench_one_shot(compare, vectors, rows, query_count):
    """No index: the call sees the gallery for the first and only time."""
    files, queries = vectors.files(rows), vectors.queries(rows, query_count)
    embeddings = vectors.rows(rows)
    compare(
        lambda: search(queries, embeddings, 10, metric="dot", threads=THREADS),
        {
            name: isolated(
                prepare_one_shot,
                name,
                THREADS,
                gallery=files.gallery,
                queries=files.queries,
                query_count=query_count,
                k=10,
            )
            for name in rivals_for(rows, query_count)
        },
        same_neighbours,
        case=f"search/one shot, {NAMES[rows]} x 512, Q={query_count} K=10",
        **EFFORT[rows, query_count],
    )


def bench_index_build(compare, vectors):
    """Preparing a gallery in memory at hand, against reading it once: 0.5 is half the bandwidth."""
    files, embeddings = vectors.files(MILLION), vectors.rows(MILLION)
    queries = vectors.queries(MILLION, 8).astype(np.float64)

    def reads_the_same_rows(name, ours, theirs):
        words = embeddings.reshape(-1).view(np.uint64)
        assert theirs == int(words.sum()), name
        found = ours.search(queries.astype(np.float32), 1, threads=THREADS)
        best = np.einsum("ij,ij->i", queries, embeddings[found.indices[:, 0]])
        np.testing.assert_allclose(found.scores[:, 0], best, rtol=1e-12)

    gallery = Gallery(embeddings, metric="dot", threads=THREADS)

    def prepare_again():
        gallery.replace(embeddings, threads=THREADS)
        return gallery

    compare(
        prepare_again,
        {"reading": Isolated(prepare_read, {"threads": THREADS, "gallery": files.gallery})},
        reads_the_same_rows,
        case="search/index build, 1M x 512",
        rounds=7,
    )


def bench_recall_by_ranks(compare, vectors):
    """Recall@1/5/10 of every caption against every clip: ranks need no list of the best."""
    files = vectors.videos(LOVR_CLIPS)
    queries, relevant = np.load(files.queries), np.load(files.relevant)
    gallery = Gallery(np.load(files.gallery), metric="dot", threads=THREADS)

    def equal_recalls(name, ours, theirs):
        for k in CUTOFFS:  # a rank may differ where float32 cannot tell two rows apart
            assert abs(ours[k] - theirs[k]) * len(queries) < 5, (name, k, ours, theirs)

    compare(
        lambda: recall_at_k(gallery.ranks(queries, relevant, threads=THREADS), CUTOFFS),
        {
            "faiss": isolated(
                prepare_recall,
                "faiss",
                THREADS,
                gallery=files.gallery,
                queries=files.queries,
                relevant=files.relevant,
                cutoffs=CUTOFFS,
            )
        },
        equal_recalls,
        case="search/ranks, 40,804 x 40,804 x 512, Recall@1/5/10",
        rounds=2,
        warmup=1,
    )
