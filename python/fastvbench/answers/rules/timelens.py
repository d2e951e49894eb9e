r"""TimeLens' reading and scoring of intervals, also that of lmms-eval's TimeLens tasks.

Source: TencentARC/TimeLens, commit 5d90c06, and EvolvingLMMs-Lab/lmms-eval,
``tasks/timelens/utils.py``, commit 75571cf (2026-08); both read a text alike.

Quirks: clocks are paired in the order in which they stand, before anything else is looked at; a
single clock is not one ("12:30" reads as 12 to 30). Then every ``number - number`` (ASCII hyphen)
counts, else every ``number to number``, else all numbers are paired, the odd last one left out.
There a unit without a space cuts the decimals: "24.3s, 30.4s" reads as 24 to 30. Only the first
interval is scored, as written: a reversed one scores 0. ``\d`` matches the decimal digits of every
script, and ``float`` reads them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._types import Interval

__all__ = ["hull_iou", "intervals"]

_CLOCK = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\b")
# The script tries ranges at every digit of a run; the run's first digit decides for all of them.
_DASHED = re.compile(r"(?<!\d)(\d+(?:\.\d*)?)\s*-\s*(\d+(?:\.\d*)?)")
_WITH_TO = re.compile(r"(?<!\d)(\d+(?:\.\d*)?)\s+to\s+(\d+(?:\.\d*)?)")
# The script's `\b\d+\.?\d*\b`: decimals that end in a letter leave the whole part and its point.
_NUMBER = re.compile(r"\b\d+(?:\.\d+\b|\.(?=\w)|\b)")


def intervals(text: str) -> list[Interval]:
    """Return every interval that the script reads, in order, as written (also reversed).

    Args:
        text: the model's answer, untouched.

    Returns:
        Intervals in seconds; the script scores the first.

    Example:
        >>> intervals("from 01:05 to 01:30"), intervals("24.3s and 30.4s")
        ([(65.0, 90.0)], [(24.0, 30.0)])
    """
    paragraph = text.lower()
    clocks = [_clock_seconds(clock) for clock in _CLOCK.findall(paragraph)]
    if len(clocks) >= 2:
        return _paired(clocks)
    for pattern in (_DASHED, _WITH_TO):
        if found := pattern.findall(paragraph):
            return [(float(start), float(end)) for start, end in found]
    return _paired([float(number) for number in _NUMBER.findall(paragraph)])


def _paired(values: list[float]) -> list[Interval]:
    return list(zip(values[::2], values[1::2], strict=False))


def _clock_seconds(clock: str) -> float:
    """Return the seconds of ``mm:ss`` or ``hh:mm:ss``; no field is checked against 60."""
    *whole, seconds = clock.split(":")
    minutes = 0
    for part in whole:
        minutes = minutes * 60 + int(part)
    return minutes * 60 + float(seconds)


def hull_iou(pred: Interval, gold: Interval) -> float:
    """Return overlap over hull; 0 where the hull has no length or the prediction is reversed.

    Args:
        pred: predicted start and end, in seconds, as written.
        gold: gold start and end, in seconds.

    Example:
        >>> hull_iou((0.0, 10.0), (5.0, 20.0)), hull_iou((10.0, 0.0), (5.0, 20.0))
        (0.25, 0.0)
    """
    hull = max(pred[1], gold[1]) - min(pred[0], gold[0])
    if hull <= 0:
        return 0.0
    return max(min(pred[1], gold[1]) - max(pred[0], gold[0]), 0.0) / hull
