"""A file is replaced whole, or stays as it was; nothing is left behind."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from fastvbench.core._errors import InputError
from fastvbench.formats import write_atomic

if TYPE_CHECKING:
    from io import BufferedWriter
    from pathlib import Path


def test_bytes_text_and_function(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    assert write_atomic(path, b"1") == path.resolve()
    assert path.read_bytes() == b"1"
    write_atomic(path, "é\ud800")
    assert path.read_bytes() == "é\ud800".encode("utf-8", "surrogatepass")

    def content(file: BufferedWriter) -> None:
        file.write(b"2")
        file.write(b"3")

    write_atomic(str(path), content)
    assert path.read_bytes() == b"23"
    assert os.listdir(tmp_path) == ["out.json"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_interruption_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "out.json"
    path.write_bytes(b"old")

    def content(file: BufferedWriter) -> None:
        file.write(b"half")
        raise error

    with pytest.raises(error):
        write_atomic(path, content)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.json"]


def test_permissions_are_those_of_a_plain_write(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain", tmp_path / "out"
    plain.write_bytes(b"")
    write_atomic(path, b"")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o640)
    write_atomic(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_keeps_pointing(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its folder does not exist"):
        write_atomic(tmp_path / "no" / "out", b"")
    with pytest.raises(InputError, match="is a folder"):
        write_atomic(tmp_path, b"")
