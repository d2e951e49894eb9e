"""The timing study's clock and ledger, its check of answers, and what it reads."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from fastvbench.core import InputError
from fastvbench.retrieval.timing import _check, _clock, _source
from fastvbench.retrieval.timing._clock import Enough, LedgerPass

# ---- clock


@pytest.mark.parametrize(
    ("enough", "passes"),
    [(Enough(1.0, 1, 1), 8), (Enough(0.01, 7, 1), 7), (Enough(0.01, 1, 9), 5)],
    ids=["seconds", "passes", "calls"],
)
def test_a_pass_is_repeated_until_all_minima_are_reached(enough, passes):
    assert _clock.repeat(lambda: (0.125, 2), enough) == passes


def test_what_costs_more_outside_than_inside_ends_by_the_wall_clock():
    def run():
        time.sleep(0.01)
        return 0.0, 1

    assert _clock.repeat(run, Enough(0.005, 2, 1)) <= 7


def one_pass(wall=2.0, search=1.0):
    stages = dict.fromkeys(_clock.STAGES, 0.0) | {"read_gallery": 0.5, "search": search}
    return LedgerPass(wall, stages, call_seconds=[search / 4, search * 3 / 4], call_queries=[1, 3])


def test_the_stages_and_the_rest_add_up_to_the_wall_time():
    ledger = one_pass().ledger()
    assert sum(ledger["stages_ms"].values()) == pytest.approx(ledger["wall_ms"])
    assert ledger["stages_ms"]["other"] == pytest.approx(500.0)
    assert not ledger["other_within_tolerance"]
    assert one_pass(wall=1.52).ledger()["other_within_tolerance"]


def test_queries_share_what_is_done_once():
    per_query = one_pass().per_query_seconds()
    assert len(per_query) == 4
    assert sum(per_query) == pytest.approx(2.0)
    assert per_query[0] == pytest.approx(0.25 + 0.25)


def test_the_ledger_is_that_of_the_median_pass():
    entry = _clock.typical_pass([one_pass(5.0), one_pass(2.0), one_pass(3.0)])
    assert entry["wall_ms"] == pytest.approx(3000.0)
    assert entry["total"] == pytest.approx(1e3 * 10 / 3)
    assert entry["mean"] * entry["queries"] == pytest.approx(entry["total"])
    assert (entry["passes"], entry["calls"], entry["queries"]) == (3, 6, 4)


def test_a_summary_is_per_query_and_in_total():
    entry = _clock.summary([0.004, 0.008], [4, 4], passes=2)
    assert entry["mean"] == pytest.approx(1.5)
    assert entry["total"] == pytest.approx(6.0)
    assert (entry["queries"], entry["calls"]) == (4, 2)


# ---- answers


def test_ties_that_float32_cannot_tell_apart_count_with_ties_only():
    gallery = np.array([[1.0, 0.0], [1.0, 1e-9], [0.0, 1.0]], np.float32)
    queries = np.array([[1.0, 0.0]], np.float32)
    exact = _check.exact_neighbours(queries, gallery, 1, "dot")
    assert exact.indices.tolist() == [[0]]
    shares = _check.recall(np.array([[1]]), exact, queries, gallery)
    assert (shares.strict, shares.with_ties) == (0.0, 1.0)
    assert _check.recall(np.array([[2]]), exact, queries, gallery).with_ties == 0.0


def test_a_repeated_row_and_no_row_are_not_found_twice():
    gallery = np.eye(4, dtype=np.float32)
    queries = np.array([[4.0, 3.0, 2.0, 1.0]], np.float32)
    exact = _check.exact_neighbours(queries, gallery, 2, "cosine")
    for wrong in ([0, 0], [0, -1], [0, 4]):
        shares = _check.recall(np.array([wrong]), exact, queries, gallery)
        assert (shares.strict, shares.with_ties) == (0.5, 0.5), wrong


def test_exact_neighbours_do_not_depend_on_blocks(monkeypatch):
    generator = np.random.default_rng(1)
    gallery = generator.integers(-2, 3, (500, 4)).astype(np.float32)  # many true ties
    gallery[(gallery == 0).all(axis=1)] = 1.0
    queries = generator.integers(-2, 3, (20, 4)).astype(np.float32)
    whole = _check.exact_neighbours(queries, gallery, 9, "cosine")
    monkeypatch.setattr(_check, "_BLOCK_ROWS", 7)
    np.testing.assert_array_equal(
        _check.exact_neighbours(queries, gallery, 9, "cosine").indices, whole.indices
    )


# ---- sources


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "is a pipe or a device"),
        (lambda path: path.write_bytes(b"PK\x03\x04 and no more"), "damaged archive"),
        (lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\x04\x00{'a\n"), "damaged or truncated"),
        (lambda path: None, "no such file"),
    ],
    ids=["folder", "pipe", "zip", "header", "absent"],
)
def test_what_is_no_gallery_is_named(make, named, tmp_path):
    make(tmp_path / "gallery")
    with pytest.raises(InputError, match=named):
        _source.shape_of(str(tmp_path / "gallery"))


def test_a_truncated_gallery_is_named_with_its_bytes(tmp_path):
    path = tmp_path / "gallery.npy"
    np.save(path, np.ones((3, 4), np.float32))
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InputError, match=r"got '44 bytes'; expected 48 bytes"):
        _source.read_rows(str(path))


def test_queries_are_read_one_by_one_from_their_file(tmp_path):
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "queries.npy", rows)
    with _source.QueryReader(str(tmp_path / "queries.npy")) as reader:
        np.testing.assert_array_equal(reader.read(2, 3), rows[2:3])
        np.testing.assert_array_equal(reader.read(0, 4), rows)
        with pytest.raises(InputError, match="ends early"):
            reader.read(3, 5)


def test_a_fortran_ordered_file_is_read_right(tmp_path):
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "queries.npy", np.asfortranarray(rows))
    with _source.QueryReader(str(tmp_path / "queries.npy")) as reader:
        np.testing.assert_array_equal(reader.read(1, 2), rows[1:2])
