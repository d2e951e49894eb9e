r"""TimeChat's reading and scoring of one interval (Charades-STA), also shipped by VTG-LLM.

Source: RenShuhuai-Andy/TimeChat, ``utils/format_tvg.py`` and ``metrics/tvg/eval_tvg.py``, commit
c60b332.

Quirks: the lower-cased text is searched for ``number - number`` (ASCII hyphen, no "to"). Only where
there is none do sentences count that contain start, end or happen (they end at ``!``, ``?`` and
line breaks, not at full stops): the first number of each, paired. A last stage for ``hh:mm:ss``
can never give an interval: it runs only where fewer than two of those sentences hold a number, and
each of its times holds one. A number may contain several points; ``float`` refuses "5..6" and the
script stops. The line that should delete the prompt's echoed example (20.8 - 30.0) has no effect,
so echoes are scored. Only the first interval is kept, put in order. ``\d`` matches the decimal
digits of every script, and ``float`` reads them.
"""

from __future__ import annotations

import re

from ._types import Interval, PublicScriptAborts

__all__ = ["hull_iou", "intervals", "lowered_intervals"]

# The script's number is `\d+\.*\d*`, tried at every digit of a run; the run's first digit decides
# for all of them.
_RANGE = re.compile(r"(?<!\d)(\d+(?:\.+\d*)?)\s*-\s*(\d+(?:\.+\d*)?)")
_NUMBER = re.compile(r"\b\d+(?:\.\d+)?\b")
_SENTENCE_END = re.compile(r"[!?\n]")
# The script lists eight keywords; each of them contains one of these.
_KEYWORDS = ("start", "end", "happen")


def intervals(text: str) -> list[Interval]:
    """Return the one interval that the script reads, in order, or nothing.

    Args:
        text: the model's answer, untouched.

    Returns:
        A list of at most one interval in seconds, start not after end.

    Raises:
        PublicScriptAborts: a range holds a number that ``float`` refuses, such as "5..6".

    Example:
        >>> intervals("30.4 - 24.3"), intervals("From 24.3 to 30.4 seconds.")
        ([(24.3, 30.4)], [])
    """
    return lowered_intervals(text.lower())


def lowered_intervals(paragraph: str, *, ranges_anywhere: bool = True) -> list[Interval]:
    r"""Return what :func:`intervals` returns, for a text that is lower-cased already.

    Args:
        paragraph: lower-cased text.
        ranges_anywhere: ranges count in the whole text, not only in sentences with a keyword.

    Returns:
        A list of at most one interval in seconds, start not after end.

    Raises:
        PublicScriptAborts: as :func:`intervals`.

    Example:
        >>> lowered_intervals("start: 24.3\nend: 30.4")
        [(24.3, 30.4)]
    """
    # Every range is converted although only the first is kept: a later bad number stops the
    # script just the same.
    with_keyword = [
        sentence
        for sentence in _SENTENCE_END.split(paragraph)
        if any(keyword in sentence for keyword in _KEYWORDS)
    ]
    pairs = [
        (_as_float(start), _as_float(end))
        for part in ([paragraph] if ranges_anywhere else with_keyword)
        for start, end in _RANGE.findall(part)
    ]
    if not pairs:
        firsts = [
            float(found.group()) for sentence in with_keyword if (found := _NUMBER.search(sentence))
        ]
        pairs = list(zip(firsts[::2], firsts[1::2], strict=False))
    return [(start, end) if end > start else (end, start) for start, end in pairs[:1]]


def _as_float(number: str) -> float:
    try:
        return float(number)
    except ValueError:
        shown = number if len(number) <= 40 else number[:37] + "..."
        raise PublicScriptAborts(
            f"ValueError: could not convert string to float: {shown!a}"
        ) from None


def hull_iou(pred: Interval, gold: Interval) -> float:
    """Return overlap over hull: the true IoU of two overlapping intervals, 0 for disjoint ones.

    Args:
        pred: predicted start and end, in seconds, in order.
        gold: gold start and end, in seconds, finite.

    Returns:
        The ratio, 0 to 1.

    Raises:
        PublicScriptAborts: the hull has no length.

    Example:
        >>> hull_iou((0.0, 10.0), (5.0, 20.0))
        0.25
    """
    hull = max(pred[1], gold[1]) - min(pred[0], gold[0])
    if hull == 0:
        raise PublicScriptAborts(
            "ZeroDivisionError: prediction and gold interval are the same single instant"
        )
    return max(min(pred[1], gold[1]) - max(pred[0], gold[0]), 0.0) / hull
