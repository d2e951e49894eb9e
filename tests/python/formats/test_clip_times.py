"""Where clips lie in their videos, from files of several shapes."""

from __future__ import annotations

import json

import pytest

from fastvbench import InputError
from fastvbench.formats import ClipTimes, read_clip_times

EXPECTED = {
    "v-Scene-001": ClipTimes("v", 0.0, 12.5),
    "v-Scene-002": ClipTimes("v", 12.5, 3723.25),
}


LINES = """\
{"id": "v-Scene-001", "begin": 0, "end": 12.5}
{"id": "v-Scene-002", "begin": 12.5, "end": 3723.25}
"""
TABLE = """\
path,video,start_time,end_time
x/v-Scene-001.mp4,v,0:00,0:12.5
x/v-Scene-002.mp4,v,00:00:12.500,1:02:03.25
"""
ARRAY = """[
{"clip": "v-Scene-001", "vid": "v", "start_seconds": 0, "end_seconds": 12.5},
{"clip": "v-Scene-002", "vid": "v", "start": "12.5", "end": "3723.25"}
]"""


@pytest.mark.parametrize("text", [LINES, TABLE, ARRAY], ids=["lines", "table", "array"])
def test_shapes_that_are_read(tmp_path, text):
    path = tmp_path / "clips"
    path.write_text(text)
    assert read_clip_times(path) == EXPECTED


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"begin": 0, "end": 1}, "without its id"),
        ({"id": "v-Scene-1", "end": 1}, "without its begin"),
        ({"id": "v-Scene-1", "begin": 0}, "without its end"),
        ({"id": "some clip", "begin": 0, "end": 1}, "without its video"),
        ({"id": "v-Scene-1", "begin": 2, "end": 2}, "ends before it begins"),
        ({"id": "v-Scene-1", "begin": -1, "end": 2}, "not a time"),
        ({"id": "v-Scene-1", "begin": "soon", "end": 2}, "not a time"),
        ({"id": "v-Scene-1", "begin": True, "end": 2}, "not a time"),
        ({"id": "v-Scene-1", "begin": 0, "end": "inf"}, "not a time"),
        ([1, 2], "no object"),
    ],
)
def test_rows_that_are_refused(tmp_path, row, complaint):
    path = tmp_path / "a.jsonl"
    good = {"id": "w-Scene-1", "begin": 0, "end": 1}
    path.write_text(json.dumps(good) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(InputError, match=complaint) as refused:
        read_clip_times(path)
    assert refused.value.line == 2


def test_a_clip_twice_and_no_clip_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "w-Scene-1", "begin": 0, "end": 1}\n' * 2)
    with pytest.raises(InputError, match="a clip twice"):
        read_clip_times(path)
    path.write_text("[]")
    with pytest.raises(InputError, match="holds no clips"):
        read_clip_times(path)
