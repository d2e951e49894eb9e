"""Where clips lie in their videos: a list of id, video, begin and end."""

from __future__ import annotations

import math
import numbers
import re
from typing import Any, NamedTuple

from fastvbench.core._errors import InputError
from fastvbench.formats._batch import Path, as_id
from fastvbench.formats._records import iter_records
from fastvbench.formats.lovr_captions import clip_id_of_path, video_of_clip

__all__ = ["ClipTimes", "read_clip_times"]

_FIELDS = {
    "id": ("id", "clip", "clip_id", "path"),
    "video": ("video", "vid", "video_id"),
    "begin": ("begin_seconds", "start_seconds", "begin", "start", "start_time"),
    "end": ("end_seconds", "end", "end_time"),
}
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:\.\d+)?)")


class ClipTimes(NamedTuple):
    """A clip's place.

    Attributes:
        video: the video's id.
        begin_seconds: where it begins.
        end_seconds: where it ends.
    """

    video: str
    begin_seconds: float
    end_seconds: float


def read_clip_times(path: Path) -> dict[str, ClipTimes]:
    """Read clips by id, from JSON, JSON Lines or a table.

    Rows have an id (``id``, ``clip``, ``clip_id`` or ``path``), a video (``video``, ``vid`` or
    ``video_id``; else it is that of ``<video>-Scene-<number>``), a begin and an end (``begin`` or
    ``start``, ``end``, also with ``_seconds`` or ``_time``), in seconds or as ``h:mm:ss.fff``.

    Raises:
        InputError: a row without one of them, an end that is not after its begin, an id twice.
        MissingExtraError: a table without the package that reads it.
    """
    clips: dict[str, ClipTimes] = {}
    for line, row in iter_records(path, tables=True):
        if not isinstance(row, dict):
            raise InputError("a row is no object", path=path, line=line, value=row)
        name, value = _field(row, "id", path, line)
        clip = clip_id_of_path(as_id(value, path=path, line=line, name=name))
        if clip in clips:
            raise InputError("a clip twice", path=path, line=line, field=name, value=clip)
        video = _video(row, clip, path, line)
        begin, end = (_seconds(row, kind, path, line) for kind in ("begin", "end"))
        if end <= begin:
            raise InputError(
                "a clip that ends before it begins",
                path=path,
                line=line,
                value=f"{begin:g} to {end:g}",
                expected="an end after its begin",
            )
        clips[clip] = ClipTimes(video, begin, end)
    if not clips:
        raise InputError("holds no clips", path=path, expected="rows of id, begin and end")
    return clips


def _field(row: dict[str, Any], kind: str, path: Path, line: int) -> tuple[str, Any]:
    for name in _FIELDS[kind]:
        if row.get(name) not in (None, ""):
            return name, row[name]
    raise InputError(
        f"a clip without its {kind}",
        path=path,
        line=line,
        value=", ".join(map(str, row)),
        expected=f"one of the fields {', '.join(_FIELDS[kind])}",
    )


def _video(row: dict[str, Any], clip: str, path: Path, line: int) -> str:
    named = video_of_clip(clip)
    if named is not None and not any(row.get(name) for name in _FIELDS["video"]):
        return named
    name, value = _field(row, "video", path, line)
    return as_id(value, path=path, line=line, name=name)


def _seconds(row: dict[str, Any], kind: str, path: Path, line: int) -> float:
    name, value = _field(row, kind, path, line)
    seconds = math.nan
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        seconds = float(value)
    elif isinstance(value, str):
        clock = _CLOCK.fullmatch(value.strip())
        if clock is not None:
            seconds = int(clock[1] or 0) * 3600 + int(clock[2]) * 60 + float(clock[3])
        else:
            try:
                seconds = float(value)
            except ValueError:
                seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise InputError(
            "not a time",
            path=path,
            line=line,
            field=name,
            value=value,
            expected="seconds from 0, or h:mm:ss",
        )
    return seconds
