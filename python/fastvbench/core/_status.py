"""Why a row has the answer it has: the closed list of statuses, and the flags of one interval.

The numbers are shared with ``cpp/include/fastvbench/answer_status.h``; a test holds them equal.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

__all__ = ["STATUS_NAMES", "Flag", "Status"]


class Status(IntEnum):
    """One per row, exclusive. Only ``OK`` carries a value."""

    OK = 0
    MISSING = 1  # no text at all: absent row, null, NaN
    EMPTY = 2  # text of white space only
    TRUNCATED = 3  # generation stopped before an answer: unclosed thinking, or so said
    REFUSED = 4  # the model declined
    NO_ANSWER = 5  # text without anything that reads as an answer
    AMBIGUOUS = 6  # several answers and no decision
    NOT_AN_OPTION = 7  # an answer outside the row's alphabet
    NO_NUMBER = 8  # grounding: no time in the text
    ONE_NUMBER = 9  # grounding: a start without an end
    NO_DURATION = 10  # percent or "to the end" without a known duration
    OUT_OF_RANGE = 11  # every interval lies outside the video
    NOT_FINITE = 12  # nan or infinity where a time should be
    NEEDS_JUDGE = 13  # only a judge could extract an answer
    ERROR = 14  # the run recorded an error instead of text


class Flag(IntFlag):
    """What was done to one interval on the way from text to seconds."""

    SWAPPED = 1
    CLAMPED_START = 2
    CLAMPED_END = 4
    ZERO_LENGTH = 8
    FROM_PERCENT = 16
    FROM_CLOCK = 32
    TO_END = 64


STATUS_NAMES: tuple[str, ...] = tuple(status.name.lower() for status in Status)
