"""Bad files of embeddings end in one line that says where and why, and never run anything."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.retrieval.stores.matrices import (
    FORMATS,
    IDS,
    MATRIX,
    ROWS,
    write_as,
    write_safetensors,
)
from tests.python.retrieval.stores.torch_files import Tensor, Touch, write_pt

from fastvbench.core._errors import InputError
from fastvbench.retrieval.stores import open_embeddings


def refusal(path, **options) -> str:
    with pytest.raises(InputError) as caught:
        open_embeddings(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def npy(array, **options) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("matrix", [MATRIX.astype(np.float64), MATRIX.astype(np.int32)])
def test_other_element_types_name_the_conversion(tmp_path, kind, matrix):
    if (kind, matrix.dtype) == ("pt", np.int32):
        matrix = matrix.astype(np.int64)
    message = refusal(write_as(tmp_path / "file", kind, matrix, IDS))
    assert message.startswith(str(tmp_path / "file"))
    assert f"{matrix.dtype} elements" in message
    assert "expected float32, float16 or bfloat16: convert with .astype(numpy.float32)" in message


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "parquet"])
@pytest.mark.parametrize("shape", [(ROWS,), (2, 3, 4), (0, 4), (4, 0), ()])
def test_shapes_that_are_no_matrix(tmp_path, kind, shape):
    message = refusal(write_as(tmp_path / "file", kind, np.zeros(shape, np.float32), None))
    assert ("an empty matrix" if len(shape) == 2 else "not a matrix") in message
    assert f"shape {list(shape)}" in message
    assert ("average the frames" in message) == (len(shape) == 3)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_truncation_is_noticed(tmp_path, kind):
    path = write_as(tmp_path / "file", kind, MATRIX, None)
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        message = refusal(path)
        assert message.startswith(str(path))
    path.write_bytes(data)
    open_embeddings(path)


@pytest.mark.parametrize("kind", ["npy", "safetensors"])
def test_truncation_is_told_in_bytes(tmp_path, kind):
    path = write_as(tmp_path / "file", kind, MATRIX, None)
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    message = refusal(path)
    assert "truncated array" in message
    assert "got '86 bytes'; expected 96 bytes" in message
    path.write_bytes(data + b"more")
    assert "'100 bytes'; expected 96 bytes" in refusal(path)


def test_two_arrays_in_one_npy_file(tmp_path):
    (tmp_path / "a").write_bytes(npy(MATRIX) * 2)
    assert "bytes after the array's end" in refusal(tmp_path / "a")


BAD_BYTES = {
    "empty": (b"", "the file is empty"),
    "text": (b"0.1 0.2 0.3\n", "no known format, got b'0.1 0.2 0.3"),
    "json": (b"[[0.1, 0.2]]", "no known format"),
    "gzip": (b"\x1f\x8b" + bytes(20), "no known format.*unpack it first"),
    "numpy magic alone": (b"\x93NUMPY", "a damaged or truncated .npy header"),
    "npy version": (b"\x93NUMPY\x07\x00" + bytes(20), "npy header.*version"),
    "byte order": (npy(MATRIX.astype(">f4")), "byte-swapped float32 elements.*convert"),
    "records": (npy(np.zeros(3, [("a", "f4")])), "not a matrix"),
    "lost bfloat16": (npy(MATRIX.astype(np.float16).view("V2")), "void16 elements.*safetensors"),
    "texts": (npy(np.array([["a", "b"]])), "str32 elements"),
    "short zip": (b"PK\x03\x04" + bytes(10), "a truncated or damaged archive"),
    "old torch": (
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
        "before torch 1.6; refused, not opened",
    ),
    "pickle": (pickle.dumps([1.0]), "a pickle, which can run any code; refused, not opened"),
    "short parquet": (b"PAR1" + bytes(4), "a truncated .parquet file"),
}


@pytest.mark.parametrize("name", BAD_BYTES)
def test_bad_bytes(tmp_path, name):
    data, message = BAD_BYTES[name]
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(InputError, match=message):
        open_embeddings(tmp_path / "file")


def test_no_file(tmp_path):
    assert "no such file" in refusal(tmp_path / "missing")
    assert "is a folder" in refusal(tmp_path)
    assert "is a pipe or a device" in refusal("/dev/null")
    (tmp_path / "a").write_bytes(npy(MATRIX))
    assert "missing.txt: no such file" in refusal(tmp_path / "a", ids=tmp_path / "missing.txt")


def test_a_pickled_npy_is_never_unpickled(tmp_path):
    proof = tmp_path / "proof"
    payload = np.empty((2, 2), object)
    payload[:] = Touch(proof)
    (tmp_path / "a.npy").write_bytes(npy(payload, allow_pickle=True))
    np.load(tmp_path / "a.npy", allow_pickle=True)[0, 0].close()
    assert proof.exists()  # the payload is a real one
    proof.unlink()
    message = refusal(tmp_path / "a.npy")
    assert "pickled Python objects, which can run any code; refused, not opened" in message
    assert not proof.exists()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_pickled_arrays_in_npz_are_never_unpickled(tmp_path, save):
    proof = tmp_path / "proof"
    payload = np.empty(ROWS, object)
    payload[:] = Touch(proof)
    with (tmp_path / "ids.npz").open("wb") as file:
        save(file, embeddings=MATRIX, ids=payload)
    assert "field 'ids': an array of pickled" in refusal(tmp_path / "ids.npz")
    with (tmp_path / "matrix.npz").open("wb") as file:
        save(file, embeddings=payload.reshape(2, 3))
    assert "field 'embeddings': an array of pickled" in refusal(tmp_path / "matrix.npz")
    with (tmp_path / "unused.npz").open("wb") as file:
        save(file, embeddings=MATRIX, remarks=payload)
    assert open_embeddings(tmp_path / "unused.npz").ids is None
    assert not proof.exists()


def test_which_array_is_meant(tmp_path):
    path = tmp_path / "a.npz"
    with path.open("wb") as file:
        np.savez(file, left=MATRIX, right=MATRIX)
    message = refusal(path)
    assert "several matrices, got 'left [6, 4], right [6, 4]'; expected the name of one" in message
    assert "no array named 'up'" in refusal(path, key="up")
    assert "no column named 'names'" in refusal(path, key="left", ids_key="names")
    with path.open("wb") as file:
        np.savez(file, a=np.zeros(4), b=np.zeros((2, 2, 2)))
    assert "no matrix of embeddings, got 'a [4], b [2, 2, 2]'" in refusal(path)
    with path.open("wb") as file:
        np.savez(file, embeddings=np.zeros((2, 2, 2), np.float32), other=MATRIX)
    assert "field 'embeddings': not a matrix" in refusal(path)  # what was averaged is not guessed
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    assert "no matrix of embeddings, got 'none'" in refusal(path)


ENTRY = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}
BAD_HEADERS = {
    "no object": ({"a": 1}, "field 'a': a damaged .* got 1; expected dtype, shape"),
    "no shape": ({"a": {"dtype": "F32", "data_offsets": [0, 16]}}, "field 'a'"),
    "negative": ({"a": {**ENTRY, "shape": [-2, -2]}}, "field 'a'"),
    "fraction": ({"a": {**ENTRY, "shape": [2.0, 2]}}, "field 'a'"),
    "wrong place": ({"a": {**ENTRY, "data_offsets": [0, 12]}}, "field 'a'"),
    "backwards": ({"a": {**ENTRY, "data_offsets": [16, 0]}}, "field 'a'"),
    "too far": ({"a": {**ENTRY, "data_offsets": [8, 24]}}, "truncated arrays"),
    "overlap": ({"a": ENTRY, "b": {**ENTRY, "shape": [2], "data_offsets": [4, 12]}}, "overlap"),
    "unknown type": ({"a": {**ENTRY, "dtype": "F8_E5M2"}}, "F8_E5M2 elements"),
    "no ids": ({"a": ENTRY, "__metadata__": {"ids": 1}}, "field 'ids': metadata that is no text"),
    "broken ids": ({"a": ENTRY, "__metadata__": {"ids": '["a",'}}, "field 'ids': not a JSON list"),
    "one id": ({"a": ENTRY, "__metadata__": {"ids": "x"}}, "not as many ids.*got 1; expected 2"),
}


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_bad_safetensors(tmp_path, name):
    header, message = BAD_HEADERS[name]
    path = write_safetensors(tmp_path / "file", header, bytes(16))
    with pytest.raises(InputError, match=message):
        open_embeddings(path)


def test_a_safetensors_header_that_is_no_json(tmp_path):
    path = write_safetensors(tmp_path / "file", {"a": ENTRY}, bytes(16))
    path.write_bytes(path.read_bytes().replace(b"F32", b'"32'))
    assert "a damaged .safetensors header" in refusal(path)


PARQUET_COLUMNS = {
    "lengths": (
        [[1.0, 2.0], [3.0]],
        None,
        ":2 field 'embedding': not an embedding, got '1 numbers'",
    ),
    "null row": ([[1.0, 2.0], None], None, ":2 field 'embedding': not an embedding, got None"),
    "null first": ([None, [1.0, 2.0]], None, "an empty matrix"),
    "null inside": (
        [[1.0, 2.0], [3.0, None]],
        None,
        ":2 field 'embedding': a null in an embedding",
    ),
    "empty lists": ([[], []], None, "an empty matrix"),
    "null id": ([[1.0], [2.0]], ["a", None], ":2 field 'id': not an id, got None"),
    "equal ids": ([[1.0], [2.0]], ["a", "a"], ":2: an id that line 1 of the gallery has too"),
}


@pytest.mark.parametrize("name", PARQUET_COLUMNS)
def test_bad_parquet_columns(tmp_path, name):
    pa = pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")
    import pyarrow.parquet as pq

    rows, ids, message = PARQUET_COLUMNS[name]
    columns = {"embedding": pa.array(rows, pa.list_(pa.float32()))}
    if ids is not None:
        columns["id"] = ids
    pq.write_table(pa.table(columns), tmp_path / "file", row_group_size=1)
    with pytest.raises(InputError, match=message):
        open_embeddings(tmp_path / "file")


def test_parquet_without_rows_or_lists(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "file")
    assert "no matrix of embeddings, got 'none'" in refusal(tmp_path / "file")
    empty = pa.table({"embedding": pa.array([], pa.list_(pa.float32(), 4))})
    pq.write_table(empty, tmp_path / "file")
    assert "an empty matrix, got 'shape [0, 4]'" in refusal(tmp_path / "file")


BAD_IDS = {
    "few": ("\n".join(IDS[:-1]), "list: not as many ids as rows of the gallery, got 5; expected 6"),
    "many": ("\n".join([*IDS, "x"]), "got 7; expected 6, one for each row of "),
    "blank": ("\n".join([*IDS[:2], "", *IDS[2:]]), "list:3: a blank line"),
    "repeated": ("\n".join([*IDS[:5], IDS[1]]), "list:6: an id that line 2.*got 'v0-Scene-001'"),
    "null": (json.dumps([*IDS[:5], None]), "list:6 field 'id': not an id, got None"),
    "empty": (json.dumps([*IDS[:5], ""]), "list:6 field 'id': not an id, got ''"),
    "nested": (json.dumps([*IDS[:5], ["a"]]), "list:6 field 'id': not an id"),
    "no id": ('{"name": "a"}\n' * ROWS, "list:1: not an entry of an id list, got 'name'"),
    "mixed": (
        '{"id": 1, "text": "a"}\n{"id": 2}\n',
        "list:2: not an entry.*field 'text', as before",
    ),
    "bare later": ('{"id": 1, "text": "a"}\n"b"\n', "list:2: not an entry"),
    "no text": ('{"id": 1, "text": 3}\n', "list:1 field 'text': not a text, got 3"),
    "no count": (
        '{"id": 1, "token_count": -3}\n',
        "list:1 field 'token_count': not a count, got -3",
    ),
    "torn": ('{"id": 1}\n{"id": 2', "list:2: the last line is torn"),
    "nothing": ("", "list: the file is empty"),
    "broken": ("[1, 2", "list:1: invalid JSON"),
}


@pytest.mark.parametrize("name", BAD_IDS)
def test_bad_id_lists(tmp_path, name):
    text, message = BAD_IDS[name]
    path = write_as(tmp_path / "matrix", "npy", MATRIX, None)
    (tmp_path / "list").write_text(text)
    with pytest.raises(InputError, match=message):
        open_embeddings(path, ids=tmp_path / "list")


def test_two_lists_beside_one_file(tmp_path):
    path = write_as(tmp_path / "a.npy", "npy", MATRIX, IDS)
    (tmp_path / "a.ids.json").write_text(json.dumps(IDS))
    assert "several id lists lie beside it, got 'a.ids.txt, a.ids.json'" in refusal(path)


@pytest.mark.parametrize("kind", ["npz", "safetensors", "parquet", "pt"])
def test_columns_inside_are_checked_too(tmp_path, kind):
    if kind != "parquet":  # a table cannot hold columns of two lengths
        path = write_as(tmp_path / "few", kind, MATRIX, IDS[:-1])
        assert "not as many ids as rows of the gallery, got 5; expected 6" in refusal(path)
    path = write_as(tmp_path / "twice", kind, MATRIX, [*IDS[:5], IDS[0]])
    assert "twice:6: an id that line 1 of the gallery has too, got 'v0-Scene-000'" in refusal(path)


class WholeFiles(dict):
    """Sound files by kind, which no report of a failure needs to print."""

    def __repr__(self) -> str:
        return ", ".join(self)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    kinds = [kind for kind in FORMATS if kind != "parquet"]
    files = WholeFiles({k: write_as(folder / k, k, MATRIX, IDS).read_bytes() for k in kinds})
    tensor = Tensor(MATRIX.reshape(-1), (2, 3), (1, 2), 5)
    files["pt view"] = write_pt(folder / "view", {"a": tensor, "ids": ["x", "y"]}).read_bytes()
    with contextlib.suppress(pytest.skip.Exception):
        files["parquet"] = write_as(folder / "parquet", "parquet", MATRIX, IDS).read_bytes()
    return files


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_damage_anywhere_is_read_or_refused(files, tmp_path_factory, data):
    kind = data.draw(st.sampled_from(sorted(files)))
    damaged = bytearray(files[kind])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(damaged)
    with contextlib.suppress(InputError):
        open_embeddings(path)
