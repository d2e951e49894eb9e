"""The responses file on its own: one write a row, taken back where the disk refuses."""

from __future__ import annotations

import errno
import json
import os

import pytest

from fastvbench import InputError
from fastvbench.runs._lock import FolderLock
from fastvbench.runs._responses import SYNC_SECONDS, ResponsesFile, read_rows, row_hash


def row(ident, **beside):
    return {"id": ident, "text": f"said {ident}", "error": None, **beside}


def ids(path):
    return [held["id"] for held, _ in read_rows(path)]


def test_a_row_is_one_write_and_there_at_once(tmp_path, monkeypatch):
    path = tmp_path / "responses.jsonl"
    written = []
    true_write = os.write
    monkeypatch.setattr(os, "write", lambda f, data: written.append(data) or true_write(f, data))
    file = ResponsesFile(path)
    for number in range(5):
        file.append(row(f"r{number}", text="\u2028 line\nbreaks \x85"))
        assert len(written) == number + 1
        assert ids(path)[-1] == f"r{number}"
    file.close()
    assert path.read_bytes().count(b"\n") == 5


def test_forced_to_the_disk_every_few_seconds_and_at_the_end(tmp_path, monkeypatch):
    forced = []
    monkeypatch.setattr(os, "fsync", forced.append)
    now = [0.0]
    file = ResponsesFile(tmp_path / "responses.jsonl", clock=lambda: now[0])
    for _ in range(10):
        now[0] += SYNC_SECONDS / 4
        file.append(row(f"r{now[0]}"))
    assert len(forced) == 2
    file.close()
    assert len(forced) == 3
    file.close()
    assert len(forced) == 3


@pytest.mark.parametrize("partly", [0, 7])
def test_a_write_that_fails_is_taken_back(tmp_path, monkeypatch, partly):
    path = tmp_path / "responses.jsonl"
    file = ResponsesFile(path)
    file.append(row("first"))
    held = path.read_bytes()
    true_write = os.write
    calls = []

    def full(descriptor, data):
        calls.append(1)
        if partly and len(calls) == 1:
            return true_write(descriptor, data[:partly])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        file.append(row("second"))
    assert path.read_bytes() == held
    monkeypatch.setattr(os, "write", true_write)
    file.append(row("third"))
    file.close()
    assert ids(path) == ["first", "third"]
    assert file.finished == {"first", "third"}


def test_what_is_left_of_an_earlier_process_is_made_good(tmp_path):
    path = tmp_path / "responses.jsonl"
    lines = [
        json.dumps(each).encode() + b"\n"
        for each in (row("a"), row("b") | {"error": "no", "text": None}, row("c"))
    ]
    path.write_bytes(b"".join(lines) + lines[0][:9])
    file = ResponsesFile(path)
    assert (file.finished, file.retried, file.cut_bytes) == ({"a", "c"}, 1, 9)
    file.append(row("b"))
    file.close()
    assert ids(path) == ["a", "c", "b"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'{"id": "a", "error": null}\n{"id": "a", "error": null}\n', "stands twice"),
        (b"{}\n", "not a row of a run"),
        (b'{"id": "a"\n{"id": "b"}\n', "not a row of a run"),
        (b"\xff\xfe\n", "not a row of a run"),
    ],
)
def test_a_file_of_something_else_is_left_alone(tmp_path, content, complaint):
    path = tmp_path / "responses.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        ResponsesFile(path)
    assert path.read_bytes() == content


def test_times_do_not_move_a_hash():
    one, two = row("a", latency_seconds=1.0), row("a", latency_seconds=2.0)
    assert row_hash(one) == row_hash(two)
    assert row_hash(one) != row_hash(row("a", text="b", latency_seconds=1.0))


def test_one_lock_a_folder_in_this_process(tmp_path):
    with FolderLock(tmp_path) as lock:
        with pytest.raises(InputError, match=r"another run works on this folder.*this process"):
            FolderLock(tmp_path)
        assert f"process {os.getpid()} on " in (tmp_path / "lock").read_text()
        lock.release()
        lock.release()
    with FolderLock(tmp_path):
        pass
