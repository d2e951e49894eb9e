"""Galleries of device arrays, as far as no device is needed.

What the extension refuses is tested on it; the way through Python on a stand-in for its gallery,
which searches in host memory.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import SimpleNamespace

import numpy as np
import pytest
from tests.python.core.fake_device import CUDA, FakeDeviceArray

import fastvbench as fvb
from fastvbench import _core
from fastvbench.core import _device
from fastvbench.retrieval import DeviceRanks, _device_gallery
from fastvbench.retrieval._gallery import _descending_decimals

ROWS = np.random.default_rng(1).standard_normal((60, 9)).astype(np.float32)
ROWS[7] = ROWS[3]


class StandInGallery:
    """The extension's gallery over host memory."""

    def __init__(self, embeddings, is_cosine, with_codes, stream):
        self.host = _core.Gallery(embeddings, 0, is_cosine, 2 if with_codes else 1, 0)
        self.with_codes = with_codes
        self.order = None
        self.calls = []

    fault_count = property(lambda self: self.host.fault_count if self.with_codes else 0)
    memory_bytes = property(lambda self: self.host.memory_bytes)
    has_order = property(lambda self: self.order is not None)

    def raise_for_faults(self):
        self.host.raise_for_faults()

    def faulty_rows(self):
        return self.host.faulty_rows()

    def set_order(self, positions):
        assert self.order is None, "once is enough"
        self.order = positions

    def search(self, queries, k, path, *rest):
        workspace_bytes, check, _stream = rest
        self.calls.append((workspace_bytes, check))
        return self.host.search(queries, 0, k, path, 0)

    def ranks(self, queries, relevant, offsets, path, *rest):
        workspace_bytes, check, _stream = rest
        self.calls.append((workspace_bytes, check))
        offsets = np.arange(len(queries) + 1) if offsets is None else offsets
        return self.host.ranks(queries, 0, relevant, offsets, self.order, path, 0)

    def plan(self, query_count, k, path):
        return 3, "codes of the rows are there"


@pytest.fixture
def stand_in(monkeypatch):
    def take(function, **arrays):
        taken = tuple(array.array for array in arrays.values())
        cuda = SimpleNamespace(Gallery=StandInGallery)
        return SimpleNamespace(
            cuda=cuda, arrays=taken, stream=None, device=0, give_back=lambda array: array
        )

    monkeypatch.setattr(_device_gallery, "take_device_arrays", take)


@pytest.fixture
def usable(monkeypatch):
    """The extension itself, on arrays that claim to be on a device."""
    if importlib.util.find_spec("fastvbench._cuda") is None:
        pytest.skip("_cuda is not in this build, which had no CUDA compiler")
    monkeypatch.setattr(_device, "why_no_cuda", lambda: None)


def test_without_a_device_every_call_says_why(monkeypatch):
    monkeypatch.setattr(_device, "why_no_cuda", lambda: "there is no driver")
    fake = FakeDeviceArray(ROWS)
    for call in (
        lambda: fvb.Gallery(fake),
        lambda: fvb.search(fake, fake),
        lambda: fvb.ranks(fake, fake, [0] * 60),
    ):
        with pytest.raises(fvb.DeviceError, match=r"is on CUDA device 0, .*there is no driver"):
            call()


@pytest.mark.usefixtures("usable")
def test_the_extension_names_what_it_refuses():
    with pytest.raises(TypeError, match="embeddings has dtype float64; expected float32, float16"):
        fvb.Gallery(FakeDeviceArray(np.ones((2, 3))))
    with pytest.raises(ValueError, match=r"embeddings has shape \[4\]; expected \[rows"):
        fvb.Gallery(FakeDeviceArray(np.ones(4, np.float32)))
    with pytest.raises(ValueError, match=r"embeddings has shape \[0, 4\]"):
        fvb.Gallery(FakeDeviceArray(np.ones((0, 4), np.float32)))
    with pytest.raises(ValueError, match=r"embeddings has strides \[9, 2\]"):
        fvb.Gallery(FakeDeviceArray(ROWS[:, ::2]))


