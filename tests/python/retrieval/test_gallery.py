"""The public face of search and ranks: what they take, refuse and say."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import fastvbench as fvb
from fastvbench import _core
from fastvbench.retrieval import Gallery, _gallery


@pytest.fixture
def rows():
    return np.random.default_rng(7).standard_normal((300, 24)).astype(np.float32)


def test_a_row_finds_itself_first(rows):
    found = Gallery(rows).search(rows, 1)
    assert found.indices[:, 0].tolist() == list(range(300))
    assert found.scores[:, 0] == pytest.approx(1.0)
    assert found.indices.dtype == np.int64
    assert found.scores.dtype == np.float64


def test_one_call_and_a_prepared_gallery_agree(rows):
    for metric in ("cosine", "dot"):
        for query_count in (1, 5, 200):
            prepared = Gallery(rows, metric=metric).search(rows[:query_count], 7)
            one_call = fvb.search(rows[:query_count], rows, 7, metric=metric)
            assert np.array_equal(prepared.indices, one_call.indices)
            assert np.array_equal(prepared.scores, one_call.scores)


def test_float64_is_refused_with_the_conversion(rows):
    with pytest.raises(
        TypeError, match=r"embeddings is float64; .*embeddings\.astype\('float32'\)"
    ):
        Gallery(rows.astype(np.float64))
    with pytest.raises(TypeError, match=r"queries is float64"):
        Gallery(rows).search([[1.0] * 24])


@pytest.mark.parametrize("shape", [(24,), (0, 24), (3, 0), (1, 2, 12)])
def test_wrong_shapes_are_named(rows, shape):
    with pytest.raises(ValueError, match="queries has shape"):
        Gallery(rows).search(np.zeros(shape, np.float32))


def test_another_dimension_is_named(rows):
    with pytest.raises(ValueError, match="queries have 23 dimensions; expected the gallery's 24"):
        Gallery(rows).search(rows[:, :23].copy())


def test_strided_and_transposed_rows_are_read_as_they_look(rows):
    wanted = Gallery(np.ascontiguousarray(rows[::3, ::2])).search(rows[:4, ::2], 5)
    assert np.array_equal(Gallery(rows[::3, ::2]).search(rows[:4, ::2], 5).indices, wanted.indices)
    assert np.array_equal(
        fvb.search(rows.T[:5].T.copy(), np.asfortranarray(rows[:, :5]), 3).indices,
        fvb.search(rows[:, :5].copy(), rows[:, :5].copy(), 3).indices,
    )


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinite"), (0, "all zeros")]
)
def test_rows_that_cannot_be_ranked_are_refused_by_number(rows, value, word):
    rows[[5, 250]] = value
    for search in (
        lambda: Gallery(rows),
        lambda: fvb.search(rows[:1], rows),
        lambda: fvb.search(rows[:64][np.arange(64) != 5], rows),
    ):
        with pytest.raises(ValueError, match=rf"2 rows cannot be ranked: 5 \({word}\), 250"):
            search()
    with pytest.raises(ValueError, match=r"queries: 1 row cannot be ranked: 1"):
        Gallery(rows[:5]).search(rows[4:6], 1)


def test_dropped_rows_are_counted_and_never_found(rows):
    rows[[5, 250]] = np.nan
    gallery = Gallery(rows, invalid="drop")
    assert gallery.dropped.tolist() == [5, 250]
    with pytest.warns(UserWarning, match="k=300 is more than the gallery's 298 rows"):
        found = gallery.search(rows[6:8], 300)
    assert found.indices.shape == (2, 298)
    assert not np.isin(found.indices, [5, 250]).any()
    assert gallery.ranks(rows[6:8], [6, 7]).gallery_size == 298
    with pytest.raises(ValueError, match=r"relevant\[1\]=250 is a row that cannot be ranked"):
        gallery.ranks(rows[6:8], [6, 250])
    with pytest.raises(ValueError, match="none of the 2 rows can be ranked"):
        Gallery(np.full((2, 3), np.nan, np.float32), invalid="drop")


def test_a_zero_row_has_a_dot_product(rows):
    rows[3] = 0
    assert 3 in Gallery(rows, metric="dot").search(rows[:1], 300).indices


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(rows, k):
    with pytest.raises(ValueError, match=f"k={k}; expected at least 1"):
        Gallery(rows).search(rows[:1], k)


@pytest.mark.parametrize("k", [2.5, "3", None, True])
def test_k_that_is_no_whole_number_is_refused_by_name(rows, k):
    with pytest.raises(TypeError, match=r"k is .*; expected an integer"):
        Gallery(rows).search(rows[:1], k)
    with pytest.raises(TypeError, match=r"query_count is .*; expected an integer"):
        Gallery(rows).explain(k)


def test_a_clamped_k_is_said_of_the_line_that_asked_for_it(rows):
    gallery = Gallery(rows)
    for call in (
        lambda: gallery.search(rows[:1], 301),
        lambda: fvb.search(rows[:1], rows, 301),
        lambda: gallery.explain(1, 301),
    ):
        with pytest.warns(UserWarning, match="k=301") as said:
            call()
        assert said[0].filename == __file__


def test_ranks_take_one_row_each_lists_or_columns(rows):
    gallery = Gallery(rows)
    single = gallery.ranks(rows[:3], [0, 1, 2])
    assert single.above.tolist() == [0, 0, 0]
    listed = gallery.ranks(rows[:3], [[0, 9], [1], [2]])
    assert listed.offsets.tolist() == [0, 2, 3, 4]
    columns = gallery.ranks(rows[:3], (np.array([0, 9, 1, 2]), np.array([0, 2, 3, 4])))
    assert np.array_equal(listed.above, columns.above)
    for rows_of_each in ([np.array([0, 9]), np.array([1]), np.array([2])], [{9, 0}, {1}, {2}]):
        assert np.array_equal(gallery.ranks(rows[:3], rows_of_each).above, columns.above)


@pytest.mark.parametrize(
    ("relevant", "message"),
    [
        ([0, 1], "relevant has 2 entries; expected 3"),
        ([[0], [], [1]], r"relevant\[1\] is empty"),
        ([0, 1, 300], r"relevant\[2\]=300; expected a row of the gallery, 0 to 299"),
        ([0, -1, 2], r"relevant\[1\]=-1"),
        ((np.arange(3), np.arange(3)), "relevant has 3 offsets; expected 4"),
    ],
)
def test_relevant_rows_are_checked(rows, relevant, message):
    with pytest.raises(ValueError, match=message):
        Gallery(rows).ranks(rows[:3], relevant)
    with pytest.raises(ValueError, match=message):
        fvb.ranks(rows[:3], rows, relevant)


def test_relevant_rows_are_whole_numbers(rows):
    with pytest.raises(TypeError, match="expected a flat list of row numbers"):
        Gallery(rows).ranks(rows[:2], [0.0, 1.0])


def test_ties_are_listed_as_trec_eval_does():
    rows = np.ones((12, 4), np.float32)
    numbered = Gallery(rows).ranks(rows[:1], [2])
    assert (numbered.above[0], numbered.tied[0], numbered.tied_before[0]) == (0, 12, 2)
    # As strings in descending order: 9 8 7 6 5 4 3 2 ...
    assert numbered.tied_before_trec[0] == 7
    named = Gallery(rows, ids=[f"clip{i:02}" for i in range(12)]).ranks(rows[:1], [2])
    assert named.tied_before_trec[0] == 9


def test_ids_must_be_one_per_row(rows):
    with pytest.raises(ValueError, match="ids has 2 names; expected 300"):
        Gallery(rows, ids=["a", "b"])


def test_replaced_rows_are_the_ones_found(rows):
    gallery = Gallery(rows, ids=[str(i) for i in range(300)])
    others = np.random.default_rng(8).standard_normal((500, 40)).astype(np.float16)
    gallery.replace(others)
    assert (gallery.size, gallery.dimension, gallery.ids) == (500, 40, None)
    assert gallery.search(others[:3], 1).indices[:, 0].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="ids has 1 names"):
        gallery.replace(others, ids=["a"])
    assert gallery.search(others[:3], 1).indices[:, 0].tolist() == [0, 1, 2]
    queries = others[:3].copy()
    others[7] = np.nan
    with pytest.raises(ValueError, match=r"7 \(NaN\)"):
        gallery.replace(others)
    for call in (
        lambda: gallery.search(queries, 1),
        lambda: gallery.ranks(queries, [0, 1, 2]),
        gallery.explain,
    ):
        with pytest.raises(ValueError, match="empty since replace failed"):
            call()
    gallery.replace(rows)
    assert gallery.search(rows[:3], 1).indices[:, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_sixteen_bit_rows_count_as_what_they_hold(rows, kind):
    dtype = np.float16 if kind == "float16" else pytest.importorskip("ml_dtypes").bfloat16
    short = rows.astype(dtype)
    wanted = fvb.search(short[:20].astype(np.float32), short.astype(np.float32), 9)
    found = Gallery(short).search(short[:20], 9)
    assert np.array_equal(found.indices, wanted.indices)
    assert np.array_equal(found.scores, wanted.scores)


def test_torch_tensors_are_read_in_place(rows):
    torch = pytest.importorskip("torch")
    wanted = Gallery(rows).search(rows[:3], 4)
    assert np.array_equal(Gallery(torch.tensor(rows)).search(rows[:3], 4).indices, wanted.indices)
    short = torch.tensor(rows).bfloat16()
    exact = fvb.search(short[:3].float(), short.float(), 4)
    assert np.array_equal(fvb.search(short[:3], short, 4).indices, exact.indices)
    with pytest.raises(TypeError, match=r"embeddings\.float\(\)"):
        Gallery(torch.tensor(rows).double())


def test_a_gallery_that_does_not_fit_is_searched_tile_by_tile(rows, monkeypatch):
    wanted = Gallery(rows).search(rows[:50], 6)
    monkeypatch.setattr(_gallery, "available_bytes", lambda: 1000)
    gallery = Gallery(rows)
    assert gallery.memory_bytes < 1000
    assert np.array_equal(gallery.search(rows[:50], 6).indices, wanted.indices)
    assert "tile" in gallery.explain(50)


def test_a_plan_can_be_asked_for(rows):
    gallery = Gallery(rows)
    assert "wide path" in gallery.explain(1000, 10)
    assert "most rows are wanted" in gallery.explain(3, 290)
    large = Gallery(np.random.default_rng(0).standard_normal((5000, 8)).astype(np.float32))
    assert "coded path" in large.explain(1000, 10)


def test_threads_search_one_gallery_at_a_time_and_together(rows):
    gallery = Gallery(rows)
    wanted = gallery.search(rows, 12)
    wrong = []

    def search():
        for _ in range(20):
            found = gallery.search(rows, 12)
            if not np.array_equal(found.indices, wanted.indices):
                wrong.append(found)

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_every_level_and_thread_count_gives_the_same(rows):
    wanted = Gallery(rows).search(rows, 25)
    level = _core.cpu_level()
    try:
        for other in _core.available_cpu_levels():
            _core.set_cpu_level(other)
            for threads in (1, 2, 5):
                found = Gallery(rows, threads=threads).search(rows, 25, threads=threads)
                assert np.array_equal(found.indices, wanted.indices)
                assert np.array_equal(found.scores, wanted.scores)
    finally:
        _core.set_cpu_level(level)
