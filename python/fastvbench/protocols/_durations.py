"""Video lengths from a file of their own, for annotations that have none."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats import iter_records, read_text_lines

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_durations"]

_VIDEO_FIELDS = ("id", "video", "vid", "video_id", "key")
_LENGTH_FIELDS = ("duration", "length", "duration_seconds")


def read_durations(path: Path) -> dict[str, float]:
    """Seconds by video: a JSON object, JSON records, or a CSV or TSV table with a header.

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
    except ValueError:
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
    reader = csv.DictReader(lines, delimiter=delimiter)
    names = list(reader.fieldnames or ())
    video = next((f for f in _VIDEO_FIELDS if f in names), None)
    length = next((f for f in _LENGTH_FIELDS if f in names), None)
    if video is None or length is None:
        raise InputError(
            f"no duration columns among {names}",
            path=path,
            line=1,
            expected="a video column and a duration column",
        )
    return {
        row[video]: _seconds(row[length], path, line, length) for line, row in enumerate(reader, 2)
    }
