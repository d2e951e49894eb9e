"""Indexes kept beside the results, so that a file is scanned once."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.core import InputError
from fastvbench.video._frame_index import FrameIndex

if TYPE_CHECKING:
    from fastvbench.video._source import VideoFile

__all__ = ["IndexCache"]

_MOST_NAME_CHARACTERS = 40


class IndexCache:
    """A folder of frame indexes, by path, size and time of change of the video.

    A file that has changed has another key, so a stale index is never found. One that is damaged,
    or of another version of this package, is as good as none.

    Args:
        folder: made when the first index is kept.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def path_of(self, file: VideoFile, *, tolerant: bool) -> Path:
        """Where the index of this version of the file is kept."""
        real = os.path.realpath(file.path)
        key = f"{real}\0{file.size_bytes}\0{file.modified_ns}\0{int(tolerant)}"
        digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:20]
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(real).stem)[:_MOST_NAME_CHARACTERS]
        return self._folder / f"{name}-{digest}.frames.npz"

    def find(self, file: VideoFile, *, tolerant: bool) -> FrameIndex | None:
        """The index of this version of the file, if it was kept."""
        path = self.path_of(file, tolerant=tolerant)
        try:
            return FrameIndex.load(path)
        except InputError:
            return None

    def keep(self, file: VideoFile, index: FrameIndex, *, tolerant: bool) -> None:
        """Keep an index.

        Raises:
            InputError: the folder cannot be made or written to.
        """
        path = self.path_of(file, tolerant=tolerant)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            index.save(path)
        except OSError as error:
            raise InputError(
                f"cannot keep frame indexes ({error.strerror})", path=self._folder
            ) from None