@pytest.mark.usefixtures("stand_in")
def test_answers_are_those_of_the_rows():
    host, gallery = fvb.Gallery(ROWS), fvb.Gallery(FakeDeviceArray(ROWS))
    queries = FakeDeviceArray(ROWS[:5])
    for found in (gallery.search(queries, 4), fvb.search(queries, FakeDeviceArray(ROWS), 4)):
        np.testing.assert_array_equal(found.indices, host.search(ROWS[:5], 4).indices)
    with pytest.warns(UserWarning, match="k=99 is more than the gallery's 60 rows"):
        assert gallery.search(queries, 99).indices.shape == (5, 60)
    gallery.search(queries, 4, check=True, workspace_bytes=77)
    assert gallery._core.calls[-1] == (77, True)
    assert gallery.explain(5, 4).startswith(
        "5 queries, k=4, 60 x 9 rows on CUDA device 0: coded path, because codes of the rows"
    )


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("ids", [None, [f"clip {i % 10} {i}" for i in range(60)]])
def test_ranks_in_every_form(ids):
    host = fvb.Gallery(ROWS, ids=ids)
    gallery = fvb.Gallery(FakeDeviceArray(ROWS), ids=ids)
    queries = FakeDeviceArray(ROWS[:3])
    one_each = np.array([7, 1, 2])
    several = (np.array([7, 3, 1, 2]), np.array([0, 2, 3, 4]))
    for relevant, expected in (
        (FakeDeviceArray(one_each), one_each),
        (one_each, one_each),
        ([[7, 3], [1], [2]], several),
        ((FakeDeviceArray(several[0]), several[1]), several),
    ):
        found = gallery.ranks(queries, relevant)
        assert isinstance(found, DeviceRanks)
        wanted = host.ranks(ROWS[:3], expected)
        for name in ("above", "tied", "offsets", "tied_before", "tied_before_trec"):
            np.testing.assert_array_equal(getattr(found.to_host(), name), getattr(wanted, name))
        assert fvb.recall_at_k(found, 1, ties="trec") == fvb.recall_at_k(wanted, 1, ties="trec")
        assert len(found) == len(wanted) == 3


@pytest.mark.usefixtures("stand_in")
def test_rows_that_cannot_be_ranked():
    rows = ROWS.copy()
    rows[4, 0] = np.nan
    with pytest.raises(ValueError, match=r"1 row cannot be ranked: 4 \(NaN\)"):
        fvb.Gallery(FakeDeviceArray(rows))
    gallery = fvb.Gallery(FakeDeviceArray(rows), invalid="drop")
    assert gallery.dropped.tolist() == [4]
    queries = FakeDeviceArray(ROWS[:2])
    with pytest.raises(ValueError, match=r"relevant\[1\]=4 is a row that cannot be ranked"):
        gallery.ranks(queries, [1, 4])
    with pytest.raises(ValueError, match=r"relevant\[0\]=60; expected a row of the gallery, 0 to"):
        gallery.ranks(queries, [60, 1])
    assert gallery.ranks(queries, [1, 2]).gallery_size == 59


@pytest.mark.usefixtures("stand_in")
def test_host_and_device_are_not_mixed():
    gallery = fvb.Gallery(FakeDeviceArray(ROWS))
    with pytest.raises(TypeError, match="on CUDA device 0 and queries is ndarray in host memory"):
        gallery.search(ROWS)
    with pytest.raises(TypeError, match="queries is on CUDA device 1; expected all on one device"):
        gallery.ranks(FakeDeviceArray(ROWS, (CUDA, 1)), [0] * 60)
    with pytest.raises(TypeError, match="replace: expected embeddings where those before were"):
        gallery.replace(ROWS)
    with pytest.raises(TypeError, match="replace: expected embeddings"):
        fvb.Gallery(ROWS).replace(FakeDeviceArray(ROWS))
    gallery.replace(FakeDeviceArray(ROWS[:20]), ids=[str(i) for i in range(20)])
    assert (gallery.size, len(gallery.ids)) == (20, 20)


def test_ranks_that_the_device_could_not_count_are_refused_when_fetched():
    columns = [np.array([0, -1])] * 4
    above, tied, before, before_trec = columns
    ranks = DeviceRanks(above, tied, np.array([0, 1, 2]), before, before_trec, 9)
    with pytest.raises(fvb.InputError, match=r"ranks.above\[1\]=-1; expected at least 0"):
        fvb.recall_at_k(ranks)


@pytest.mark.parametrize("count", [1, 9, 10, 11, 100, 2345])
def test_row_numbers_as_text_descend(count):
    expected = sorted(range(count), key=str, reverse=True)
    assert _descending_decimals(count).tolist() == expected
