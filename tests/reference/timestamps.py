"""From raw model text to time intervals: the meaning of ``cpp/src/parse/timestamps``.

Grammar: the text becomes *tokens*, numbers with their units become *items*, items become *pairs*.
C++ comments name these sections. Everything is decided left to right, without going back.

1.  **What is read.** (1.1) Reasoning is skipped (``thinking.py``). (1.2) A final-answer cue
    ("final answer", "answer:", "answer is", ``<answer>``, 答案) makes the first time behind it
    discard everything before it; a cue with no time behind it does nothing ("5 to 9 is my final
    answer"). The last cue wins. Behind ``</answer>`` nothing is read if its element held a time.
    (1.3) Tags of up to 64 characters are skipped; ``<start>`` and ``<end>`` count as the words.
2.  **Items** (``timestamp_items.py``). (2.1) Digits are ASCII or full-width; ``.5``, ``5.``,
    ``1e3``. ``1.5.2`` and ``5..6`` are no times. (2.2) A comma between digits: three digits
    behind one to three that don't begin with 0 are thousands; inside brackets and in runs
    (``5,9,12``), beside a number with a point or before a clock it separates; else it is a
    decimal comma, inside brackets too when a range sign stands beside the number (``[12,5 -
    20,3]``). (2.3) Clocks have two or three fields; later ones have two digits and are below 60,
    else the whole is no time; a point or comma with digits behind the last is its fraction. (2.4)
    am, pm, o'clock make a clock or number a wall clock. (2.5) Units: see ``timestamp_words.py``;
    秒 分 时 and their long forms, ′ ″. A hyphenated length ("30-second clip"), "5 seconds long /
    later" are no points in time. (2.6) Smaller units add up, joined by nothing, a space, a comma
    or "and"; a unit word may precede its number ("minute 3"). (2.7) Dates and fractions with
    slashes are no times. A bare four-digit integer beside a date word is none; beyond the known
    duration it is none unless its partner lies within the video. (2.8) Percent; with a confidence
    word beside it, no time. (2.9) A letter, underscore or ``#`` touching the digits makes a name
    ("v2", "GPT-4", "4K"); so does a numbered noun before them ("scene 3"). (2.10) A counted noun
    behind a bare number makes a count ("2 times").
3.  **Words** (``timestamp_words.py``). Each sets or clears marks of the gap between two items.
4.  **Pairs.** (4.1) A range sign or word before an item joins it to the item before, if no
    sentence ended between them. Words may stand before the sign; only fillers between the sign
    and the item; any words after until / till. "and" is a range word once after "between". (4.2)
    Else a start cue makes the item the pending start, an end cue closes the pending start, also
    over sentences, when the last word before the item is the cue or a filler. An end before its
    start pairs when it is the later time. (4.3) A length ("lasts 5 seconds", "for 5 s", key
    ``duration``) behind a pending start gives the end; else it is no time. (4.4) Else two items
    with only list separators between them pair, inside one bracket or on a line without other
    words before them. A range sign right behind such a pair takes its second item away again ("1
    5-9"); so does a third cell in a table row whose first one is a bare integer. (4.5) A bare
    first item takes the unit of the second when its number isn't greater ("3 to 5 minutes",
    "20-40%"), a bare second one that of the first when it would otherwise lie before it ("3
    minutes to 5").
5.  **Ends of the video.** (5.1) "to the end" (also "- end", "until the video ends", "onwards") is
    a partner of the item before or of the pending start unless a time follows with only fillers
    between ("to the end at 9"). (5.2) "from the beginning / the start" is the time 0. (5.3)
    "first 10 seconds" and "last 10 seconds" are intervals. (5.4) "whole / entire / full video"
    counts when the text holds no time at all.
6.  **JSON.** Inside braces a name before a colon is a key; values of keys that say nothing of
    time are skipped. Keys with start, end or duration words act as the cues do.
7.  **From pair to interval.** Percent times duration; NaN and infinity void the pair; reversed
    pairs are swapped; what lies wholly outside the video is dropped; ends are clamped to [0,
    duration]; zero length is kept. Each leaves a flag.

Status: ``ok`` if an interval is kept; else the first that holds of missing, empty, truncated,
refused, no_duration, not_finite, out_of_range, one_number, no_number.

Readings that the rules leave open
----------------------------------
================================  =========================================================
``24.3, 27.0, 30.4``              pairs in order, the odd last one dropped: 24.3-27
``1.5.2 - 3``, ``5..6 - 9``       the malformed number is no time: one_number
``12:30``                         a lone clock: one_number
``event 1: 5 to 9``               5-9
``from 00 to 99``                 seconds; scales of 0-99 belong to rule sets
``00:01:12:15`` (with frames)     no time
``16:9``, ``1:5``                 no clock: seconds are written with two digits
``5 and 9``, no "between"         two points in time, no interval: one_number
``1234,567`` ``0,500``            decimal commas: no thousands are written so
``5 -9``                          5-9: the minus has a number on its left
``1:05 - 30``                     65 s and 30 s, swapped
``from 1500 to 1600`` in 120 s    four-digit numbers beyond the video: no_number
``from 100 to 1500`` in 1200 s    the partner lies within: clamped to 100-1200
a start at or beyond the end      outside, unless the pair is exactly (duration, duration)
================================  =========================================================
"""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.refusals import is_refusal
from tests.reference.thinking import skip_reasoning
from tests.reference.timestamp_items import SPACES
from tests.reference.timestamp_pairs import Interval
from tests.reference.timestamp_reader import Reader

from fastvbench.core._status import Status

__all__ = ["Interval", "Parsed", "parse"]


class Parsed(NamedTuple):
    """All that one text says."""

    intervals: list[Interval]
    status: Status


def parse(text: str | None, duration: float | None = None) -> Parsed:
    """Reads the time intervals of one model answer.

    Args:
        text: the raw answer, or None where there is none. Lone surrogates are allowed.
        duration: seconds of the video; None, NaN or what isn't positive and finite means unknown.

    Returns:
        The intervals in the order of the text, spans in bytes of its UTF-8 form, and the status.
    """
    if text is None:
        return Parsed([], Status.MISSING)
    encoded = text.encode("utf-8", "surrogatepass")
    if all(char in SPACES or char in "\r\n" for char in text):
        return Parsed([], Status.EMPTY)
    answer_begin, truncated = skip_reasoning(encoded)
    if truncated:
        return Parsed([], Status.TRUNCATED)
    answer = encoded[answer_begin:].decode("utf-8", "surrogatepass")
    if all(char in SPACES or char in "\r\n" for char in answer):
        return Parsed([], Status.EMPTY)
    reader = Reader(answer, duration)
    status = reader.run()
    if status != Status.OK and is_refusal(answer):
        status = Status.REFUSED
    offsets = [0]
    for char in answer:
        offsets.append(offsets[-1] + len(char.encode("utf-8", "surrogatepass")))
    intervals = [
        Interval(
            interval.start,
            interval.end,
            interval.flags,
            (answer_begin + offsets[interval.span[0]], answer_begin + offsets[interval.span[1]]),
        )
        for interval in reader.intervals
    ]
    return Parsed(intervals, status)
