"""LoVR's caption files: one caption per clip, per video, or per run of ten clips.

As published with "LoVR: A Benchmark for Long Video Retrieval in Multimodal Contexts"
(arXiv:2505.13928): ``all_clip.jsonl`` (path, cap), ``all_video.jsonl`` (vid, cap), the tables
``clip_train.parquet`` and ``clip_test.parquet``, and what its caption merger writes: rows of vid,
start_slice_num, end_slice_num, cap, clip_count, cluster_id and merged_paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import Path, as_id
from fastvbench.formats._bytes import Ledger, raw_blocks
from fastvbench.formats._parquet import PARQUET_MAGIC, iter_parquet_rows
from fastvbench.formats._records import iter_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LovrCaptions", "clip_id_of_path", "read_lovr_captions", "video_of_clip"]

VideoRule = Callable[[str], str] | Mapping[str, str]

# Scene detection names the clips of a video <video>-Scene-001.mp4, <video>-Scene-002.mp4, ...
_SCENE = re.compile(r"(?P<video>.+)-Scene-\d+")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{2,4}")
_SLICES = ("start_slice_num", "end_slice_num")


@dataclass(frozen=True)
class LovrCaptions:
    """The rows of one caption file, as columns in the order of the file.

    Attributes:
        kind: ``clip`` where each row captions a clip, ``video`` where it captions a video.
        ids: n ids of what is captioned: the clip's file name without folder and extension, as
            LoVR's own scorer names it, or the video's id. An id may occur more than once.
        videos: n ids of the video that each row belongs to.
        captions: n captions; may be empty where the generator failed.
        word_counts: int64 [n], words between white space.
        lines: n 1-based lines (JSONL) or rows (parquet), for messages.
        cluster_ids: n ids of runs of clips; None unless the file is of merged captions.
        slices: int64 [n, 2], first and last clip number of each run; None likewise.
    """

    kind: Literal["clip", "video"]
    ids: list[str]
    videos: list[str]
    captions: list[str]
    word_counts: NDArray[np.int64]
    lines: list[int]
    cluster_ids: list[str] | None = None
    slices: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.ids)


def clip_id_of_path(path: str) -> str:
    """The id of a clip: ``a/b/x-Scene-001.mp4`` is ``x-Scene-001``."""
    name = path.rsplit("/", 1)[-1]
    stem, dot, extension = name.rpartition(".")
    return stem if stem and _EXTENSION.fullmatch(dot + extension) else name


def video_of_clip(clip: str, *, folder: str | None = None) -> str | None:
    """The video that a clip was cut from, as far as names tell.

    Args:
        clip: the clip's id. ``<video>-Scene-<number>`` names its video.
        folder: the folder that the clip lies in, which has the video's name in the published
            layout; it decides only where the clip's own name does not.

    Returns:
        The video's id; None where neither tells.
    """
    scene = _SCENE.fullmatch(clip)
    return scene["video"] if scene else (folder or None)


def read_lovr_captions(path: Path, *, video_of: VideoRule | None = None) -> LovrCaptions:
    """Read one of LoVR's caption files; which one is found by its content.

    A clip's video is the row's ``vid`` where it has one, else what `video_of_clip` says.

    Args:
        path: JSONL, a JSON array (both plain or gzip) or parquet.
        video_of: what says instead which video a clip belongs to: a function of the clip's id, or
            a mapping from it.

    Raises:
        InputError: no such rows, rows of both kinds, an id that is none, a caption that is no
            text, a clip whose video is unknown, a torn last line; with file and line.
        MissingExtraError: a parquet file without pyarrow.
    """
    first: str | None = None
    columns = _Columns(path, video_of)
    for line, row in _rows(path):
        if not isinstance(row, dict):
            raise InputError("a row is no object", path=path, line=line, value=row)
        kind = "path" if "path" in row else "vid" if "vid" in row else None
        if kind is None or "cap" not in row:
            raise InputError(
                "not a row of LoVR's captions",
                path=path,
                line=line,
                value=", ".join(map(str, row)),
                expected="the fields path and cap, or vid and cap",
            )
        if first is None:
            first = kind
        elif kind != first:
            raise InputError(
                "rows of mixed shape",
                path=path,
                line=line,
                value=f"a row with {kind!r}",
                expected=f"rows with {first!r}, as before",
            )
        columns.add(line, row)
    return columns.finish("clip" if first == "path" else "video")


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    if next(raw_blocks(path)).startswith(PARQUET_MAGIC):
        yield from iter_parquet_rows(path)
        return
    ledger: Ledger = {}
    line = 0
    for line, row in iter_records(path, ledger=ledger):
        yield line, row
    if "torn_last_line" in ledger:
        raise InputError(
            "the last line is torn", path=path, line=line + 1, expected="a complete file"
        )


class _Columns:
    """Rows on their way into columns."""

    def __init__(self, path: Path, video_of: VideoRule | None) -> None:
        self._path = path
        self._video_of = video_of.__getitem__ if isinstance(video_of, Mapping) else video_of
        self._ids: list[str] = []
        self._videos: list[str] = []
        self._captions: list[str] = []
        self._lines: list[int] = []
        self._cluster_ids: list[str] = []
        self._slices: list[tuple[int, int]] = []

    def add(self, line: int, row: dict[str, Any]) -> None:
        caption = row["cap"]
        if not isinstance(caption, str):
            raise InputError(
                "not a caption",
                path=self._path,
                line=line,
                field="cap",
                value=caption,
                expected="text",
            )
        video = row.get("vid")
        if video is not None:
            video = as_id(video, path=self._path, line=line, name="vid")
        if "path" in row:
            clip_path = as_id(row["path"], path=self._path, line=line, name="path")
            item = clip_id_of_path(clip_path)
            video = self._video(line, item, clip_path, video)
        elif video is None:
            raise InputError("not an id", path=self._path, line=line, field="vid", value=None)
        else:
            item = video
            if "cluster_id" in row:
                self._add_cluster(line, row)
        self._ids.append(item)
        self._videos.append(video)
        self._captions.append(caption)
        self._lines.append(line)

    def _video(self, line: int, clip: str, clip_path: str, named: str | None) -> str:
        if self._video_of is not None:
            try:
                return self._video_of(clip)
            except KeyError:
                raise InputError(
                    "a clip that the given mapping does not know",
                    path=self._path,
                    line=line,
                    value=clip,
                ) from None
        if named is not None:
            return named
        folders = clip_path.rsplit("/", 2)[:-1]
        video = video_of_clip(clip, folder=folders[-1] if folders else None)
        if video is None:
            raise InputError(
                "cannot tell which video the clip belongs to",
                path=self._path,
                line=line,
                field="path",
                value=clip_path,
                expected="<video>-Scene-<number>.mp4, a folder named after the video, or video_of",
            )
        return video

    def _add_cluster(self, line: int, row: dict[str, Any]) -> None:
        cluster = as_id(row["cluster_id"], path=self._path, line=line, name="cluster_id")
        self._cluster_ids.append(cluster)
        ends = [row.get(name) for name in _SLICES]
        for name, number in zip(_SLICES, ends, strict=True):
            if not isinstance(number, int) or isinstance(number, bool):
                raise InputError(
                    "not a clip number",
                    path=self._path,
                    line=line,
                    field=name,
                    value=number,
                    expected="a whole number",
                )
        self._slices.append((ends[0], ends[1]))  # type: ignore[arg-type]

    def finish(self, kind: Literal["clip", "video"]) -> LovrCaptions:
        if not self._ids:
            raise InputError("holds no rows", path=self._path, expected="at least one caption")
        if self._cluster_ids and len(self._cluster_ids) != len(self._ids):
            raise InputError(
                "rows of mixed shape",
                path=self._path,
                value=f"{len(self._cluster_ids)} of {len(self._ids)} rows with 'cluster_id'",
                expected="merged captions alone, or none",
            )
        return LovrCaptions(
            kind=kind,
            ids=self._ids,
            videos=self._videos,
            captions=self._captions,
            word_counts=np.array([len(caption.split()) for caption in self._captions], np.int64),
            lines=self._lines,
            cluster_ids=self._cluster_ids or None,
            slices=np.array(self._slices, np.int64) if self._slices else None,
        )
