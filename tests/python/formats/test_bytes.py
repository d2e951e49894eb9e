"""Blocks, hashes and memory of the lowest layer."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastvbench.formats._batch as batch_module
import fastvbench.formats._bytes as bytes_module
from fastvbench.core._errors import InputError
from fastvbench.formats import decode_text, open_bytes, open_predictions
from fastvbench.formats._json import line_lists

if TYPE_CHECKING:
    from pathlib import Path


@given(st.lists(st.binary(max_size=20) | st.sampled_from([b"\n", b"a\nb", b"\r\n"])))
def test_lines_do_not_depend_on_blocks(blocks: list[bytes]) -> None:
    lines = [line for part in line_lists(iter(blocks)) for line in part]
    whole = b"".join(blocks).split(b"\n")
    assert lines == (whole[:-1] if not whole[-1] else whole)


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=300), st.integers(1, 9), st.integers(1, 3))
def test_any_block_size_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, block_bytes: int, members: int
) -> None:
    path = tmp_path_factory.mktemp("blocks") / "f"
    packed = b"".join(gzip.compress(part) for part in [data] * members)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bytes_module, "BLOCK_BYTES", block_bytes)
        path.write_bytes(packed)
        file_hash = bytes_module.FileHash()
        assert b"".join(bytes_module.raw_blocks(path, file_hash=file_hash)) == data * members
        assert file_hash.hexdigest() == hashlib.sha256(packed).hexdigest()


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=[]), min_size=1).filter(lambda text: text.strip()),
    st.sampled_from(["utf-16-le", "utf-16-be"]),
    st.integers(8, 12),
)
def test_utf_16_across_blocks(
    tmp_path_factory: pytest.TempPathFactory, text: str, encoding: str, block_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("wide") / "f"
    # Two lone surrogates in a row are one character in UTF-16.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    path.write_bytes(("\ufeff{" + text).encode(encoding, "surrogatepass"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bytes_module, "BLOCK_BYTES", block_bytes)
        data = b"".join(bytes_module.text_blocks(path))
    assert data.decode("utf-8", "surrogatepass") == "{" + text


def test_open_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = bytes(range(256)) * 10_000
    path.write_bytes(gzip.compress(content))
    with open_bytes(path) as file:
        assert file.read(3) == content[:3]
        assert file.read() == content[3:]
    with open_bytes(path) as file:
        assert next(iter(io.TextIOWrapper(file, "latin-1", newline="\n"))) == "".join(
            map(chr, range(11))
        )
    with pytest.raises(InputError, match="no such file"):
        open_bytes(tmp_path / "other")


def test_decode_text_counts_what_it_replaced() -> None:
    ledger: dict[str, int] = {}
    assert decode_text("é\ud800".encode("utf-8", "surrogatepass"), ledger=ledger) == "é\ud800"
    assert ledger == {}
    assert decode_text(b"a\xff\xfeb", ledger=ledger) == "a\ufffd\ufffdb"
    assert ledger == {"invalid_utf8": 1}


def test_memory_is_one_batch_not_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "_BATCH_CHARACTERS", 1 << 20)
    lines = tmp_path / "lines"
    table = tmp_path / "table"
    row = json.dumps({"id": "q", "text": "x" * 1000}).encode() + b"\n"
    lines.write_bytes(row * 40_000)
    table.write_bytes(
        b"id\ttext\n" + b"q\t" + b"x" * 1000 + b"\n" + (b"q\t" + b"x" * 1000 + b"\n") * 39_999
    )
    for path in (lines, table):
        file = open_predictions(path)
        tracemalloc.start()
        try:
            assert sum(map(len, file.batches())) == 40_000
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 20 << 20  # the file is twice that
