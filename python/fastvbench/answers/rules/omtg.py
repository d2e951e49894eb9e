r"""OMTG-Bench's reading of any number of intervals (as VLMEvalKit evaluates it).

Source: open-compass/VLMEvalKit, ``dataset/omtgbench.py``, commit e8e78f0 (2026-08-18).

Quirks: tags ``<time>a - b seconds</time>`` come first; if they give an interval, nothing else is
read. Then every "a - b seconds" (clocks of minutes and seconds too). Only where neither gives one
do five other forms count, all of them together: "starts at a and ends at b" and "start is at a and
end is at b", of which b is always read as its first character alone, "a to b", "a - b" not followed
by seconds, and "[a, b]". An interval counts only if its end comes after its start; of the five
forms equal ones count once; the answer is sorted by start. Its IoU merges both sides. ``\d``
matches the decimal digits of every script, and ``float`` reads them, and what a run of other
characters may hold ("inf", "1e3").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._omtg_tags import tagged_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ._types import Interval

__all__ = ["intervals"]

_NUMBER = r"\d+(?:\.\d+)?"
_CLOCK = r"\d+(?::\d+(?:\.\d+)?)?(?:\.\d+)?"
_UNIT = r"(?:\s+seconds?)?"
# The script tries numbers at every digit of a run; the run's first digit decides for all of them.
# What it matches lazily up to a space is a whole run of other characters.
_WITH_UNIT = re.compile(rf"(?<!\d)({_CLOCK})\s*-\s*({_CLOCK})\s*seconds?", re.IGNORECASE)
_STARTS_AT = re.compile(
    rf"starts\s+at\s+(\S+){_UNIT}\s+and\s+ends\s+at\s+(\S){_UNIT}", re.IGNORECASE
)
_START_IS_AT = re.compile(
    rf"start\s+is\s+at\s+(\S+){_UNIT}\s+and\s+(?:the\s+)?end\s+is\s+at\s+(\S){_UNIT}",
    re.IGNORECASE,
)
_WITH_TO = re.compile(rf"(?<!\d)({_NUMBER})\s+to\s+({_NUMBER})", re.IGNORECASE)
_DASHED = re.compile(
    rf"(?<!\d)({_NUMBER})\s*-\s*({_NUMBER})(?!\s*(?:seconds?|</time>))", re.IGNORECASE
)
_BRACKETED = re.compile(rf"\[\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\]")


def intervals(text: str) -> list[Interval]:
    """Return every interval that the script reads, by start.

    Args:
        text: the model's answer, untouched.

    Returns:
        Intervals in seconds, start before end.

    Example:
        >>> intervals("<time>1:00 - 1:30 seconds</time> and 5 to 9")
        [(60.0, 90.0)]
        >>> intervals("starts at 24.3 and ends at 30.4")  # the 3 of 30.4
        []
    """
    for pairs in (tagged_pairs(text), _WITH_UNIT.findall(text)):
        found = list(_usable(pairs, _clock_seconds))
        if found:
            return sorted(found, key=lambda interval: interval[0])
    found = [
        *_usable(_STARTS_AT.findall(text), _clock_seconds),
        *_usable(_START_IS_AT.findall(text), _clock_seconds),
        *_usable(_WITH_TO.findall(text), float),
        *_usable(_DASHED.findall(text), float),
        *_usable(_BRACKETED.findall(text), float),
    ]
    return list(dict.fromkeys(sorted(found, key=lambda interval: interval[0])))


def _usable(
    pairs: Iterable[tuple[str, str]], seconds_of: Callable[[str], float]
) -> Iterator[Interval]:
    for first, second in pairs:
        try:
            start, end = seconds_of(first), seconds_of(second)
        except ValueError:
            continue
        if end > start:
            yield start, end


def _clock_seconds(text: str) -> float:
    """Return the seconds of ``s``, ``m:s`` or ``h:m:s``.

    Raises:
        ValueError: text of any other kind.
    """
    parts = text.split(":")
    if len(parts) > 3:
        raise ValueError(text)
    weights = (1.0, 60.0, 3600.0)
    # The largest unit first, as the script adds them.
    return sum(float(part) * weights[len(parts) - 1 - place] for place, part in enumerate(parts))
