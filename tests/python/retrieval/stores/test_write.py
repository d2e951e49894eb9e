"""What is written is read again, by us and by the packages that own the formats."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from tests.python.retrieval.stores.matrices import IDS, MATRIX, ROWS

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.retrieval.stores import open_embeddings, write_embeddings

ENDINGS = (".npy", ".safetensors", ".parquet")


def needs(ending: str) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("element_type", ["float32", "float16"])
def test_there_and_back(tmp_path, ending, element_type):
    needs(ending)
    matrix = MATRIX.astype(element_type)
    texts = [f"text\n{row} é" for row in range(ROWS)]
    counts = np.arange(ROWS, dtype=np.int32)
    path = tmp_path / f"clips{ending}"
    written = write_embeddings(
        path, matrix, IDS, texts=texts, videos=["v"] * ROWS, token_counts=counts
    )
    assert written[0] == path
    assert sorted(written) == sorted(tmp_path.iterdir())
    store = open_embeddings(path)
    assert store.element_type == element_type
    assert np.array_equal(store.embeddings, matrix)
    assert (store.ids, store.texts, store.videos) == (IDS, texts, ["v"] * ROWS)
    assert store.token_counts.tolist() == counts.tolist()
    first = [file.read_bytes() for file in written]
    again = write_embeddings(
        path, matrix, IDS, texts=texts, videos=["v"] * ROWS, token_counts=counts
    )
    assert [file.read_bytes() for file in again] == first


@settings(deadline=None, max_examples=40)
@given(
    st_numpy.arrays(
        st.sampled_from([np.float16, np.float32]),
        st.tuples(st.integers(1, 5), st.integers(1, 5)),
        elements={"allow_nan": True},
    ),
    st.sampled_from(ENDINGS),
    st.booleans(),
)
def test_any_numbers(tmp_path_factory, matrix, ending, turned):
    needs(ending)
    path = tmp_path_factory.mktemp("any") / f"a{ending}"
    write_embeddings(path, np.asfortranarray(matrix) if turned else matrix)
    assert open_embeddings(path).embeddings.tobytes() == matrix.tobytes()
    assert open_embeddings(path).ids is None


def test_bfloat16(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="the extra [retrieval] is not installed")
    matrix = MATRIX.astype(ml_dtypes.bfloat16)
    write_embeddings(tmp_path / "a.safetensors", matrix, IDS, token_counts=[*range(ROWS)])
    store = open_embeddings(tmp_path / "a.safetensors")
    assert store.element_type == "bfloat16"
    assert store.embeddings.tobytes() == matrix.tobytes()
    with pytest.raises(InputError, match=r".npy files lose the type of bfloat16"):
        write_embeddings(tmp_path / "a.npy", matrix)
    with pytest.raises(InputError, match=r".parquet files have no type bfloat16"):
        write_embeddings(tmp_path / "a.parquet", matrix)


def test_the_package_safetensors_agrees(tmp_path):
    package = pytest.importorskip("safetensors", reason="safetensors is not installed")
    from safetensors.numpy import save_file

    path = tmp_path / "ours.safetensors"
    write_embeddings(path, MATRIX.astype(np.float16), IDS, token_counts=[*range(ROWS)])
    with package.safe_open(path, framework="numpy") as file:
        assert sorted(file.keys()) == ["embeddings", "token_counts"]
        assert np.array_equal(file.get_tensor("embeddings"), MATRIX.astype(np.float16))
        assert file.get_tensor("token_counts").tolist() == [*range(ROWS)]
        assert json.loads(file.metadata()["ids"]) == IDS
    save_file(
        {"features": MATRIX, "token_counts": np.arange(ROWS)},
        tmp_path / "theirs",
        metadata={"ids": "\n".join(IDS)},
    )
    store = open_embeddings(tmp_path / "theirs")
    assert np.array_equal(store.embeddings, MATRIX)
    assert store.ids == IDS
    assert store.token_counts.tolist() == [*range(ROWS)]


def test_parquet_has_lists_of_one_size(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="the extra [tables] is not installed")
    import pyarrow.parquet as pq

    write_embeddings(tmp_path / "a.parquet", MATRIX, IDS)
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.schema.field("embedding").type == pa.list_(pa.float32(), MATRIX.shape[1])
    assert table["id"].to_pylist() == IDS


def test_parquet_without_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"writing .parquet .*fastvbench\[tables\]"):
        write_embeddings(tmp_path / "a.parquet", MATRIX)


def test_what_cannot_be_written(tmp_path):
    path = tmp_path / "a.npy"
    write_embeddings(path, MATRIX)
    before = path.read_bytes()
    for matrix, problem in {
        "float64 elements": MATRIX.astype(float),
        "not a matrix": MATRIX[0],
        "an empty matrix": MATRIX[:0],
        "byte-swapped float32": MATRIX.astype(">f4"),
    }.items():
        with pytest.raises(InputError, match=matrix):
            write_embeddings(path, problem)
    with pytest.raises(InputError, match="not one id for each row, got 2; expected 6"):
        write_embeddings(path, MATRIX, ["a", "b"])
    with pytest.raises(InputError, match="no format of embeddings; expected a name ending in"):
        write_embeddings(tmp_path / "a.txt", MATRIX)
    with pytest.raises(InputError, match="its folder does not exist"):
        write_embeddings(tmp_path / "none" / "a.npy", MATRIX)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_old_id_list_is_never_taken_for_the_new_files(tmp_path):
    path = tmp_path / "a.npy"
    write_embeddings(path, MATRIX, IDS)
    write_embeddings(path, MATRIX[:2], IDS[:2])  # its own list is replaced
    assert open_embeddings(path).ids == IDS[:2]
    with pytest.raises(InputError, match=r"a.ids.jsonl: an id list lies there"):
        write_embeddings(path, MATRIX)
    (tmp_path / "b.npy.ids.txt").write_text("x\n")
    with pytest.raises(InputError, match=r"b.npy.ids.txt: an id list lies there"):
        write_embeddings(tmp_path / "b.npy", MATRIX, IDS)
    assert not (tmp_path / "b.npy").exists()


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    write_embeddings(path, MATRIX, IDS)

    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_embeddings(path, MATRIX + 1)
    assert np.array_equal(open_embeddings(path).embeddings, MATRIX)
    assert list(tmp_path.iterdir()) == [path]


def test_a_safetensors_header_may_have_any_length(tmp_path):
    """Its length is the first byte of the file, which is that of a pickle at 128 bytes."""
    path = tmp_path / "clips.safetensors"
    first_bytes = set()
    for length in range(1, 300, 4):
        write_embeddings(path, np.ones((1, 2), np.float32), ["x" * length])
        first_bytes.add(path.read_bytes()[0])
        assert list(open_embeddings(path).ids) == ["x" * length]
    assert 0x80 in first_bytes
