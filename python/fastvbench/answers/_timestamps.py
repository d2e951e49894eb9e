"""Model text to time intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench import _core
from fastvbench.core import InputError
from fastvbench.intervals import Intervals

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["parse_timestamps"]


def parse_timestamps(texts: object, *, durations: object = None, threads: int = 0) -> Intervals:
    """Read the time intervals that each text states, in seconds.

    Understands seconds, minutes and hours with their units in several languages, clocks
    (``mm:ss``, ``h:mm:ss``), percent, ranges of every spelling, "starts at ... ends at ...", lists,
    JSON, tables, subtitles and tags. Reasoning up to ``</think>`` is skipped, and behind a
    final-answer cue only what follows is read. Counts, dates, wall clock, frame numbers and
    confidences are no times. A text is never an error: a row without intervals has a status that
    says why.

    Args:
        texts: list or tuple of str or None (NaN counts as None), or an Arrow column of strings
            (pyarrow, polars, nanoarrow), n rows.
        durations: seconds of each row's video: n numbers, None or NaN where unknown. Without it
            percent, "to the end" and "the whole video" give no interval (status ``no_duration``),
            and nothing is clamped. None: unknown for all rows.
        threads: 0 uses every core.

    Returns:
        One row per text. Reversed pairs are swapped, ends clamped to the video, and the flags say
        so; spans are the bytes of the UTF-8 text that each interval was read from.

    Raises:
        TypeError: texts or durations of another kind.
        InputError: another number of durations than texts, or a duration that is not positive and
            finite (its row and value are named).

    Example:
        >>> column = parse_timestamps(["It happens at 0:12-0:20.", "I don't see it."])
        >>> column.rows()
        [[(12.0, 20.0)], []]
        >>> column.reasons()
        ['ok', 'no_number']
    """
    seconds = None if durations is None else _checked_durations(durations)
    values, offsets, status, flags, spans = _core.parse_timestamps(texts, seconds, threads)
    return Intervals(values, offsets, status, flags, spans)


def _checked_durations(durations: object) -> NDArray[np.float64]:
    """Return float64 [n] seconds with NaN where unknown."""
    try:
        seconds = np.asarray(durations)
    except ValueError as error:  # sequences of different lengths
        raise TypeError(f"durations: expected numbers or None, {error}") from None
    if seconds.dtype == object:
        try:
            seconds = np.array([np.nan if item is None else item for item in seconds], np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"durations: expected numbers or None, {error}") from None
    if seconds.dtype.kind not in "iuf" or seconds.ndim != 1:
        raise TypeError(
            f"durations: expected a sequence of numbers, got {seconds.dtype} of "
            f"{seconds.ndim} dimensions"
        )
    seconds = seconds.astype(np.float64, copy=False)
    refused = ~(np.isnan(seconds) | ((seconds > 0) & np.isfinite(seconds)))
    if refused.any():
        row = int(np.argmax(refused))
        raise InputError(
            f"durations[{row}] is no length of a video",
            value=float(seconds[row]),
            expected="positive seconds, or None or NaN where unknown",
        )
    return seconds
