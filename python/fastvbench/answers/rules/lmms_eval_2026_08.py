r"""lmms-eval as of August 2026: the shared option extractor and the Charades-STA scorer.

Source: EvolvingLMMs-Lab/lmms-eval, ``tasks/_task_utils/mcq_extract.py`` and
``tasks/charades_sta/utils.py``, commit 75571cf (2026-08-06). A later rewrite of the extractor
abstains where this one guesses; it is not this rule.

Quirks of the letter: forms are ranked, not read. A capital option letter at the very start of the
answer beats one at its end, that beats anything after an answer phrase, and so on down to a letter
inside a word; within one form the last place wins. After a phrase *every* letter's first capital
occurrence counts, inside words too, so "The answer is B because the Dog barks." is D, and "A man
enters, so the answer is D." is A. Lower case is never read.

Quirks of the intervals: every "to" becomes "-", also inside words. Sentences end at ``!``, ``?``
and line breaks, not at full stops; those with start, end or happen in them are read, or all if
there is none. Clock ranges are tried first, then number ranges, clock times in pairs, one number
per sentence, and number ranges with "s". Only the first interval is kept, put in order. "starts at
24.3 and ends at 30.4", "between 24.3 and 30.4" and "[24.3, 30.4]" read as nothing. The echoed
example of the prompt is deleted first. ``\d`` matches the decimal digits of every script.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._types import Interval

__all__ = ["charades_intervals", "charades_iou", "letter"]

_STRIPPED_ONCE_EACH = ",.!?;:'\""
_ANSWER_PHRASES = (
    "the answer is",
    "answer is",
    "the correct answer is",
    "correct answer is",
    "the best answer is",
    "best answer is",
    "the correct option is",
    "correct option is",
    "the best option is",
    "best option is",
    "the choice is",
    "choice is",
    "the correct choice is",
    "correct choice is",
    "i choose",
    "i select",
    "i pick",
    "my answer is",
    "my choice is",
    "옵션",
    "정답은",
    "답은",
    "답:",
    "答案是",
    "答案为",
    "选",
    "答えは",
)
# What surrounds a letter, most trusted first; the bare letter is the last resort.
_SURROUNDINGS = (("(", ")"), ("", "."), ("", ":"), ("", ")"), ("", " "), ("", ""))


def letter(text: str, letters: str = "ABCD") -> str:
    """Return the letter in the most trusted form, the last one of that form.

    Args:
        text: the model's answer, untouched.
        letters: the option letters, each one character, case as they must appear.

    Returns:
        One of ``letters``, or the empty string where none occurs.

    Example:
        >>> letter("The correct answer is **B**. Here's why: A is wrong."), letter("(A) (B)")
        ('A', 'B')
    """
    core = text.strip()
    for mark in _STRIPPED_ONCE_EACH:
        core = core.strip(mark)
    padded = f" {core} "
    core = padded.strip()

    for option in letters:
        if core.startswith(option) and not core[1:2].isalpha():
            return option
    for option in letters:
        if core.endswith(option) and not core[-2:-1].isalpha():
            return option

    place, best = max(_after_phrases(padded, letters), default=(-1, ""))
    if place >= 0:
        return best
    for before, after in _SURROUNDINGS:
        places = ((padded.rfind(before + option + after), option) for option in letters)
        place, best = max(places, default=(-1, ""))
        if place >= 0:
            return best
    return ""


def _after_phrases(padded: str, letters: str) -> Iterator[tuple[int, str]]:
    """Yield the place of every letter's first occurrence after each phrase's first occurrence."""
    lowered = padded.lower()
    for phrase in _ANSWER_PHRASES:
        found = lowered.find(phrase)
        if found >= 0:
            # A place in the lowered text is used in the cased one. Lowering can lengthen a text
            # (capital I with a dot above), and the script doesn't account for that either.
            for option in letters:
                yield padded.find(option, found + len(phrase)), option


_PROMPT_EXAMPLE = "a specific example is : 20.8 - 30.0 seconds"
_SENTENCE_END = re.compile(r"[!?\n]")
# The script lists eight keywords; each of them contains one of these.
_KEYWORDS = ("start", "end", "happen")

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
_CLOCK_RANGE = re.compile(rf"\b({_CLOCK})\s*[–-]\s*({_CLOCK})\b")
_CLOCK_TIME = re.compile(rf"\b{_CLOCK}\b")
# The script tries ranges at every digit of a run; the run's first digit decides for all of them.
_NUMBER_RANGE = re.compile(r"(?<!\d)(\d+(?:\.\d+)?)\s*[–-]\s*(\d+(?:\.\d+)?)")
_SECONDS_RANGE = re.compile(r"(?<!\d)(\d+(?:\.\d+)?)\s*(?:s\s*)?[–-]\s*(\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"\b\d+(?:\.\d+)?\b")


def charades_intervals(text: str) -> list[Interval]:
    """Return the one interval that the scorer reads, in order, or nothing.

    Args:
        text: the model's answer, untouched.

    Returns:
        A list of at most one interval in seconds, start not after end.

    Example:
        >>> charades_intervals("from 01:05 to 01:30")
        [(65.0, 90.0)]
        >>> charades_intervals("starts at 24.3 and ends at 30.4")
        []
    """
    paragraph = text.lower().replace(_PROMPT_EXAMPLE, "").replace("to", "-")
    sentences = _SENTENCE_END.split(paragraph)
    with_keyword = [
        sentence for sentence in sentences if any(keyword in sentence for keyword in _KEYWORDS)
    ]
    pair = _first_pair(with_keyword or sentences)
    if pair is None:
        return []
    start, end = pair
    return [(start, end) if end > start else (end, start)]


def _first_pair(sentences: list[str]) -> Interval | None:
    """Return the first pair of the first stage that has one, as written."""
    for sentence in sentences:
        if found := _CLOCK_RANGE.search(sentence):
            return _clock_seconds(found.group(1)), _clock_seconds(found.group(2))
    for sentence in sentences:
        if found := _NUMBER_RANGE.search(sentence):
            return float(found.group(1)), float(found.group(2))

    clocks = (clock for sentence in sentences for clock in _CLOCK_TIME.findall(sentence))
    first_clock, second_clock = next(clocks, None), next(clocks, None)
    if first_clock is not None and second_clock is not None:
        return _clock_seconds(first_clock), _clock_seconds(second_clock)

    numbers = (found.group() for sentence in sentences if (found := _NUMBER.search(sentence)))
    first_number, second_number = next(numbers, None), next(numbers, None)
    if first_number is not None and second_number is not None:
        return float(first_number), float(second_number)

    for sentence in sentences:
        if found := _SECONDS_RANGE.search(sentence):
            return float(found.group(1)), float(found.group(2))
    return None


def _clock_seconds(clock: str) -> float:
    """Return the seconds of ``mm:ss`` or ``hh:mm:ss``; no field is checked against 60."""
    *hours, minutes, seconds = map(float, clock.split(":"))
    return (hours[0] * 3600 if hours else 0.0) + minutes * 60 + seconds


def charades_iou(pred: Interval, gold: Interval) -> float:
    """Return overlap over hull: the true IoU of two overlapping intervals, 0 for disjoint ones.

    Args:
        pred: predicted start and end, in seconds, in order.
        gold: gold start and end, in seconds, finite.

    Returns:
        The ratio, 0 to 1; 0 where the hull has no length.

    Example:
        >>> charades_iou((5.0, 5.0), (5.0, 5.0)), charades_iou((0.0, 10.0), (5.0, 20.0))
        (0.0, 0.25)
    """
    hull = max(pred[1], gold[1]) - min(pred[0], gold[0])
    if hull <= 0:
        return 0.0
    return max(min(pred[1], gold[1]) - max(pred[0], gold[0]), 0.0) / hull
