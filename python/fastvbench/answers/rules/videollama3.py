r"""VideoLLaMA3's evaluation of LVBench and Charades-STA.

Source: DAMO-NLP-SG/VideoLLaMA3, ``evaluation/benchmarks/lvbench.py``, ``charades_sta.py`` and
``base.py``, commit 05cee23 (2025-08-14).

Quirks of the letter: the text is upper-cased first, so the article in "a man" is option A and the
"d" of "I'd" is option D. A text without a letter raises, and the evaluation catches that only to
print it and exit: nothing at all is scored.

Quirks of the intervals: every ``number - number`` and ``number to number`` is an interval, thinking
included; only where there is none are all numbers paired, without the first if their count is odd.
Clock times fall apart ("00:24 - 00:30" reads as 24 to 0), percent and thousands separators are not
seen. ``\d`` matches the decimal digits of every script, and ``float`` reads them.

Quirks of the IoU: overlaps and lengths are summed, not merged, so repeated or overlapping
predictions score above 1. Numbers too large for a double are infinite and can make it NaN.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ._types import Interval, PublicScriptAborts

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["charades_intervals", "lvbench_letter", "summed_iou"]

# The script's number is `\d+\.?\d*|\d*\.\d+`. A search that fails inside a run of digits also
# fails at its start, so an attempt is worth making only where a run begins; `\.\d+` alone still
# matters where the digits before the point belong to the interval before.
_RANGE = re.compile(
    r"((?<!\d)\d+(?:\.\d*)?|\.\d+)"
    r"\s*(?:-|to)\s*"
    r"(\d+(?:\.\d*)?|\.\d+)"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")  # the script's `\d*\.?\d+`


@lru_cache(maxsize=32)
def _lone_letter(letters: str) -> re.Pattern[str]:
    return re.compile(rf"\b[{re.escape(letters)}]\b")


def lvbench_letter(text: str, letters: str = "ABCD") -> str:
    """Return the first option letter that stands alone in the upper-cased text.

    Args:
        text: the model's answer, untouched.
        letters: the option letters, upper case.

    Returns:
        One of ``letters``.

    Raises:
        PublicScriptAborts: no letter stands alone; the public evaluation exits.

    Example:
        >>> lvbench_letter("The answer is c"), lvbench_letter("a man holds a ball. C")
        ('C', 'A')
    """
    found = _lone_letter(letters).search(text.upper())
    if found is None:
        raise PublicScriptAborts(
            "ValueError: no option letter in the response; the evaluation prints it and exits"
        )
    return found.group()


def charades_intervals(text: str) -> list[Interval]:
    """Return every interval that the script reads, in order, as written (also reversed).

    Args:
        text: the model's answer, untouched.

    Returns:
        Intervals in seconds; empty where fewer than two numbers are found.

    Example:
        >>> charades_intervals("From 24.3 to 30.4 seconds.")
        [(24.3, 30.4)]
        >>> charades_intervals("24.3, 27.0, 30.4")
        [(27.0, 30.4)]
    """
    ranges = _RANGE.findall(text)
    if ranges:
        return [(float(start), float(end)) for start, end in ranges]
    numbers = [float(number) for number in _NUMBER.findall(text)]
    first = len(numbers) % 2
    return list(zip(numbers[first::2], numbers[first + 1 :: 2], strict=True))


def summed_iou(intervals: Iterable[Interval], gold: Interval) -> float:
    """Return the script's IoU of predicted intervals against one gold interval.

    Args:
        intervals: the prediction, in seconds, in any order, also reversed.
        gold: start and end of the gold interval, in seconds.

    Returns:
        Sum of the overlaps over (gold length + sum of predicted lengths - sum of the overlaps).
        It exceeds 1 where predictions overlap each other, and is NaN where lengths are infinite.

    Raises:
        PublicScriptAborts: that denominator is zero (gold and predictions without length).

    Example:
        >>> summed_iou([(10.0, 20.0), (10.0, 20.0)], (10.0, 20.0))
        2.0
    """
    gold_start, gold_end = gold
    intersection = 0.0
    union = gold_end - gold_start
    for interval in intervals:
        start, end = min(interval), max(interval)
        intersection += max(0.0, min(end, gold_end) - max(start, gold_start))
        union += end - start
    union -= intersection
    if union == 0:
        raise PublicScriptAborts(
            "ZeroDivisionError: neither the gold interval nor a prediction has a length"
        )
    return intersection / union
