"""LoVR's own feature files: clips and whole videos in one matrix, told apart by their ids.

As its evaluation scripts write them with ``torch.save``: ``text.pt`` is {feat, source}, captions of
clips before captions of videos, and perhaps {theme_feat, theme_src}; ``video.pt`` is {image_feats,
clip_src, full_src, ...}, where a row is a clip if it has a ``clip_src`` and a video if it has a
``full_src``, video after video in the order in which they were encoded.
Source: https://github.com/TechNomad-ds/LoVR-benchmark, evaluate/VideoCLIP-XL_test.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.formats import as_id, video_of_clip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastvbench.retrieval.stores._contents import Contents, Path

__all__ = ["TWO_KINDS", "LovrRows", "Part", "choose_lovr_rows", "is_lovr"]

Part = Literal["clip", "video", "theme"]

TWO_KINDS = "rows of two kinds"
"""The `problem` of the error for a file of clips and videos where no part was named."""


class LovrRows(NamedTuple):
    """The rows of one kind.

    Attributes:
        key: the name of the matrix that they lie in.
        rows: their row numbers, as a slice where they follow each other.
        ids: their ids.
        videos: the videos that they belong to; None where a clip's name does not tell.
    """

    key: str
    rows: slice | NDArray[np.int64]
    ids: list[str]
    videos: list[str] | None


def is_lovr(contents: Contents) -> bool:
    """Whether a .pt file is one of LoVR's two."""
    return _is_text(contents) or _is_video(contents)


def _is_text(contents: Contents) -> bool:
    return "feat" in contents.arrays and "source" in contents.columns


def _is_video(contents: Contents) -> bool:
    return "image_feats" in contents.arrays and {"clip_src", "full_src"} <= contents.columns.keys()


def choose_lovr_rows(
    path: Path, contents: Contents, part: Part | None, clip_count: int | None
) -> LovrRows:
    """Find the rows of one kind.

    Args:
        path: the file, for messages.
        contents: what it holds.
        part: ``clip``, ``video`` or ``theme``; None takes the only kind there is.
        clip_count: how many of the captions in ``text.pt`` are of clips, where their ids do not
            tell: only the ids of clips say ``-Scene-<number>``.

    Raises:
        InputError: no row of that kind, several kinds and none named, as many ids as there are
            rows missing, captions of clips after captions of videos.
    """
    if part == "theme":
        return _theme_rows(path, contents)
    if _is_video(contents):
        key, row_count = "image_feats", contents.arrays["image_feats"].shape[0]
        clips = _checked(path, contents, "clip_src", row_count)
        videos = _checked(path, contents, "full_src", row_count)
        kinds = {
            "clip": [i for i, name in enumerate(clips) if name is not None],
            "video": [i for i, name in enumerate(videos) if name is not None],
        }
        names = {"clip": clips, "video": videos}
    else:
        key, row_count = "feat", contents.arrays["feat"].shape[0]
        source = _checked(path, contents, "source", row_count)
        border = _border(path, source) if clip_count is None else clip_count
        if not 0 <= border <= row_count:
            raise InputError(
                "not a number of clips",
                path=path,
                field="clip_count",
                value=border,
                expected=f"0 to {row_count}, its rows",
            )
        kinds = {"clip": [*range(border)], "video": [*range(border, row_count)]}
        names = {"clip": source, "video": source}
    kind = _kind(path, kinds, part)
    rows = kinds[kind]
    column = {"image_feats": {"clip": "clip_src", "video": "full_src"}}.get(key, {})
    label = column.get(kind, "source")
    ids = [as_id(names[kind][i], path=path, line=i + 1, name=label) for i in rows]
    return LovrRows(key, _as_slice(rows), ids, _videos(kind, ids))


def _checked(path: Path, contents: Contents, name: str, row_count: int) -> Sequence[Any]:
    values = contents.columns[name]()
    if len(values) != row_count:
        raise InputError(
            "not as many ids as rows",
            path=path,
            field=name,
            value=len(values),
            expected=f"{row_count}, one for each row",
        )
    return values


def _border(path: Path, source: Sequence[Any]) -> int:
    """The number of captions of clips, which come first."""
    is_clip = [isinstance(name, str) and video_of_clip(name) is not None for name in source]
    border = sum(is_clip)
    if not all(is_clip[:border]):
        row = is_clip.index(False)
        raise InputError(
            "a caption of a video before captions of clips",
            path=path,
            line=row + 1,
            field="source",
            value=source[row],
            expected="captions of clips first, or clip_count",
        )
    return border


def _kind(path: Path, kinds: dict[str, list[int]], part: Part | None) -> str:
    held = [kind for kind, rows in kinds.items() if rows]
    if part is None and len(held) == 1:
        return held[0]
    if part is None:
        counts = ", ".join(f"{len(rows)} of kind {kind!r}" for kind, rows in kinds.items())
        raise InputError(TWO_KINDS, path=path, value=counts, expected="part='clip' or part='video'")
    if part not in held:
        raise InputError(
            f"no rows of kind {part!r}", path=path, value=", ".join(held), expected="a kind it has"
        )
    return part


def _theme_rows(path: Path, contents: Contents) -> LovrRows:
    if "theme_feat" not in contents.arrays or "theme_src" not in contents.columns:
        raise InputError(
            "no rows of kind 'theme'", path=path, expected="the entries theme_feat and theme_src"
        )
    row_count = contents.arrays["theme_feat"].shape[0]
    source = _checked(path, contents, "theme_src", row_count)
    ids = [as_id(name, path=path, line=i + 1, name="theme_src") for i, name in enumerate(source)]
    return LovrRows("theme_feat", slice(0, row_count), ids, _videos("clip", ids))


def _videos(kind: str, ids: list[str]) -> list[str] | None:
    if kind == "video":
        return ids
    videos = [video_of_clip(name) for name in ids]
    return None if None in videos else [video for video in videos if video is not None]


def _as_slice(rows: list[int]) -> slice | NDArray[np.int64]:
    if rows and rows[-1] - rows[0] + 1 == len(rows):
        return slice(rows[0], rows[-1] + 1)
    return np.array(rows, np.int64)
