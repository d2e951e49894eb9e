"""Subtitle files as text: SubRip, WebVTT, and lists of lines as JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError
from fastvbench.formats import decode_text, read_json

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_subtitles"]

_CLOCK_LINE = re.compile(r"\s*[\d:.,]+\s*-->\s*[\d:.,]+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>|\{\\[^{}]{0,80}\}")
_TEXT_FIELDS = ("line", "text")


def read_subtitles(path: Path) -> str:
    """What is said in a video, one cue a line, without times and markup.

    Args:
        path: an ``.srt``, ``.vtt`` or ``.json`` file (a list of objects with ``line`` or ``text``).

    Raises:
        InputError: none of these.
    """
    if path.suffix.lower() == ".json":
        return "\n".join(_json_lines(path))
    text = decode_text(path.read_bytes()).removeprefix("\ufeff").replace("\r\n", "\n")
    cues = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r", "\n")):
        lines = block.strip("\n").split("\n")
        clock = next((k for k, line in enumerate(lines) if _CLOCK_LINE.match(line)), None)
        if clock is not None:  # before it stands the cue's number or name
            spoken = " ".join(_TAG.sub("", line).strip() for line in lines[clock + 1 :])
            if spoken.strip():
                cues.append(" ".join(spoken.split()))
    if not cues and text.strip() and "-->" not in text:
        raise InputError("not subtitles", path=path, value=text[:80], expected="cues with times")
    return "\n".join(cues)


def _json_lines(path: Path) -> list[str]:
    expected = "a list of objects with line or text"
    value = read_json(path)
    if not isinstance(value, list):
        raise InputError("not subtitles", path=path, value=value, expected=expected)
    lines = []
    for number, cue in enumerate(value, start=1):
        name = next((f for f in _TEXT_FIELDS if isinstance(cue, dict) and f in cue), None)
        if name is None or not isinstance(cue[name], str):
            raise InputError("not a cue", path=path, line=number, value=cue, expected=expected)
        if cue[name].strip():
            lines.append(" ".join(cue[name].split()))
    return lines
