"""OMTG-Bench's tags, found in linear time.

The published pattern asks for ``<time>``, as few characters as possible that are no spaces, a
hyphen, again as few as possible, and ``second`` or ``seconds</time>``, spaces allowed around hyphen
and unit. Tried by backtracking that takes cubic time, so its choices are made here by position.
"""

from __future__ import annotations

import re
from bisect import bisect_left

__all__ = ["tagged_pairs"]

_OPENING = re.compile(r"<time>", re.IGNORECASE)
_CLOSING = re.compile(r"seconds?</time>", re.IGNORECASE)
_SPACE_RUN = re.compile(r"\s+")


def tagged_pairs(text: str) -> list[tuple[str, str]]:
    """Return what stands before and after the hyphen of each tag, from left to right.

    Example:
        >>> tagged_pairs("<time>1.0 - 2.0 seconds</time>, <time>3-4second</time>")
        [('1.0', '2.0'), ('3', '4')]
    """
    if _OPENING.search(text) is None:
        return []
    tags = _Tags(text)
    pairs: list[tuple[str, str]] = []
    position = 0
    while opening := _OPENING.search(text, position):
        found = tags.pair_after(opening.end())
        if found is None:
            position = opening.start() + 1
        else:
            position, first, second = found
            pairs.append((first, second))
    return pairs


class _Tags:
    """Where spaces, hyphens and closings stand in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        spaces = [(run.start(), run.end()) for run in _SPACE_RUN.finditer(text)]
        self._space_starts = [start for start, _ in spaces]
        self._space_ends = [end for _, end in spaces]
        self._hyphens = [place for place, character in enumerate(text) if character == "-"]
        closings = list(_CLOSING.finditer(text))
        self._closings = [closing.start() for closing in closings]
        self._closing_ends = {closing.start(): closing.end() for closing in closings}

    def _run_end(self, start: int) -> int:
        """The first white space at or after `start`."""
        place = bisect_left(self._space_starts, start)
        return self._space_starts[place] if place < len(self._space_starts) else len(self._text)

    def _behind_spaces(self, place: int) -> int:
        """The first other character from `place` on, where white space begins or none stands."""
        run = bisect_left(self._space_starts, place)
        if run < len(self._space_starts) and self._space_starts[run] == place:
            return self._space_ends[run]
        return place

    def pair_after(self, start: int) -> tuple[int, str, str] | None:
        """The end of the tag whose opening ends at `start`, and its two texts; None for no tag."""
        if start < len(self._text) and self._text[start].isspace():
            return None
        end = self._run_end(start)
        if end == start:
            return None
        place = bisect_left(self._hyphens, start + 1)
        hyphen = self._hyphens[place] if place < len(self._hyphens) else end
        if hyphen < end:
            # A later hyphen of the same run finds the same closings or fewer, except the last
            # character: behind that, spaces may follow.
            for candidate in (hyphen, end - 1):
                if candidate > start and self._text[candidate] == "-":
                    found = self._second(candidate, start, candidate)
                    if found is not None:
                        return found
        hyphen = self._behind_spaces(end)
        if hyphen > end and self._text[hyphen : hyphen + 1] == "-":
            return self._second(hyphen, start, end)
        return None

    def _second(self, hyphen: int, start: int, first_end: int) -> tuple[int, str, str] | None:
        begin = self._behind_spaces(hyphen + 1)
        end = self._run_end(begin)
        if end == begin:
            return None
        first = self._text[start:first_end]
        place = bisect_left(self._closings, begin + 1)
        if place < len(self._closings) and self._closings[place] < end:
            closing = self._closings[place]
            return self._closing_ends[closing], first, self._text[begin:closing]
        closing = self._behind_spaces(end)
        if closing > end and closing in self._closing_ends:
            return self._closing_ends[closing], first, self._text[begin:end]
        return None
