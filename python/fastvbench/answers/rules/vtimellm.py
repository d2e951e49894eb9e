r"""VTimeLLM's reading and scoring of one interval, in hundredths of the video's length.

Source: huangb23/VTimeLLM, ``vtimellm/eval/eval.py`` and ``metric.py``, commit c34ae56.

Quirks: the first two digits, "to" or "and", two digits, one space around the word, is the interval
("from 050 to 100" reads as 50 to 10). A reversed interval stays reversed and scores 0. The IoU is
rounded to two decimals before it is averaged and compared with thresholds: 0.296 counts at 0.3. A
text without an interval scores 0. ``\d`` matches the decimal digits of every script, and ``float``
reads them.
"""

from __future__ import annotations

import re

from ._types import Interval, PublicScriptAborts

__all__ = ["intervals_fraction", "rounded_iou"]

_HUNDREDTHS = re.compile(r"(\d{2}) (?:to|and) (\d{2})")


def intervals_fraction(text: str) -> Interval | None:
    """Return the first interval as fractions of the duration, as written (also reversed).

    Args:
        text: the model's answer, untouched.

    Returns:
        Start and end between 0.0 and 0.99, or None where the text has no interval.

    Example:
        >>> intervals_fraction("from 00 to 99"), intervals_fraction("from 5 to 9")
        ((0.0, 0.99), None)
    """
    found = _HUNDREDTHS.search(text)
    if found is None:
        return None
    return float(found.group(1)) / 100, float(found.group(2)) / 100


def rounded_iou(pred: Interval | None, gold: Interval) -> float:
    """Return overlap over hull, rounded to two decimals; 0 where there is no prediction.

    Args:
        pred: predicted start and end as fractions of the duration, or None.
        gold: gold start and end as fractions of the duration.

    Returns:
        The rounded ratio.

    Raises:
        PublicScriptAborts: the hull has no length.

    Example:
        >>> rounded_iou((0.2, 0.4), (0.3, 0.87))
        0.15
    """
    if pred is None:
        return 0.0
    intersection = max(0.0, min(pred[1], gold[1]) - max(pred[0], gold[0]))
    hull = max(pred[1], gold[1]) - min(pred[0], gold[0])
    if hull == 0:
        raise PublicScriptAborts(
            "ZeroDivisionError: the hull of prediction and gold interval has no length"
        )
    return round(intersection / hull, 2)
