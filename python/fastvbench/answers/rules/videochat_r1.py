r"""VideoChat-R1's reading and scoring of one interval; Time-R1 reads a text alike.

Source: OpenGVLab/VideoChat-R1, ``src_eval/evaluate_tg.py``, commit 73b2ea9, and
xiaomi-research/time-r1, ``evaluate.py``, commit 7f2b594.

Quirks: the last ``number to number`` or ``number and number`` of the whole text is the interval,
with one space on either side of the word, so "5 and 10 people" is one and "24.3 seconds to 30.4
seconds" is none. A reversed interval stays reversed. Where the hull has no length VideoChat-R1
divides by zero, prints that and leaves the row out. ``\d`` matches the decimal digits of every
script, and ``float`` reads them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._types import Interval

__all__ = ["hull_iou", "interval"]

# The script tries at every digit of a run; the run's first digit decides for all of them.
_RANGE = re.compile(r"(?<!\d)(\d+(?:\.\d*)?) (?:to|and) (\d+(?:\.\d*)?)")


def interval(text: str) -> Interval | None:
    """Return the last interval, as written (also reversed), or None.

    Args:
        text: the model's answer, untouched.

    Example:
        >>> interval("<think>3 to 5</think><answer>1.05 to 7.62</answer>")
        (1.05, 7.62)
    """
    last = None
    for found in _RANGE.finditer(text):
        last = found
    return None if last is None else (float(last.group(1)), float(last.group(2)))


def hull_iou(pred: Interval, gold: Interval) -> float | None:
    """Return overlap over hull, at least 0; None where the script leaves the row out.

    Args:
        pred: predicted start and end, in seconds, as written.
        gold: gold start and end, in seconds.

    Example:
        >>> hull_iou((0.0, 10.0), (5.0, 20.0)), hull_iou((5.0, 5.0), (5.0, 5.0))
        (0.25, None)
    """
    hull = max(pred[1], gold[1]) - min(pred[0], gold[0])
    if hull == 0:
        return None
    return max((min(pred[1], gold[1]) - max(pred[0], gold[0])) / hull, 0.0)
