"""Embeddings behind URLs: a real server on loopback, and everything that may go wrong with one."""

from __future__ import annotations

import http.server
import os
import socket
import sys
import tempfile
import threading
from functools import partial

import numpy as np
import pytest
from tests.python.retrieval.stores.matrices import IDS, MATRIX, write_as

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.retrieval.stores import is_url, local_copy, open_embeddings

HOST = "127.0.0.1"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; files named ``torn`` stop in the middle."""

    def log_message(self, *_arguments):
        """Say nothing."""

    def do_GET(self):
        if self.path != "/torn.npy":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"\x93NUMPY" + bytes(100))
        self.close_connection = True


@pytest.fixture
def served(tmp_path):
    """A folder, and the address under which its files are to be had."""
    pytest.importorskip("fsspec", reason="the extra [retrieval] is not installed")
    pytest.importorskip("aiohttp", reason="the extra [retrieval] is not installed")
    folder = tmp_path / "served"
    folder.mkdir()
    handler = partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer((HOST, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield folder, f"http://{HOST}:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors", "parquet", "pt"])
def test_every_format_over_http(served, kind):
    folder, address = served
    path = write_as(folder / "clips", kind, MATRIX, None if kind == "npy" else IDS)
    url = f"{address}/clips"
    (folder / "list.txt").write_text("\n".join(IDS))
    options = {"ids": f"{address}/list.txt"} if kind == "npy" else {}
    store = open_embeddings(url, **options)
    assert np.array_equal(store.embeddings, MATRIX)
    assert store.ids == IDS
    assert store.name == url
    list_bytes = (folder / "list.txt").stat().st_size if kind == "npy" else 0
    assert store.bytes_read == path.stat().st_size + list_bytes


def test_several_pieces(served):
    folder, address = served
    large = np.arange(3_000_000, dtype=np.float32).reshape(-1, 300)
    np.save(folder / "large.npy", large)
    store = open_embeddings(f"{address}/large.npy")
    assert store.bytes_read == (folder / "large.npy").stat().st_size
    assert np.array_equal(store.embeddings, large)


def test_no_copy_is_left_behind(served, tmp_path, monkeypatch):
    folder, address = served
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    os.mkdir(tmp_path / "temporary")
    write_as(folder / "clips.npy", "npy", MATRIX, None)
    (folder / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00")
    store = open_embeddings(f"{address}/clips.npy")
    with pytest.raises(InputError):
        open_embeddings(f"{address}/bad.npy")
    assert os.listdir(tmp_path / "temporary") == []
    assert np.array_equal(store.embeddings, MATRIX)  # the mapping keeps the bytes
    with local_copy(f"{address}/clips.npy") as copy:
        assert copy.read_bytes() == (folder / "clips.npy").read_bytes()
    assert not copy.exists()


def test_what_goes_wrong_on_the_way(served):
    folder, address = served
    with pytest.raises(InputError, match=f"{address}/missing.npy: no such file"):
        open_embeddings(f"{address}/missing.npy")
    with pytest.raises(InputError, match=f"{address}/torn.npy: cannot be read"):
        open_embeddings(f"{address}/torn.npy")
    write_as(folder / "clips", "npy", MATRIX, None)
    with pytest.raises(InputError, match=f"{address}/list: no such file"):
        open_embeddings(f"{address}/clips", ids=f"{address}/list")
    with socket.create_server((HOST, 0)) as listener:
        free_port = listener.getsockname()[1]
    with pytest.raises(InputError, match=f"http://{HOST}:{free_port}/a: cannot be read"):
        open_embeddings(f"http://{HOST}:{free_port}/a")


def test_errors_name_the_url_and_not_the_copy(served):
    folder, address = served
    write_as(folder / "double", "npy", MATRIX.astype(np.float64), None)
    with pytest.raises(InputError, match=f"^{address}/double: float64 elements"):
        open_embeddings(f"{address}/double")
    write_as(folder / "twice", "npz", MATRIX, [*IDS[:5], IDS[0]])
    with pytest.raises(InputError, match=f"^{address}/twice:6: an id that line 1"):
        open_embeddings(f"{address}/twice")
    write_as(folder / "clips", "npy", MATRIX, None)
    (folder / "list").write_text("\n".join([*IDS[:5], IDS[0]]))
    with pytest.raises(InputError, match=f"^{address}/list:6: an id that line 1"):
        open_embeddings(f"{address}/clips", ids=f"{address}/list")


def test_other_protocols(tmp_path):
    pytest.importorskip("fsspec", reason="the extra [retrieval] is not installed")
    path = write_as(tmp_path / "clips", "npz", MATRIX, IDS)
    assert open_embeddings(f"file://{path}").ids == IDS
    with pytest.raises(InputError, match=r"is a folder|cannot be read"):
        open_embeddings(f"file://{tmp_path}")
    with pytest.raises(InputError, match=r"nothing://a: cannot be read .*; expected a known URL"):
        open_embeddings("nothing://a")


def test_packages_of_other_protocols(monkeypatch):
    pytest.importorskip("fsspec", reason="the extra [retrieval] is not installed")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(MissingExtraError, match=r"reading s3:// URLs .*fastvbench\[s3\]"):
        open_embeddings("s3://bucket/clips.npy")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(InputError, match=r"gs://bucket/a: cannot be read .*gcsfs"):
        open_embeddings("gs://bucket/a")


def test_urls_without_their_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"reading https:// URLs .*fastvbench\[retrieval\]"):
        open_embeddings("https://example.org/clips.npy")


def test_what_a_url_is():
    assert is_url("s3://bucket/a")
    assert not is_url("folder/a:b")
    assert not is_url(b"http://a")
