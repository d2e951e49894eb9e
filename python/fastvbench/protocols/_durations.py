"""Video lengths from a file of their own, for annotations that have none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.formats import iter_records, read_text_lines
from fastvbench.protocols._csv_rows import csv_rows
from fastvbench.protocols._gold import bare_video_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["durations_of", "read_durations"]

FloatArray = npt.NDArray[np.float64]

_VIDEO_FIELDS = ("id", "video", "vid", "video_id", "key")
_LENGTH_FIELDS = ("duration", "length", "duration_seconds")


def durations_of(
    videos: Sequence[str], path: Path | None, known: FloatArray | None, ledger: dict[str, int]
) -> FloatArray | None:
    """Length of each row's video: what the annotations say, else what the file at `path` says.

    Videos are looked up by their bare names, so that ``V1.mp4`` and ``V1`` are one.

    Args:
        videos: video of each row.
        path: the file with lengths, or None.
        known: float64[n] seconds from the annotations, NaN where they have none.
        ledger: gets the number of rows without a length, where a file was given.

    Returns:
        float64[n] seconds, NaN where unknown; `known` where there is no file.
    """
    if path is None:
        return known
    given = {bare_video_name(video): length for video, length in read_durations(path).items()}
    seconds = np.array([given.get(bare_video_name(video), np.nan) for video in videos])
    if known is not None:
        seconds = np.where(np.isnan(known), seconds, known)
    unknown = int(np.isnan(seconds).sum())
    if unknown:
        ledger["duration_unknown"] = unknown
    return seconds


def read_durations(path: Path) -> dict[str, float]:
    """Seconds by video as written: a JSON object, JSON records, or a CSV or TSV with a header.

    A JSON object maps each video to seconds or to an object with ``duration``; records and tables
    name the video (id, video, vid, video_id, key) and its length (duration, length,
    duration_seconds).

    Raises:
        InputError: unreadable, or a length that is no positive number.
    """
    first = next((text for _, text in read_text_lines(path)), "")
    if first.lstrip()[:1] in {"{", "["}:
        return _from_json(path)
    return _from_table(path, "\t" if "\t" in first else ",")


def _seconds(value: object, path: Path, line: int, field: str) -> float:
    try:
        seconds = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise InputError(
            "not a duration", path=path, line=line, field=field, value=value, expected="seconds > 0"
        )
    return seconds


def _from_json(path: Path) -> dict[str, float]:
    durations: dict[str, float] = {}
    for line, values in iter_records(path):
        if not isinstance(values, dict):
            raise InputError("not a duration", path=path, line=line, value=values)
        video = next((f for f in _VIDEO_FIELDS if f in values), None)
        length = next((f for f in _LENGTH_FIELDS if f in values), None)
        if video is not None and length is not None:
            durations[str(values[video])] = _seconds(values[length], path, line, length)
            continue
        for name, value in values.items():
            inner = value.get("duration") if isinstance(value, dict) else value
            durations[name] = _seconds(inner, path, line, name)
    return durations


def _from_table(path: Path, delimiter: str) -> dict[str, float]:
    lines = [text for _, text in read_text_lines(path)]
    header, *rows = csv_rows(lines, path, delimiter)
    names = [name.strip() for name in header]
    video = next((f for f in _VIDEO_FIELDS if f in names), None)
    length = next((f for f in _LENGTH_FIELDS if f in names), None)
    if video is None or length is None:
        raise InputError(
            f"no duration columns among {names}",
            path=path,
            line=1,
            expected="a video column and a duration column",
        )
    durations: dict[str, float] = {}
    for line, cells in enumerate(rows, 2):
        row = dict(zip(names, cells, strict=False))
        if video in row:
            durations[row[video]] = _seconds(row.get(length), path, line, length)
    return durations
