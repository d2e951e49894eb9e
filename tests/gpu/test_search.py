"""Search and ranks on a GPU equal the CPU core bit for bit, in whatever library they come."""

from __future__ import annotations

import numpy as np
import pytest

import fastvbench as fvb

# Rows, dimensions, queries, k: every path and every number of panels.
SHAPES = [
    (1, 1, 1, 1),
    (33, 20, 3, 33),
    (4096, 64, 1, 10),
    (5000, 100, 1, 1),
    (20_000, 384, 40, 10),
    (20_000, 512, 70, 100),
    (10_003, 768, 200, 10),
    (5000, 3, 1000, 5),
    (4500, 4200, 5, 3),
    (30_000, 48, 9, 2500),
]
KINDS = ["gaussian", "clustered", "ties", "near", "outlier", "scaled", "zeros"]


def vectors(kind: str, rows: int, dimension: int, seed: int) -> np.ndarray:
    """Rows of one kind; none is all zeros."""
    generator = np.random.default_rng(seed)
    values = generator.standard_normal((rows, dimension))
    if kind == "clustered":
        values = 3.0 * np.sin(np.arange(dimension)) + 0.3 * values
    elif kind == "ties":
        values = np.round(values)[generator.integers(0, max(rows // 3, 1), rows)]
    elif kind == "near":  # the shots of a film: rows that differ in their last digits
        values = np.sin(np.arange(dimension)) + 1e-6 * values
    elif kind == "outlier":
        values[rows // 2] *= 1e30
    elif kind == "scaled":
        values *= 10.0 ** generator.integers(-30, 15, (rows, 1))
    elif kind == "zeros":
        values *= generator.random((rows, dimension)) < 0.05
    made = values.astype(np.float32)
    made[~made.any(axis=1), 0] = 1.0
    return made


def assert_same_top_k(library, found, expected) -> None:
    np.testing.assert_array_equal(library.to_host(found.indices), expected.indices)
    np.testing.assert_array_equal(library.to_host(found.scores), expected.scores)


def assert_same_ranks(found, expected) -> None:
    fetched = found.to_host()
    for name in ("above", "tied", "offsets", "tied_before", "tied_before_trec"):
        np.testing.assert_array_equal(getattr(fetched, name), getattr(expected, name), name)


@pytest.mark.parametrize("metric", ["cosine", "dot"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_search_and_ranks_equal_the_core(library, shape, metric):
    row_count, dimension, query_count, k = shape
    for seed, kind in enumerate(KINDS):
        if row_count * dimension > 5_000_000 and seed % 3 != len(metric) % 3:
            continue  # the core itself takes its time
        rows = vectors(kind, row_count, dimension, seed)
        queries = vectors(kind, query_count, dimension, seed + 100)
        host = fvb.Gallery(rows, metric=metric)
        device_rows, device_queries = library.to_device(rows), library.to_device(queries)
        gallery = fvb.Gallery(device_rows, metric=metric)
        expected = host.search(queries, k)
        assert_same_top_k(library, gallery.search(device_queries, k), expected)
        assert_same_top_k(
            library, fvb.search(device_queries, device_rows, k, metric=metric), expected
        )
        relevant = np.random.default_rng(seed).integers(0, row_count, query_count)
        wanted = host.ranks(queries, relevant)
        assert_same_ranks(gallery.ranks(device_queries, library.to_device(relevant)), wanted)
        assert_same_ranks(fvb.ranks(device_queries, device_rows, relevant, metric=metric), wanted)


def test_little_workspace_changes_nothing(library):
    rows, queries = vectors("clustered", 9000, 70, 1), vectors("clustered", 100, 70, 2)
    gallery = fvb.Gallery(library.to_device(rows))
    host = fvb.Gallery(rows)
    on_device = library.to_device(queries)
    for workspace in (1, 1 << 20):
        found = gallery.search(on_device, 7, workspace_bytes=workspace)
        assert_same_top_k(library, found, host.search(queries, 7))
        relevant = [[i, 8999 - i] for i in range(100)]
        found_ranks = gallery.ranks(on_device, relevant, workspace_bytes=workspace)
        assert_same_ranks(found_ranks, host.ranks(queries, relevant))


def test_more_rows_in_doubt_than_there_is_room_for(library):
    rows = np.repeat(vectors("gaussian", 1, 32, 3), 60_000, axis=0)
    rows[::3, 31] = np.nextafter(rows[0, 31], np.float32(10))
    queries = vectors("gaussian", 3, 32, 4)
    host, gallery = fvb.Gallery(rows), fvb.Gallery(library.to_device(rows))
    found = gallery.search(library.to_device(queries), 10)
    assert_same_top_k(library, found, host.search(queries, 10))
    found_ranks = gallery.ranks(library.to_device(queries), [5, 6, 7], workspace_bytes=1)
    assert_same_ranks(found_ranks, host.ranks(queries, [5, 6, 7]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(torch, dtype):
    kind = getattr(torch, dtype)
    rows = torch.from_numpy(vectors("gaussian", 5000, 96, 5)).to(kind)
    queries = torch.from_numpy(vectors("gaussian", 20, 96, 6)).to(kind)
    host = fvb.Gallery(rows).search(queries, 10)
    found = fvb.Gallery(rows.cuda()).search(queries.cuda(), 10)
    assert found.indices.device.type == "cuda"
    assert found.indices.cpu().numpy().tolist() == host.indices.tolist()
    assert found.scores.cpu().numpy().tolist() == host.scores.tolist()


def test_rows_that_cannot_be_ranked(library):
    rows = vectors("gaussian", 5000, 16, 7)
    rows[3, 2], rows[17, 0], rows[4999] = np.nan, -np.inf, 0.0
    on_device = library.to_device(rows)
    with pytest.raises(ValueError, match=r"embeddings: 3 rows cannot be ranked: 3 \(NaN\), 17"):
        fvb.Gallery(on_device)
    gallery = fvb.Gallery(on_device, invalid="drop")
    host = fvb.Gallery(rows, invalid="drop")
    assert gallery.dropped.tolist() == [3, 17, 4999]
    queries = vectors("gaussian", 4, 16, 8)
    found = gallery.search(library.to_device(queries), 20)
    assert_same_top_k(library, found, host.search(queries, 20))
    one_call = fvb.search(library.to_device(queries), on_device, 5000)
    assert (library.to_host(one_call.indices)[:, 4997:] == -1).all()
    assert np.isnan(library.to_host(one_call.scores)[:, 4997:]).all()
    with pytest.raises(ValueError, match=r"relevant\[0\]=17 is a row that cannot be ranked"):
        gallery.ranks(library.to_device(queries), [17, 0, 0, 0])


def test_queries_that_cannot_be_compared(library):
    rows, queries = vectors("gaussian", 5000, 16, 9), vectors("gaussian", 4, 16, 10)
    queries[2, 5] = np.nan
    gallery, on_device = fvb.Gallery(library.to_device(rows)), library.to_device(queries)
    indices = library.to_host(gallery.search(on_device, 2).indices)
    assert (indices[2] == -1).all()
    assert (indices[[0, 1, 3]] >= 0).all()
    with pytest.raises(ValueError, match=r"queries: 1 row cannot be ranked: 2 \(NaN\)"):
        gallery.search(on_device, 2, check=True)
    with pytest.raises(ValueError, match=r"queries: 1 row"):
        gallery.ranks(on_device, [0, 0, 0, 0], check=True)
    above = library.to_host(gallery.ranks(on_device, [0, 0, 0, 0]).above)
    assert above[2] == -1
    assert above[0] >= 0


def test_another_stream_and_metrics(torch):
    rows = torch.from_numpy(vectors("gaussian", 8000, 64, 11)).cuda()
    gallery = fvb.Gallery(rows)
    expected = gallery.search(rows[:50].contiguous(), 5).indices.cpu()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        found = gallery.search(rows[:50].contiguous(), 5).indices
    stream.synchronize()
    assert torch.equal(found.cpu(), expected)
    ranks = gallery.ranks(rows[:50].contiguous(), torch.arange(50, device="cuda"))
    assert fvb.recall_at_k(ranks, 1) == {1: 1.0}


def test_refusals(library):
    rows = library.to_device(vectors("gaussian", 100, 8, 12))
    gallery = fvb.Gallery(rows)
    with pytest.raises(TypeError, match="the gallery is on CUDA device 0 and queries is ndarray"):
        gallery.search(np.ones((1, 8), np.float32))
    with pytest.raises(ValueError, match="queries have 4 dimensions; expected the gallery's 8"):
        gallery.search(library.to_device(np.ones((1, 4), np.float32)))
    with pytest.raises(TypeError, match="float64; expected float32, float16 or bfloat16"):
        fvb.Gallery(library.to_device(np.ones((2, 3))))
    with pytest.raises(ValueError, match=r"strides .* pass embeddings.contiguous"):
        fvb.Gallery(library.to_device(np.ones((8, 6), np.float32))[:, ::2])
    with pytest.raises(ValueError, match="has 1 entries; expected 2, one per query"):
        gallery.ranks(rows[:2], library.to_device(np.array([1])))
    assert "CUDA device 0: stream path, because the gallery is small" in gallery.explain()
