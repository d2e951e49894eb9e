"""Where the videos and images of a benchmark are: names of annotations to files of a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.protocols._gold import bare_video_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastvbench.protocols._tasks import Task

__all__ = ["MediaFolder", "MissingMedia", "TaskMedia", "locate"]

VIDEO_ENDINGS = (".mp4", ".mkv", ".webm", ".avi", ".mov", ".m4v", ".ts", ".flv", ".mpg", ".wmv")
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")
SUBTITLE_ENDINGS = (".srt", ".vtt", ".json")
_SHOWN = 5


class MediaFolder:
    """Files of a folder and its sub-folders, found by the names that annotations use.

    A name is a path below the folder, with or without an ending, or the bare name of a file
    anywhere in it. A bare name that several files have is refused, not guessed.

    Args:
        root: the folder.
        endings: endings of the files that count.

    Raises:
        InputError: it is no folder.
    """

    def __init__(self, root: str | os.PathLike[str], endings: Sequence[str]) -> None:
        self.root = Path(root)
        if not self.root.is_dir():
            raise InputError("no such folder", path=root, field="media", expected="a folder")
        self._endings = tuple(endings)
        self._by_stem: dict[str, list[Path]] | None = None

    def find(self, names: Iterable[str]) -> Path | None:
        """The file that the first of some names means; None where none means one.

        Raises:
            InputError: a name means several files.
        """
        for name in names:
            for candidate in (name, *(name + ending for ending in self._endings)):
                path = self.root / candidate.lstrip("/")
                if path.is_file() and self._is_inside(path):
                    return path
        for name in names:
            found = self._stems().get(_stem(name, self._endings), [])
            if len(found) > 1:
                found = _with_same_tail(found, name) or found
            if len(found) > 1:
                shown = ", ".join(str(path.relative_to(self.root)) for path in found[:_SHOWN])
                raise InputError(
                    f"the name {name!r} means several files",
                    path=self.root,
                    value=shown,
                    expected="names that are unique, or annotations that name the sub-folder",
                )
            if found:
                return found[0]
        return None

    def _is_inside(self, path: Path) -> bool:
        return not os.path.relpath(os.path.normpath(path), self.root).startswith("..")

    def _stems(self) -> dict[str, list[Path]]:
        """Files by bare name; the folder is walked once."""
        if self._by_stem is None:
            self._by_stem = {}
            for folder, _, names in os.walk(self.root, followlinks=True):
                for name in sorted(names):
                    if name.lower().endswith(self._endings):
                        stem = _stem(name, self._endings)
                        self._by_stem.setdefault(stem, []).append(Path(folder, name))
        return self._by_stem


def _stem(name: str, endings: Sequence[str]) -> str:
    bare = bare_video_name(name)
    root, ending = os.path.splitext(bare)
    return root if ending.lower() in endings else bare


def _with_same_tail(paths: list[Path], name: str) -> list[Path]:
    """Those of several files that also agree with the folders in a name."""
    tail = Path(name.replace("\\", "/")).with_suffix("").parts
    return [path for path in paths if path.with_suffix("").parts[-len(tail) :] == tail]


@dataclass(frozen=True, slots=True)
class TaskMedia:
    """Files of one task."""

    path: Path | None
    reference_image: Path | None = None


@dataclass(slots=True)
class MissingMedia:
    """Names without a file, and how many questions are about each."""

    count_of_name: dict[str, int] = field(default_factory=dict)

    def add(self, name: str) -> None:
        """One more question about a name."""
        self.count_of_name[name] = self.count_of_name.get(name, 0) + 1

    def describe(self) -> str:
        """How many files and questions, and the first few names."""
        names = list(self.count_of_name)
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        questions = sum(self.count_of_name.values())
        return f"{len(names):,} files that {questions:,} questions need are not there: {shown}"


def locate(
    tasks: Sequence[Task], folder: MediaFolder, images: MediaFolder
) -> tuple[list[TaskMedia], MissingMedia]:
    """Files of every task, and what is missing.

    Args:
        tasks: what is asked.
        folder: files of the tasks' own medium.
        images: image files, for reference images beside videos.
    """
    missing = MissingMedia()
    found: dict[tuple[str, ...], Path | None] = {}
    located = []
    for task in tasks:
        if task.media_names not in found:
            found[task.media_names] = folder.find(task.media_names)
        path = found[task.media_names]
        if path is None:
            missing.add(task.media_names[0])
        reference = None
        if task.reference_image is not None:
            reference = images.find([task.reference_image])
            if reference is None:
                missing.add(task.reference_image)
                path = None
        located.append(TaskMedia(path, reference))
    return located, missing
