"""Write a file so that a reader sees the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedWriter

__all__ = ["write_atomic"]


def write_atomic(
    path: str | os.PathLike[str], content: bytes | str | Callable[[BufferedWriter], object]
) -> Path:
    """Replace ``path`` by new content in one step that also survives a power cut.

    The bytes go to a temporary file in the same folder (a rename is atomic only within one file
    system), are flushed to the disk and renamed. Whatever interrupts the writing, Ctrl-C too,
    leaves the old file as it was and no temporary file behind. A symbolic link keeps pointing
    where it did: its target is replaced. An existing file keeps its permissions.

    Args:
        path: the file to create or replace; its folder must exist.
        content: the bytes, text (written as UTF-8), or a function that writes to a binary file.

    Returns:
        The path written to, links resolved.

    Raises:
        InputError: the folder is missing, or ``path`` is a folder, a pipe or a device (which a
            rename would remove).
        OSError: the disk refused (full, read-only, no permission).
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError("is a folder", path=path, expected="a file to write")
    if target.exists() and not target.is_file():
        raise InputError("is a pipe or a device", path=path, expected="a file to write")
    if not target.parent.is_dir():
        raise InputError("its folder does not exist", path=path, expected="an existing folder")
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name[:80]}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            elif isinstance(content, str):
                file.write(content.encode("utf-8", "surrogatepass"))
            else:
                content(file)
            file.flush()
            os.fchmod(file.fileno(), _mode_for(target))
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_folder(target.parent)
    return target


def _mode_for(target: Path) -> int:
    """The permissions a plain ``open`` would give: those of the old file, else the umask's."""
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)  # there is no call that reads the mask without setting it
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; some network file systems refuse, and that is no error."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
