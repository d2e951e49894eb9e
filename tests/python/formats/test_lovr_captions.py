"""LoVR's caption files: ids, videos, lengths, merged runs, and what is refused."""

from __future__ import annotations

import gzip
import json

import pytest

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.formats import clip_id_of_path, read_lovr_captions, video_of_clip

CLIPS = [
    {"path": "-7ww/-7ww-Scene-001.mp4", "cap": "A man walks in."},
    {"path": "-7ww/-7ww-Scene-002.mp4", "cap": "He\nleaves  again."},
    {"path": "b_0/b_0-Scene-1001.mp4", "cap": ""},
]
MERGED = [
    {"vid": "v", "start_slice_num": 1, "end_slice_num": 10, "cap": "a b", "clip_count": 10,
     "cluster_id": "v_0", "merged_paragraphs": 12},
    {"vid": "v", "start_slice_num": 11, "end_slice_num": 13, "cap": "c", "clip_count": 3,
     "cluster_id": "v_1", "merged_paragraphs": 3},
]  # fmt: skip


def written(tmp_path, rows, *, packed=False, name="captions"):
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_clips(tmp_path, packed):
    found = read_lovr_captions(written(tmp_path, CLIPS, packed=packed))
    assert found.kind == "clip"
    assert len(found) == 3
    assert found.ids == ["-7ww-Scene-001", "-7ww-Scene-002", "b_0-Scene-1001"]
    assert found.videos == ["-7ww", "-7ww", "b_0"]
    assert found.captions == [row["cap"] for row in CLIPS]
    assert found.word_counts.tolist() == [4, 3, 0]
    assert found.lines == [1, 2, 3]
    assert found.cluster_ids is None
    assert found.slices is None


def test_parquet_says_the_same(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")
    import pyarrow.parquet as pq

    path = tmp_path / "clip_test.parquet"
    pq.write_table(pa.Table.from_pylist(CLIPS), path)
    table, lines = read_lovr_captions(path), read_lovr_captions(written(tmp_path, CLIPS))
    assert table.ids == lines.ids
    assert table.captions == lines.captions
    assert table.lines == lines.lines
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"clip_test.parquet: a truncated .parquet file"):
        read_lovr_captions(path)


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "clips"
    path.write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"fastvbench\[tables\]"):
        read_lovr_captions(path)


def test_videos_and_runs_of_clips(tmp_path):
    videos = read_lovr_captions(
        written(tmp_path, [{"vid": "x", "cap": "a"}, {"vid": 7, "cap": "b"}])
    )
    assert (videos.kind, videos.ids, videos.videos) == ("video", ["x", "7"], ["x", "7"])
    merged = read_lovr_captions(written(tmp_path, MERGED))
    assert merged.kind == "video"
    assert merged.ids == ["v", "v"]
    assert merged.cluster_ids == ["v_0", "v_1"]
    assert merged.slices.tolist() == [[1, 10], [11, 13]]


def test_whose_clip_it_is(tmp_path):
    named = {"path": "somewhere/x-Scene-001.mp4", "vid": "other", "cap": "a"}
    foldered = {"path": "videos/y/intro.mp4", "cap": "a"}
    found = read_lovr_captions(written(tmp_path, [named, foldered]))
    assert found.videos == ["other", "y"]
    given = read_lovr_captions(written(tmp_path, [named, foldered]), video_of=lambda clip: clip[0])
    assert given.videos == ["x", "i"]
    mapping = {"x-Scene-001": "m", "intro": "n"}
    found = read_lovr_captions(written(tmp_path, [named, foldered]), video_of=mapping)
    assert found.videos == ["m", "n"]
    with pytest.raises(InputError, match=r":2: a clip that the given mapping.*got 'intro'"):
        read_lovr_captions(written(tmp_path, [named, foldered]), video_of={"x-Scene-001": "m"})
    with pytest.raises(InputError, match=":1 field 'path': cannot tell which video"):
        read_lovr_captions(written(tmp_path, [{"path": "intro.mp4", "cap": "a"}]))


@pytest.mark.parametrize(
    ("path", "clip", "video"),
    [
        ("x-Scene-001.mp4", "x-Scene-001", "x"),
        ("a/b/x-Scene-1-Scene-002.mkv", "x-Scene-1-Scene-002", "x-Scene-1"),
        ("x-Scene-003", "x-Scene-003", "x"),
        ("dots.in.name-Scene-004.webm", "dots.in.name-Scene-004", "dots.in.name"),
        ("dots.in.name-Scene-004", "dots.in.name-Scene-004", "dots.in.name"),
        (".mp4", ".mp4", None),
        ("plain.mp4", "plain", None),
        ("-Scene-001.mp4", "-Scene-001", None),
    ],
)
def test_names(path, clip, video):
    assert clip_id_of_path(path) == clip
    assert video_of_clip(clip) == video


BAD = {
    "other rows": ([{"id": 1, "text": "a"}], ":1: not a row of LoVR's captions, got 'id, text'"),
    "no caption": ([CLIPS[0], {"path": "a/b.mp4"}], ":2: not a row of LoVR's captions"),
    "null caption": ([{"vid": "v", "cap": None}], ":1 field 'cap': not a caption, got None"),
    "no id": ([{"vid": None, "cap": "a"}], ":1 field 'vid': not an id, got None"),
    "empty path": ([{"path": "", "cap": "a"}], ":1 field 'path': not an id, got ''"),
    "mixed": ([CLIPS[0], MERGED[0]], ":2: rows of mixed shape, got \"a row with 'vid'\""),
    "half merged": ([MERGED[0], {"vid": "v", "cap": "a"}], "1 of 2 rows with 'cluster_id'"),
    "no number": ([{**MERGED[0], "end_slice_num": "x"}], ":1 field 'end_slice_num': not a clip"),
    "no object": ([CLIPS[0], CLIPS[0], ["a"]], ":3: a row is no object"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_captions(tmp_path, name):
    rows, message = BAD[name]
    with pytest.raises(InputError, match=message):
        read_lovr_captions(written(tmp_path, rows))


def test_a_torn_file_and_a_missing_one(tmp_path):
    path = written(tmp_path, CLIPS)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(InputError, match=":3: the last line is torn"):
        read_lovr_captions(path)
    with pytest.raises(InputError, match="no such file"):
        read_lovr_captions(tmp_path / "missing")
    path.write_bytes(b"[]")
    with pytest.raises(InputError, match="holds no rows"):
        read_lovr_captions(path)
