"""Every format gives the same matrix and ids, in place where the file allows it."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.python.retrieval.stores.matrices import (
    DIMENSION,
    FORMATS,
    IDS,
    MATRIX,
    ROWS,
    write_as,
    write_safetensors,
)
from tests.python.retrieval.stores.torch_files import Tensor, write_pt

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.retrieval.stores import open_embeddings

NAMES = {"npz-packed": "npz"}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("element_type", ["float32", "float16"])
def test_every_format_gives_the_same(tmp_path, kind, element_type):
    if (kind, element_type) == ("parquet", "float16"):
        pytest.importorskip("pyarrow", minversion="15", reason="float16 columns are newer")
    matrix = MATRIX.astype(element_type)
    path = write_as(tmp_path / "named like nothing", kind, matrix, IDS)
    store = open_embeddings(path)
    assert store.format == NAMES.get(kind, kind)
    assert store.name == "named like nothing"
    assert store.element_type == element_type
    assert store.embeddings.dtype == element_type
    assert np.array_equal(store.embeddings, matrix)
    assert store.embeddings.flags.c_contiguous
    assert store.ids == IDS
    assert (len(store), store.dimension) == (ROWS, DIMENSION)
    beside = [file for file in tmp_path.iterdir() if file != path]
    assert store.bytes_read == sum(file.stat().st_size for file in [path, *beside])
    is_mapped = kind in ("npy", "npz", "safetensors", "pt")
    base = store.embeddings
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap) == is_mapped
    if is_mapped:
        assert not store.embeddings.flags.writeable


@pytest.mark.parametrize("kind", FORMATS)
def test_ids_are_optional(tmp_path, kind):
    store = open_embeddings(write_as(tmp_path / "file", kind, MATRIX, None))
    assert store.ids is None
    assert store.texts is None
    assert store.token_counts is None


def test_the_names_of_what_a_file_holds(tmp_path):
    path = tmp_path / "several.npz"
    other = np.ones((2, 3), np.float32)
    with path.open("wb") as file:
        np.savez(
            file,
            feat=MATRIX,
            other=other,
            clip_id=np.arange(ROWS),
            video=np.array(["a"] * ROWS),
            cap=np.array([f"text {row}" for row in range(ROWS)]),
            token_count=np.arange(ROWS) * 7,
            label=np.array(["x", "y"]),
        )
    store = open_embeddings(path)
    assert np.array_equal(store.embeddings, MATRIX)
    assert store.ids == [str(row) for row in range(ROWS)]
    assert store.videos == ["a"] * ROWS
    assert store.texts[5] == "text 5"
    assert store.token_counts.tolist() == [0, 7, 14, 21, 28, 35]
    chosen = open_embeddings(path, key="other", ids_key="label")
    assert np.array_equal(chosen.embeddings, other)
    assert chosen.ids == ["x", "y"]
    assert chosen.texts is None  # six texts are not of these two rows


def test_rows_named_by_their_video_have_no_other_video(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")
    import pyarrow.parquet as pq

    rows = [[1.0, 2.0], [3.0, 4.0]]
    columns = {"vid": ["a", "b"], "vector": pa.array(rows, pa.list_(pa.float32()))}
    pq.write_table(pa.table(columns), tmp_path / "videos.parquet")
    store = open_embeddings(tmp_path / "videos.parquet")
    assert store.ids == ["a", "b"]
    assert store.videos is None
    assert store.embeddings.tolist() == rows


def test_column_major_rows_are_turned(tmp_path):
    np.save(tmp_path / "turned.npy", np.asfortranarray(MATRIX))
    store = open_embeddings(tmp_path / "turned.npy")
    assert np.array_equal(store.embeddings, MATRIX)
    assert store.embeddings.flags.c_contiguous


def test_the_longer_npy_header(tmp_path):
    with (tmp_path / "version2.npy").open("wb") as file:
        np.lib.format.write_array(file, MATRIX, version=(2, 0))
    assert np.array_equal(open_embeddings(tmp_path / "version2.npy").embeddings, MATRIX)


def test_bfloat16(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="the extra [retrieval] is not installed")
    bits = (MATRIX.view(np.uint32) >> 16).astype(np.uint16)
    entry = {"dtype": "BF16", "shape": MATRIX.shape, "data_offsets": [0, bits.nbytes]}
    files = [
        write_safetensors(tmp_path / "a", {"embeddings": entry}, bits.tobytes()),
        write_pt(tmp_path / "b", Tensor(bits)),
    ]
    for path in files:
        store = open_embeddings(path)
        assert store.element_type == "bfloat16"
        assert store.embeddings.dtype == ml_dtypes.bfloat16
        assert np.array_equal(store.embeddings.view(np.uint16), bits)
        assert np.array_equal(
            store.embeddings.astype(np.float32).view(np.uint32), bits.astype(np.uint32) << 16
        )


def test_bfloat16_without_its_extra(tmp_path, monkeypatch):
    entry = {"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 4]}
    path = write_safetensors(tmp_path / "a", {"embeddings": entry}, bytes(4))
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(MissingExtraError, match=r"reading bfloat16 .*fastvbench\[retrieval\]"):
        open_embeddings(path)


def test_parquet_without_its_extra(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"fastvbench\[tables\]"):
        open_embeddings(tmp_path / "a")


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize("kind", ["npy", "safetensors"])
def test_a_gigabyte_is_opened_without_reading_it(tmp_path, kind):
    """The files are sparse: only their headers take room."""
    rows, dimension = 262_144, 1_024
    path = tmp_path / "large"
    if kind == "npy":
        header = {"descr": "<f4", "fortran_order": False, "shape": (rows, dimension)}
        with path.open("wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
    else:
        entry = {"dtype": "F32", "shape": [rows, dimension], "data_offsets": [0, 1 << 30]}
        write_safetensors(path, {"embeddings": entry}, b"")
    os.truncate(path, path.stat().st_size + (1 << 30))
    before = resident_bytes()
    store = open_embeddings(path)
    assert store.embeddings.shape == (rows, dimension)
    assert store.bytes_read > 1 << 30
    assert resident_bytes() - before < 50_000_000
    assert not store.embeddings[-1].any()


ID_LISTS = {
    "a.ids.txt": "\n".join(IDS),
    "a.npy.ids.txt": "\r\n".join(IDS) + "\r\n\r\n",
    "a.ids.json": json.dumps(IDS),
    "a.ids.jsonl": "".join(json.dumps(name) + "\n" for name in IDS),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ID_LISTS)
def test_id_lists_beside_the_file_and_given(tmp_path, name, packed):
    np.save(tmp_path / "a.npy", MATRIX)
    data = ID_LISTS[name].encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if packed else data)
    assert open_embeddings(tmp_path / "a.npy").ids == IDS
    (tmp_path / name).rename(tmp_path / "elsewhere")
    assert open_embeddings(tmp_path / "a.npy").ids is None
    assert open_embeddings(tmp_path / "a.npy", ids=tmp_path / "elsewhere").ids == IDS
    assert open_embeddings(tmp_path / "a.npy", ids=str(tmp_path / "elsewhere")).ids == IDS


def test_an_id_list_may_say_more(tmp_path):
    np.save(tmp_path / "a.npy", MATRIX)
    rows = [
        {"id": row, "text": f"t{row}", "video": "v", "token_count": row, "remark": None}
        for row in range(ROWS)
    ]
    for name, text in {
        "a.ids.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "a.ids.json": json.dumps(rows, indent=1),
    }.items():
        (tmp_path / name).write_text(text)
        store = open_embeddings(tmp_path / "a.npy")
        assert store.ids == [str(row) for row in range(ROWS)]
        assert store.texts == [f"t{row}" for row in range(ROWS)]
        assert store.videos == ["v"] * ROWS
        assert store.token_counts.tolist() == [*range(ROWS)]
        (tmp_path / name).unlink()


def test_given_ids_win_and_a_list_beside_must_agree(tmp_path):
    path = write_as(tmp_path / "a.npz", "npz", MATRIX, IDS)
    given = [f"g{row}" for row in range(ROWS)]
    assert open_embeddings(path, ids=given).ids == given
    beside = tmp_path / "a.ids.txt"
    beside.write_text("\n".join(IDS))
    assert open_embeddings(path).ids == IDS
    beside.write_text("\n".join([*IDS[:3], "other", *IDS[4:]]))
    with pytest.raises(
        InputError, match=r"a.npz:4: row 4 has another id .*got 'v1-Scene-000'; .*'other'"
    ):
        open_embeddings(path)
    assert open_embeddings(path, ids=given).ids == given


def test_repeats_are_kept_where_that_is_asked_for(tmp_path):
    path = write_as(tmp_path / "a", "npy", MATRIX, None)
    ids = ["a", "b", "c", "b", "a", "d"]
    with pytest.raises(InputError, match=r"^<ids>:4: an id that line 2 of the queries has too"):
        open_embeddings(path, ids=ids, side="queries")
    assert open_embeddings(path, ids=ids, repeats="keep").ids == ids
    with pytest.raises(InputError, match=r"^<ids>:2 field 'ids': not an id, got None"):
        open_embeddings(path, ids=["a", None, *"cdef"])


def test_unknown_options(tmp_path):
    path = write_as(tmp_path / "a", "npy", MATRIX, None)
    for option in ({"side": "left"}, {"part": "scene"}, {"repeats": "first"}):
        with pytest.raises(InputError, match=f"field '{next(iter(option))}': unknown option"):
            open_embeddings(path, **option)
