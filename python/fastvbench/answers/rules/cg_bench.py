r"""CG-Bench's reading and scoring of any number of intervals (as VLMEvalKit evaluates it).

Source: open-compass/VLMEvalKit, ``dataset/utils/cgbench.py``, commit e8e78f0 (2026-08-18).

Quirks: a JSON block ``{"result": [[start, end], ...]}`` behind a json fence comes first; if none of
its numbers passes 1 they are shares of the duration. Where that fails, all numbers of the whole
text are paired, minus signs included ("0-5" reads as 0 and -5), without the last if their count is
odd. Both sides are merged before the IoU; a reversed interval has negative length. A row with fewer
than two numbers leaves every denominator. ``\d`` matches the decimal digits of every script, and
``float`` reads them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Interval

__all__ = ["THRESHOLDS", "intervals", "merged_iou", "number_pairs"]

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)  # rec@iou is the mean of the shares above each

_NUMBER = re.compile(r"-?\d+\.?\d*")
_FENCE = "```"
_JSON_FENCE = "```json"


def intervals(text: str, duration: float) -> list[Interval] | None:
    r"""Return the intervals of the JSON block, else the pairs of all numbers.

    Args:
        text: the model's answer, untouched.
        duration: of the video in seconds.

    Returns:
        Intervals in seconds, as written; None where the row leaves the denominator.

    Example:
        >>> intervals('```json\n{"result": [[0.1, 0.5]]}\n```', 60.0)
        [(6.0, 30.0)]
        >>> intervals("0-5", 60.0)
        [(0.0, -5.0)]
    """
    begin = text.find(_JSON_FENCE)
    end = text.find(_FENCE, begin + len(_JSON_FENCE))
    if begin >= 0 and end >= 0:
        block = text[begin + len(_JSON_FENCE) : end].strip()
        document = _document_of(block)
        if isinstance(document, dict) and "result" in document:
            result = document["result"]
            if not isinstance(result, list):
                return None
            from_json = _intervals_of(result, duration)
            if from_json is not None:
                return from_json
    return number_pairs(text)


def _document_of(block: str) -> object:
    """Return the block's JSON; None where it is none."""
    try:
        return json.loads(block)
    except (ValueError, RecursionError):
        return None


def _intervals_of(result: list[object], duration: float) -> list[Interval] | None:
    """Return pairs of numbers in seconds; None where the script falls back to the whole text."""
    pairs = result if result and isinstance(result[0], list) else [result]
    values: list[Interval] = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) < 2:
            return None
        start, end = pair[:2]
        if not isinstance(start, int | float) or not isinstance(end, int | float):
            return None
        try:
            values.append((float(start), float(end)))
        except OverflowError:  # a whole number of hundreds of digits
            return None
    if all(start <= 1 and end <= 1 for start, end in values):
        return [(start * duration, end * duration) for start, end in values]
    # A third number matters only here: the script takes each pair apart.
    return values if all(isinstance(p, list) and len(p) == 2 for p in pairs) else None


def number_pairs(text: str) -> list[Interval] | None:
    """Return all numbers of a text in pairs, or None where there are fewer than two.

    Example:
        >>> number_pairs("event 1: 5 to 9")
        [(1.0, 5.0)]
    """
    numbers = [float(number) for number in _NUMBER.findall(text)]
    if len(numbers) < 2:
        return None
    return list(zip(numbers[::2], numbers[1::2], strict=False))


def merged_iou(pred: Sequence[Interval], gold: Sequence[Interval]) -> float:
    """Return the IoU of both sides, each merged; 0 where the union has no length.

    Args:
        pred: in seconds, in any order, also reversed.
        gold: in seconds, in any order.

    Example:
        >>> merged_iou([(0.0, 2.0), (1.0, 4.0)], [(0.0, 8.0)])
        0.5
    """
    pred_merged, gold_merged = _merged(pred), _merged(gold)
    overlap = sum(
        max(0.0, min(end, gold_end) - max(start, gold_start))
        for start, end in pred_merged
        for gold_start, gold_end in gold_merged
    )
    union = sum(end - start for start, end in pred_merged)
    union += sum(end - start for start, end in gold_merged)
    union -= overlap
    return overlap / union if union > 0 else 0.0


def _merged(intervals_: Sequence[Interval]) -> list[Interval]:
    merged: list[Interval] = []
    for start, end in sorted(intervals_, key=lambda interval: interval[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
