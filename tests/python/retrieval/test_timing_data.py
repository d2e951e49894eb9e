"""Generated galleries of the timing study, and the page cache."""

from __future__ import annotations

import os
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from fastvbench.core import InputError
from fastvbench.retrieval import timing
from fastvbench.retrieval.timing import _data, _page_cache

# ---- generated vectors


def generated(folder, **changes):
    folder.mkdir()
    given = {"rows": 2000, "dimension": 32, "query_count": 40, "seed": 3, **changes}
    files = timing.write_generated(folder, **given)
    return np.load(files.gallery), np.load(files.queries), files.relevant


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path):
    first, again = generated(tmp_path / "a"), generated(tmp_path / "b")
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    other_gallery = generated(tmp_path / "c", seed=4)[0]
    assert not np.array_equal(first[0], other_gallery)


def test_rows_and_queries_have_length_one(tmp_path):
    gallery, queries, _ = generated(tmp_path / "a")
    assert gallery.shape == (2000, 32)
    assert queries.shape == (40, 32)
    assert gallery.dtype == queries.dtype == np.float32
    for rows in (gallery, queries):
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


def test_clips_lie_around_their_video(tmp_path):
    gallery, _, _ = generated(tmp_path / "a", dimension=256)
    video = np.arange(2000) * timing.LOVR_VIDEOS // 2000
    similarity = gallery @ gallery.T
    same = video[:, None] == video[None, :]
    np.fill_diagonal(same, val=False)
    assert similarity[same].mean() > similarity[~same].mean() + 0.2


def test_the_relevant_row_is_near_the_top(tmp_path):
    gallery, queries, relevant = generated(tmp_path / "a", dimension=512, query_count=100)
    scores = queries @ gallery.T
    ranks = (scores > scores[np.arange(100), relevant][:, None]).sum(axis=1)
    assert np.mean(ranks < 10) > 0.9
    assert np.mean(ranks == 0) < 1.0  # else every engine's recall is trivial


@pytest.mark.parametrize(("rows", "videos"), [(1, 1), (467, 467), (40_804, 467), (10**6, 11_445)])
def test_videos_grow_with_the_clips(rows, videos):
    assert _data.video_count(rows) == videos


def test_blocks_make_one_gallery(tmp_path, monkeypatch):
    monkeypatch.setattr(_data, "_BLOCK_BYTES", 4 * 32 * 300)
    gallery, queries, relevant = generated(tmp_path / "a")
    np.testing.assert_allclose(np.linalg.norm(gallery, axis=1), 1.0, atol=1e-6)
    assert len(np.unique(gallery, axis=0)) == 2000
    assert (queries * gallery[relevant]).sum(axis=1).mean() > 0.2


def test_a_full_disk_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(InputError, match="GB free"):
        timing.write_generated(tmp_path, rows=1000, dimension=8, query_count=1, seed=0)
    assert list(tmp_path.iterdir()) == []


# ---- page cache


def test_pages_leave_the_cache_and_come_back(tmp_path):
    path = tmp_path / "pages"
    path.write_bytes(os.urandom(1 << 20))
    if _page_cache.resident_fraction(path) is None:
        pytest.skip("this system does not tell which pages are resident")
    assert _page_cache.resident_fraction(path) == 1.0
    reason = _page_cache.drop_pages(path)
    if reason is not None:
        assert "stayed in the page cache" in reason
        pytest.skip(f"temporary files cannot be dropped here: {reason}")
    assert _page_cache.resident_fraction(path) == 0.0
    path.read_bytes()
    assert _page_cache.resident_fraction(path) == 1.0


def test_pages_that_stay_are_said(tmp_path, monkeypatch):
    path = tmp_path / "pages"
    path.write_bytes(bytes(5000))
    monkeypatch.setattr(_page_cache, "resident_fraction", lambda _: 0.5)
    assert "50% of the file" in _page_cache.drop_pages(path)
    monkeypatch.delattr(os, "posix_fadvise")
    assert "posix_fadvise" in _page_cache.drop_pages(path)
