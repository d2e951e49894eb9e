"""Bad files end in one line that says where and why; damaged ones are read and counted."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import time
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.formats.samples import SAMPLES
from tests.python.formats.test_open import opened, read

from fastvbench.core._errors import InputError
from fastvbench.formats import iter_json_lines, open_predictions, read_json

if TYPE_CHECKING:
    from pathlib import Path

GOOD = b'{"id": 1, "text": "a"}\n'


SHARDS = [
    b"NaN", b"null", b"true", b"[]", b"{}", b"1e999", b"-1", b'"', b"\\ud800", b"\xff", b"\0",
    b"\n", b",", b"[[", b'"id": null, ', b'"answer": [[1]], ', b'{"id": 1}', b">>>", b"\t",
    b"\xff\xfe",
]  # fmt: skip


def packed_zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.txt", "a")
    return data.getvalue()


NESTED = b"[" * 100_000
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "white space": (b" \n\n", "nothing but white space"),
    "empty gzip": (gzip.compress(b""), "unpacks to nothing|a gzip file inside a gzip file"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(40), "this is a PNG image"),
    "jpeg": (b"\xff\xd8\xff\xe0" + bytes(40), "this is a JPEG image"),
    "mp4": (b"\0\0\0\x20ftypisom" + bytes(40), "this is an MP4 video"),
    "parquet": (b"PAR1" + bytes(40), "this is a parquet file"),
    "binary": (b"\x80\x04\x95\0\0\0\0" + bytes(40), "this is binary data"),
    "zip": (packed_zip(), "this is a zip archive"),
    "broken zip": (packed_zip()[:20], "damaged zip archive"),
    "html": (b"\n<!DOCTYPE html><html></html>", "this is an HTML page"),
    # What VideoLLaMA3 leaves of a benchmark with two settings when it writes lines.
    "names of settings": (
        b'"without_subtitle"\n"with_subtitle"\n',
        r"names, not answers.*expected the \.json file",
    ),
    "prose": (b"The answer is B.\nReally.\n", "neither JSON nor a table"),
    "charades": (b"3MSZA 24.3 30.4##person turns, on.\nA 1 2##b\n", "Charades-STA annotations"),
    "line 2": (GOOD + b'{"id": 2, "text\n' + GOOD, ":2: invalid JSON"),
    "line 1": (b'{"id": 2, "text": "b"\n' + GOOD * 2, ":1: invalid JSON"),
    "not an object": (GOOD + b'["id"]\n' + GOOD, ":2: (a row is no object|rows of mixed shape)"),
    "late list": (GOOD * 900 + b"[1, 2]\n" + GOOD, ":901: rows of mixed shape"),
    "late text": (GOOD * 900 + b'"id"\n' + GOOD, ":901: rows of mixed shape"),
    "two values": (GOOD + b'1 {"id": 2}\n' + GOOD, ":2: invalid JSON: more than one value"),
    "nan id": (GOOD + b'{"id": NaN, "text": "b"}\n', ":2 field 'id': not an id, got nan"),
    "infinite id": (GOOD + b'{"id": 1e999, "text": "b"}\n', "not an id, got inf"),
    "null id": (GOOD + b'{"id": null, "text": "b"}\n', "not an id, got None"),
    "true id": (GOOD + b'{"id": true, "text": "b"}\n', "not an id, got True"),
    "list id": (GOOD + b'{"id": [1], "text": "b"}\n', r"not an id, got \[1\]"),
    "object id": (GOOD + b'{"id": {}, "text": "b"}\n', "not an id, got {}"),
    "fraction id": (GOOD + b'{"id": 1.5, "text": "b"}\n', "not an id, got 1.5"),
    "empty id": (GOOD + b'{"id": "", "text": "b"}\n', "not an id, got ''"),
    "no id": (GOOD + b'{"text": "b"}\n', ":2: rows of mixed shape.*an id in field 'id'"),
    "other text field": (
        GOOD + b'{"id": 2, "response": "b"}\n',
        ":2: rows of mixed shape.*the text in field 'text'",
    ),
    "no text field": (
        b'{"id": 1, "reply": "a"}\n' * 2,
        "no field holds a model's text, got 'id, reply'; expected text, response, pred",
    ),
    "annotations": (
        b'{"uid": "1", "question": "?", "options": ["a"], "answer": "A"}\n' * 2,
        "looks like an annotations file",
    ),
    "lvbench annotations": (b'{"key": "v", "type": "tv", "qa": []}\n' * 2, "annotations file"),
    "captions": (b'{"v": {"sentences": [], "timestamps": []}}', "annotations file"),
    "our result": (b'{"schema": 1, "kind": "score", "rules": {}}', "a result of fastvbench"),
    "scores": (b'{"results": {"lvbench": {}}, "n": 1}', "a file of scores"),
    "metrics": (b'{"accuracy": 0.5}', "no predictions found"),
    "number": (b"[1, 2]", ":1: a row is no object, got 1"),
    "empty list": (b"[]", "holds no rows"),
    "broken document": (b'{"1": "a",\n "2": }', ":2: invalid JSON"),
    "broken list": (b'[{"id": 1, "text": "a"},\n{"id": 2 "text": "b"}]', ":2: invalid JSON"),
    "nested": (NESTED, "nested too deeply"),
    "nested whole": (NESTED + b"]" * 100_000, "nested too deeply"),
    "nested objects": (b'{"a":' * 100_000, "nested too deeply"),
    "nested with nan": (b"[NaN," + NESTED, "nested too deeply"),
    "nested line": (GOOD + NESTED + b"\n" + GOOD, ":2: .*nested too deeply"),
    "nested last line": (GOOD + NESTED, ":2: .*nested too deeply"),
    "mixed map": (b'{"1": "a", "2": ["b"]}', "no predictions found"),
    "table without text": (b"id,reply\n1,a\n", "no field holds a model's text, got 'id, reply'"),
    "wide row": (b"id\ttext\n1\ta\n2\tb\tc\n", ":3: rows of mixed shape, got '3 cells'"),
    "repeated column": (b"id\ttext\ttext\n1\ta\tb\n", "two columns have one name, got 'text'"),
    "header only": (b"id\ttext\n\n", "(holds no rows|neither JSON)"),
    "no intervals": (
        b'[{"query_id": 1, "video_id": "v", "query": "q", "answer": [["a", 1]]}]',
        "field 'intervals': not intervals",
    ),
    "null data_id": (b'[{"data_id": null, "response": "a"}]', "field 'data_id': not an id"),
    "wrong lmms row": (
        b'{"doc_id": 0, "filtered_resps": ["a"]}\n{"id": 0, "text": "a"}\n',
        ":2: rows of mixed shape",
    ),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("packed", [False, True])
def test_bad_files_end_in_one_line(tmp_path: Path, name: str, packed: bool) -> None:
    data, message = BAD[name]
    data = gzip.compress(data, mtime=0) if packed and data else data
    started = time.perf_counter()
    with pytest.raises(InputError, match=message) as caught:
        read(opened(tmp_path, data))
    assert time.perf_counter() - started < 1
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))
    assert len(str(caught.value)) < 500


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.json: no such file"):
        open_predictions(tmp_path / "missing.json")
    with pytest.raises(InputError, match="is a folder"):
        open_predictions(tmp_path)
    with pytest.raises(InputError, match="no such format, got 'csvv'; expected one of jsonl"):
        open_predictions(tmp_path, format="csvv")


def test_gzip_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    # Text that packs badly, so that the cut is far from the beginning.
    rows = [json.dumps({"id": i, "text": f"{i * 2654435761 % 2**32}"}) for i in range(200_000)]
    packed = gzip.compress("\n".join(rows).encode())
    for kept in (5, 11, len(packed) // 2, len(packed) - 9, len(packed) - 1):
        with pytest.raises(InputError, match="the gzip file is truncated"):
            read(opened(tmp_path, packed[:kept]))
    for place in (len(packed) // 2, len(packed) - 6):
        damaged = bytearray(packed)
        damaged[place] ^= 0xFF
        with pytest.raises(InputError, match="the gzip file is corrupt"):
            read(opened(tmp_path, bytes(damaged)))
    with pytest.raises(InputError, match="the gzip file is corrupt"):
        read(opened(tmp_path, packed + b"garbage"))
    columns = read(opened(tmp_path, packed + gzip.compress(b'\n{"id": "x"}') + bytes(600)))
    assert columns["ids"] == [str(i) for i in range(200_000)] + ["x"]


TOLERATED: dict[str, tuple[bytes, list[str | None], dict[str, int]]] = {
    "torn last line": (GOOD + b'{"id": 2, "te', ["a"], {"torn_last_line": 1}),
    "torn, ended": (GOOD + b'{"id": 2, "te\n\n', ["a"], {"torn_last_line": 1}),
    "torn in a character": (GOOD + b'{"id": 2, "text": "\xe2\x82', ["a"], {"torn_last_line": 1}),
    "zeros at the end": (GOOD + bytes(300), ["a"], {"torn_last_line": 1}),
    "glued": (
        GOOD.strip() + b' {"id": 2, "text": "b"}{"id": 3, "text": "c"}\n' + GOOD,
        ["a", "b", "c", "a"],
        {"glued_objects": 2},
    ),
    "glued, one line": (
        GOOD.strip() + b'{"id": 2, "text": "b"}',
        ["a", "b"],
        {"glued_objects": 1},
    ),
    "glued and torn": (
        GOOD + b'{"id": 2, "text": "b"}{"id": 3, "te',
        ["a", "b"],
        {"torn_last_line": 1},
    ),
    "blank lines": (b"\n\r\n" + GOOD + b"\n \n" + GOOD, ["a", "a"], {}),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD * 2, ["a", "a"], {"byte_order_mark": 1}),
    "line separators": (
        '{"id": 1, "text": "a\u2028b\u2029c\x85d"}\n'.encode() * 2,
        ["a\u2028b\u2029c\x85d"] * 2,
        {},
    ),
    "invalid utf-8": (GOOD + b'{"id": 2, "text": "\xff"}\n', ["a", "\ufffd"], {"invalid_utf8": 1}),
    "lone surrogates": (
        GOOD + b'{"id": 2, "text": "\\ud83d"}\n{"id": 3, "text": "\xed\xa0\xbd"}\n',
        ["a", "\ud83d", "\ud83d"],
        {},
    ),
    "nan": (
        GOOD + b'{"id": 2, "text": NaN}\n{"id": 3, "text": -Infinity}\n{"id": 4, "text": 1e999}',
        ["a", None, None, None],
        {"nan_as_missing": 3},
    ),
    "null": (GOOD + b'{"id": 2, "text": null}\n{"id": 3}\n', ["a", None, None], {}),
    "lists of one": (GOOD + b'{"id": 2, "text": ["b"]}\n', ["a", "b"], {}),
    "structure": (
        GOOD + b'{"id": 2, "text": {"answer": "B"}}\n',
        ["a", '{"answer": "B"}'],
        {"structured_text": 1},
    ),
    "booleans": (GOOD + b'{"id": 2, "text": true}\n', ["a", "True"], {}),
    "trailing commas": (
        b'[{"id": 1, "text": "a, ]", }, {"id": 2, "text": ",}\\"",},\n]',
        ["a, ]", ',}"'],
        {"trailing_commas": 3},
    ),
    "map with nan": (b'{"1": "a", "2": NaN}', ["a", None], {"nan_as_missing": 1}),
    "torn table": (b"id\ttext\n1\ta\n2", ["a"], {"torn_last_line": 1}),
    "table with breaks": (b'id,text\r\n1,"a\r\nb"\r\n2,\r\n', ["a\nb", None], {}),
}


@pytest.mark.parametrize("name", TOLERATED)
@pytest.mark.parametrize("packed", [False, True])
def test_damage_is_tolerated_and_counted(tmp_path: Path, name: str, packed: bool) -> None:
    data, texts, ledger = TOLERATED[name]
    file = opened(tmp_path, gzip.compress(data) if packed else data)
    assert read(file)["texts"] == texts
    assert file.ledger == ledger
    assert read(file)["texts"] == texts
    assert file.ledger == ledger  # counted anew at each pass


def test_ten_megabytes_in_one_answer(tmp_path: Path) -> None:
    answer = "[{" * 5_000_000
    data = GOOD + json.dumps({"id": 2, "text": answer}).encode() + b"\n" + GOOD
    started = time.perf_counter()
    assert read(opened(tmp_path, data))["texts"] == ["a", answer, "a"]
    assert time.perf_counter() - started < 5


def test_the_last_line_of_a_wide_encoding_may_be_torn(tmp_path: Path) -> None:
    data = (GOOD + b'{"id": 2, "text": "b"}').decode().encode("utf-16")
    for cut in (1, 2, 3, 7):
        file = opened(tmp_path, data[:-cut])
        assert read(file)["texts"] == ["a"]
        assert file.ledger == {"utf16": 1, "torn_last_line": 1}


def test_an_error_in_the_middle_comes_after_the_rows_before_it(tmp_path: Path) -> None:
    long = json.dumps({"id": 1, "text": "x" * 500}).encode() + b"\n"
    path = tmp_path / "f"
    path.write_bytes(long * 10_000 + b"{\n" + long)
    numbers = []
    with pytest.raises(InputError, match=":10001: invalid JSON"):
        numbers.extend(number for number, _ in iter_json_lines(path))
    assert numbers == list(range(1, 10_001))


def test_trailing_commas_are_found_in_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "f"
    for data in ('["' + '\\"' * 500_000, "[" + "," * 500_000 + " " * 500_000):
        path.write_text(data)
        started = time.perf_counter()
        with pytest.raises(InputError, match="invalid JSON"):
            read_json(path)
        assert time.perf_counter() - started < 2


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from(sorted(SAMPLES)),
    st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.integers(0, 40),
            st.binary(max_size=6) | st.sampled_from(SHARDS),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["plain", "gzip", "damaged gzip"]),
)
def test_damage_of_any_kind_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    edits: list[tuple[int, int, bytes]],
    packing: str,
) -> None:
    data = SAMPLES[name][1]
    if packing == "damaged gzip":
        data = gzip.compress(data)
    for place, removed, inserted in edits:
        start = place % (len(data) + 1)
        data = data[:start] + inserted + data[start + removed :]
    if packing == "gzip":
        data = gzip.compress(data)
    columns: dict[str, Any] = {"texts": [], "ids": []}
    with contextlib.suppress(InputError):
        columns = read(opened(tmp_path_factory.mktemp("damaged"), data))
    assert all(text is None or isinstance(text, str) for text in columns["texts"])
    assert all(identifier is None or identifier for identifier in columns["ids"])
