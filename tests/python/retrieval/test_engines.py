"""Every engine finds the exact neighbours, with an index and from a memory map."""

from __future__ import annotations

import os

import numpy as np
import pytest

from fastvbench.core import InputError, MissingExtraError
from fastvbench.retrieval import engines
from fastvbench.retrieval.engines import ENGINES, _engine, _faiss, _registry


@pytest.fixture(params=list(ENGINES))
def engine(request):
    if not engines.is_installed(request.param):
        pytest.skip(f"{request.param} is not installed")
    return engines.make_engine(request.param, threads=2)


@pytest.fixture
def vectors():
    generator = np.random.default_rng(0)
    gallery = generator.standard_normal((9001, 24), np.float32)
    gallery *= generator.uniform(0.5, 2.0, (len(gallery), 1)).astype(np.float32)
    return gallery, generator.standard_normal((50, 24), np.float32)


def exact_rows(gallery, queries, k, metric):
    keys = queries.astype(np.float64) @ gallery.T.astype(np.float64)
    if metric == "cosine":
        keys /= np.linalg.norm(gallery.astype(np.float64), axis=1)
    return np.argsort(-keys, axis=1, kind="stable")[:, :k]


def find(engine, queries, k):
    return engine.fetch(engine.search(engine.place(queries), k))


@pytest.mark.parametrize("metric", ["cosine", "dot"])
@pytest.mark.parametrize("query_count", [1, 50])
@pytest.mark.parametrize("mapped", [False, True], ids=["indexed", "mapped"])
def test_an_engine_finds_the_exact_rows(engine, vectors, tmp_path, *, metric, query_count, mapped):
    gallery, queries = vectors
    if mapped:
        np.save(tmp_path / "gallery.npy", gallery)
        gallery = np.load(tmp_path / "gallery.npy", mmap_mode="r")
    engine.prepare(gallery, metric=metric, mapped=mapped)
    found = find(engine, queries[:query_count], 10)
    np.testing.assert_array_equal(
        found.indices, exact_rows(gallery, queries[:query_count], 10, metric)
    )
    assert found.indices.dtype == np.int64
    assert (np.diff(found.scores, axis=1) <= 0).all()


def test_more_neighbours_than_rows_are_all_rows(engine, vectors):
    gallery, queries = vectors
    engine.prepare(gallery[:7], metric="dot")
    found = find(engine, queries, 7)
    np.testing.assert_array_equal(np.sort(found.indices), np.tile(np.arange(7), (50, 1)))


def test_one_query_after_a_batch_finds_the_same(engine, vectors):
    gallery, queries = vectors
    engine.prepare(gallery, metric="dot")
    batch = find(engine, queries, 5)
    one = find(engine, queries[3:4], 5)
    np.testing.assert_array_equal(one.indices[0], batch.indices[3])


def test_settings_name_the_version(engine):
    assert engine.settings()[engine.name]


def test_rows_are_scaled_to_length_one_and_zeros_stay():
    rows = np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)
    np.testing.assert_allclose(engines.unit_rows(rows), [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize("query_count", [1, 1000, 10**6])
def test_chunks_cover_every_row_once(query_count):
    gallery = np.zeros((100_000, 2), np.float32)
    chunks = list(_engine.row_chunks(gallery, query_count, mapped=True))
    assert [begin for begin, _ in chunks] == list(np.cumsum([0] + [len(c) for _, c in chunks])[:-1])
    assert sum(len(rows) for _, rows in chunks) == 100_000


def test_a_foreign_blas_kernel_is_taken_away_from_all_and_the_right_one_given_to_faiss(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setattr(_faiss, "has_avx512", lambda: False)
    monkeypatch.setattr(_faiss, "has_avx2", lambda: True)
    for name in ("fastvbench", "torch", "numpy"):
        variables = engines.engine_environment(name, threads=3)
        assert "OPENBLAS_CORETYPE" not in variables
        assert variables["OMP_NUM_THREADS"] == "3"
    assert engines.engine_environment("faiss", threads=3)["OPENBLAS_CORETYPE"] == "Haswell"
    monkeypatch.setattr(_faiss, "has_avx512", lambda: True)
    assert engines.engine_environment("faiss", threads=3)["OPENBLAS_CORETYPE"] == "SkylakeX"
    assert os.environ["OPENBLAS_CORETYPE"] == "Prescott"


def test_an_engine_that_is_not_installed_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(_registry, "is_installed", lambda _: False)
    with pytest.raises(MissingExtraError, match=r"faiss engine needs.*fastvbench\[timing\]"):
        engines.make_engine("faiss", threads=1)
    with pytest.raises(MissingExtraError, match="pip install torch"):
        engines.check_installed("torch")


def test_an_unknown_engine_is_refused():
    with pytest.raises(InputError, match="'annoy'"):
        engines.make_engine("annoy", threads=1)
