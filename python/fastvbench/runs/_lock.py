"""One process at a time works on a run folder."""

from __future__ import annotations

import fcntl
import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["FolderLock"]

_held: set[Path] = set()  # record locks do not keep two threads of one process apart
_guard = threading.Lock()


class FolderLock:
    """A lock on a folder that the system lets go of when its process ends, however it ends.

    It is a POSIX record lock on the file ``lock``, which says who holds it. So a lock of a dead
    process is none, children that a process forks do not inherit it, and network file systems
    that have locks keep machines apart.

    Args:
        folder: an existing folder.

    Raises:
        InputError: another process, or this one, holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = (folder / "lock").resolve()
        with _guard:
            if self._path in _held:
                raise self._refusal("this process")
            _held.add(self._path)
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            self._take()
        except BaseException:
            with _guard:
                _held.discard(self._path)
            raise

    def _take(self) -> None:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            holder = os.pread(self._file, 200, 0).decode("utf-8", "replace").strip()
            os.close(self._file)
            raise self._refusal(holder or "another process") from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def _refusal(self, holder: str) -> InputError:
        return InputError(
            "another run works on this folder",
            path=self._path.parent,
            value=holder,
            expected="one run at a time in a folder",
        )

    def release(self) -> None:
        """Let go; a second call does nothing."""
        with _guard:
            if self._path not in _held:
                return
            _held.discard(self._path)
        os.close(self._file)

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
