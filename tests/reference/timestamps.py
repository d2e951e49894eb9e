"""From raw model text to time intervals: the meaning of ``cpp/src/parse/timestamps``.

Grammar: the text becomes *tokens*, numbers with their units become *items*, items become *pairs*.
C++ comments name these sections. Everything is decided left to right, without going back.

1.  **What is read.** (1.1) Reasoning is skipped (``thinking.py``). (1.2) A final-answer cue ("final
    answer", "answer:", "answer is", ``<answer>``, 答案) makes the first time behind it discard everything
    before it; a cue with no time behind it does nothing ("5 to 9 is my final answer"). The last cue
    wins. Behind ``</answer>`` nothing is read if its element held a time. (1.3) Tags of up to 64
    characters are skipped; ``<start>`` and ``<end>`` count as the words.
2.  **Items** (``timestamp_items.py``). (2.1) Digits are ASCII or full-width; ``.5``, ``5.``, ``1e3``.
    ``1.5.2`` and ``5..6`` are no times. (2.2) A comma between digits: three digits behind one to
    three that don't begin with 0 are thousands; inside brackets and in runs (``5,9,12``), beside a
    number with a point or before a clock it separates; else it is a decimal comma, inside brackets
    too when a range sign stands beside the number (``[12,5 - 20,3]``). (2.3) Clocks have two or three
    fields; later ones have two digits and are below 60, else the whole is no time; a point or comma
    with digits behind the last is its fraction. (2.4) am, pm, o'clock make a clock or number a wall
    clock. (2.5) Units: see ``timestamp_words.py``; 秒 分 时 and their long forms, ′ ″. A hyphenated
    length ("30-second clip"), "5 seconds long / later" are no points in time. (2.6) Smaller units add
    up, joined by nothing, a space, a comma or "and"; a unit word may precede its number ("minute 3").
    (2.7) Dates and fractions with slashes are no times. A bare four-digit integer beside a date word
    is none; beyond the known duration it is none unless its partner lies within the video. (2.8)
    Percent; with a confidence word beside it, no time. (2.9) A letter, underscore or ``#`` touching
    the digits makes a name ("v2", "GPT-4", "4K"); so does a numbered noun before them ("scene 3").
    (2.10) A counted noun behind a bare number makes a count ("2 times").
3.  **Words** (``timestamp_words.py``). Each sets or clears marks of the gap between two items.
4.  **Pairs.** (4.1) A range sign or word before an item joins it to the item before, if no sentence
    ended between them. Words may stand before the sign; only fillers between the sign and the item;
    any words after until / till. "and" is a range word once after "between". (4.2) Else a start cue
    makes the item the pending start, an end cue closes the pending start, also over sentences, when
    the last word before the item is the cue or a filler. An end before its start pairs when it is the
    later time. (4.3) A length ("lasts 5 seconds", "for 5 s", key ``duration``) behind a pending start
    gives the end; else it is no time. (4.4) Else two items with only list separators between them
    pair, inside one bracket or on a line without other words before them. A range sign right behind
    such a pair takes its second item away again ("1 5-9"); so does a third cell in a table row whose
    first one is a bare integer. (4.5) A bare first item takes the unit of the second when its number
    isn't greater ("3 to 5 minutes", "20-40%"), a bare second one that of the first when it would
    otherwise lie before it ("3 minutes to 5").
5.  **Ends of the video.** (5.1) "to the end" (also "- end", "onwards") is a partner of the item before
    or of the pending start unless a time follows with only fillers between ("to the end at 9"). (5.2)
    "from the beginning / the start" is the time 0. (5.3) "first 10 seconds" and "last 10 seconds" are
    intervals. (5.4) "whole / entire / full video" counts when the text holds no time at all.
6.  **JSON.** Inside braces a name before a colon is a key; values of keys that say nothing of time are
    skipped. Keys with start, end or duration words act as the cues do.
7.  **From pair to interval.** Percent times duration; NaN and infinity void the pair; reversed pairs
    are swapped; what lies wholly outside the video is dropped; ends are clamped to [0, duration]; zero
    length is kept. Each leaves a flag.

Status: ``ok`` if an interval is kept; else the first that holds of missing, empty, truncated, refused,
no_duration, not_finite, out_of_range, one_number, no_number.

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
``5 and 9`` without "between"      two points in time, no interval: one_number
``1234,567`` ``0,500``            decimal commas: no thousands are written so
``5 -9``                          5-9: the minus has a number on its left
``1:05 - 30``                     65 s and 30 s, swapped
``from 1500 to 1600`` in 120 s    four-digit numbers beyond the video: no_number
``from 100 to 1500`` in 1200 s    the partner lies within: clamped to 100-1200
a start at or beyond the end      outside, unless the pair is exactly (duration, duration)
================================  =========================================================
"""

from __future__ import annotations

import math
from enum import IntFlag, auto
from typing import NamedTuple

from fastvbench.core._status import Flag, Status
from tests.reference.refusals import is_refusal
from tests.reference.thinking import skip_reasoning
from tests.reference.timestamp_items import (
    ARROWS,
    DASHES,
    SPACES,
    TILDES,
    Item,
    ItemKind,
    char_at,
    is_digit,
    is_letter,
    read_item,
    skip_spaces,
    word_at,
)
from tests.reference.timestamp_words import (
    CJK_WORDS,
    KEY_KINDS,
    LEADING_UNITS,
    UNIT_SECONDS,
    KeyKind,
    WordKind,
    word_kind,
)

__all__ = ["Interval", "Parsed", "parse"]


class Interval(NamedTuple):
    """One interval in seconds, what was done to it, and the bytes that it was read from."""

    start: float
    end: float
    flags: Flag
    span: tuple[int, int]


class Parsed(NamedTuple):
    """All that one text says."""

    intervals: list[Interval]
    status: Status


class Gap(IntFlag):
    """What stands between the last item and the next one (section 3)."""

    TOUCH = auto()  # only spaces, markup and closing brackets since the last item
    CLEAN = auto()  # only those and list separators
    NEAR = auto()  # the last word is a filler or a cue
    RANGE = auto()  # a range sign, and only fillers since
    UNTIL = auto()
    BETWEEN = auto()
    FROM = auto()
    START = auto()
    END = auto()
    LENGTH = auto()
    FOR = auto()
    NAME = auto()  # the next number is a name or a count
    NAMES = auto()  # so are both of a range
    AFTER_NAME = auto()  # behind the first of them
    CONFIDENCE = auto()
    DATE = auto()
    FIRST = auto()
    LAST = auto()
    FINAL = auto()
    WHOLE = auto()
    ANSWER = auto()
    PROSE = auto()  # the line holds words
    LINE = auto()  # nothing yet on this line
    TABLE = auto()  # the line began with a bar
    MINUS = auto()
    UNIT = auto()  # a unit word stands right before


_NONE = Gap(0)
_SENTENCE = Gap.UNTIL | Gap.BETWEEN | Gap.START | Gap.END  # kept until the sentence ends
_ROW = _SENTENCE | Gap.TABLE
_FILLED = (
    _ROW | Gap.RANGE | Gap.FROM | Gap.LENGTH | Gap.FOR | Gap.CONFIDENCE | Gap.WHOLE | Gap.ANSWER
    | Gap.AFTER_NAME | Gap.FIRST | Gap.LAST
)  # fmt: skip
_WORD = Gap.PROSE | Gap.NEAR

# Section 3: (marks kept, marks set) by each kind of word.
WORD_EFFECTS: dict[WordKind, tuple[Gap, Gap]] = {
    WordKind.OTHER: (_ROW | Gap.CONFIDENCE, Gap.PROSE),
    WordKind.FILLER: (_FILLED, _WORD),
    WordKind.RANGE: (_ROW | Gap.CONFIDENCE | Gap.AFTER_NAME, _WORD | Gap.RANGE),
    WordKind.UNTIL: (_ROW | Gap.CONFIDENCE | Gap.AFTER_NAME, _WORD | Gap.UNTIL),
    WordKind.AND: (_ROW | Gap.CONFIDENCE, _WORD),
    WordKind.BETWEEN: (Gap.START | Gap.END | Gap.TABLE, _WORD | Gap.BETWEEN),
    WordKind.FROM: (Gap.START | Gap.END | Gap.TABLE, _WORD | Gap.FROM),
    WordKind.START: (_ROW & ~Gap.END | Gap.RANGE | Gap.CONFIDENCE, _WORD | Gap.START),
    WordKind.START_POINT: (_ROW & ~Gap.END | Gap.RANGE | Gap.CONFIDENCE, _WORD | Gap.START),
    WordKind.END: (_ROW | Gap.RANGE | Gap.CONFIDENCE, _WORD | Gap.END),
    WordKind.END_POINT: (_ROW | Gap.RANGE | Gap.CONFIDENCE, _WORD | Gap.END),
    WordKind.LENGTH: (_ROW & ~Gap.UNTIL, _WORD | Gap.LENGTH),
    WordKind.FOR: (_ROW | Gap.CONFIDENCE, _WORD | Gap.FOR),
    WordKind.NUMBERED: (_ROW | Gap.RANGE | Gap.CONFIDENCE | Gap.AFTER_NAME, Gap.PROSE | Gap.NAME),
    WordKind.NUMBERED_MANY: (
        _ROW | Gap.RANGE | Gap.CONFIDENCE | Gap.AFTER_NAME,
        Gap.PROSE | Gap.NAME | Gap.NAMES,
    ),
    WordKind.CONFIDENCE: (_ROW, Gap.PROSE | Gap.CONFIDENCE),
    WordKind.DATE: (_ROW | Gap.RANGE | Gap.CONFIDENCE, Gap.PROSE | Gap.DATE),
    WordKind.FIRST: (_ROW | Gap.CONFIDENCE, _WORD | Gap.FIRST),
    WordKind.LAST: (_ROW | Gap.CONFIDENCE, _WORD | Gap.LAST),
    WordKind.FINAL: (_ROW | Gap.CONFIDENCE, _WORD | Gap.LAST | Gap.FINAL),
    WordKind.WHOLE: (_FILLED, _WORD | Gap.WHOLE),
    WordKind.VIDEO: (_ROW | Gap.CONFIDENCE, Gap.PROSE),
    WordKind.ANSWER: (_ROW | Gap.CONFIDENCE, _WORD | Gap.ANSWER),
    WordKind.NOT_FINITE: (_NONE, _NONE),  # an item
    WordKind.ONWARD: (_ROW | Gap.CONFIDENCE, Gap.PROSE),
    WordKind.UNIT: (_FILLED, _WORD),
    WordKind.BETWEEN_BEHIND: (_ROW | Gap.CONFIDENCE, Gap.PROSE),
}

# The same for punctuation.
_COLON = (
    _ROW | Gap.RANGE | Gap.LENGTH | Gap.CONFIDENCE | Gap.LINE,
    Gap.NEAR,
)
_SEPARATOR = (_ROW | Gap.CLEAN | Gap.NEAR | Gap.PROSE, _NONE)
_BAR = (_ROW | Gap.CLEAN, Gap.NEAR)
_SLASH = (_ROW | Gap.NEAR | Gap.PROSE, _NONE)
_OPENING = (_ROW | Gap.RANGE | Gap.LENGTH | Gap.CONFIDENCE | Gap.NEAR | Gap.LINE, _NONE)
_CLOSING = (_ROW | Gap.RANGE | Gap.TOUCH | Gap.NEAR | Gap.PROSE | Gap.AFTER_NAME, _NONE)
_STOP = (Gap.PROSE | Gap.TABLE, Gap.NEAR)
_LINE_END = (
    _SENTENCE | Gap.RANGE | Gap.CLEAN | Gap.FROM | Gap.ANSWER,
    Gap.LINE | Gap.NEAR,
)
_RANGE_SIGN = (_ROW | Gap.CONFIDENCE | Gap.PROSE | Gap.AFTER_NAME, Gap.RANGE | Gap.NEAR)
_SIGN = (~(Gap.TOUCH | Gap.CLEAN | Gap.LINE), _NONE)
_AFTER_ITEM = (Gap.PROSE | Gap.TABLE | Gap.BETWEEN, Gap.TOUCH | Gap.CLEAN | Gap.NEAR)
_AFTER_VOID = (_ROW, Gap.PROSE | Gap.TOUCH)
_START_OF_TEXT = Gap.LINE | Gap.NEAR

_MARKUP = frozenset("*_`\"'“”‘’„«»‹›「」『』《》〈〉$^+@>\u200d")
_OPENERS = frozenset("([{（【［｛")
_CLOSERS = frozenset(")]}）】］｝")
_STOPS = frozenset("!?。！？")
_LIST_SEPARATORS = frozenset(",;，、；")
_BULLETS = frozenset("•·‣▪●◦")
_TAG_LIMIT = 64
_KEY_LIMIT = 48


class _Machine:
    """Reads one answer from left to right."""

    def __init__(self, text: str, duration: float | None) -> None:
        self.text = text
        known = duration is not None and math.isfinite(duration) and duration > 0
        self.duration = duration if known else None
        self.intervals: list[Interval] = []  # spans count characters here
        self.gap = _START_OF_TEXT
        self.last: Item | None = None  # the item that a range sign would join
        self.pending_start: Item | None = None
        self.pending_end: Item | None = None
        self.to_end_of: Item | None = None  # section 5.1, waiting for what follows
        self.to_end_until = 0
        self.weak: Item | None = None  # second item of the last list pair
        self.weak_kept = False  # that pair gave an interval
        self.weak_from_integer = False
        self.and_left: Item | None = None  # the item before an "and", for 之间
        self.item_end = -1
        self.range_word_end = -1
        self.leading_unit = 0.0
        self.depth = 0
        self.braces = 0
        self.skip_depth = 0  # braces of a value that is skipped, or 0
        self.cue = False
        self.in_answer_tag = False
        self.answer_tag_held_time = False
        self.closed = False
        self.whole_begin = 0
        self.whole: tuple[int, int] | None = None
        self.numbers = 0
        self.no_duration = self.not_finite = self.out_of_range = False

    def effect(self, effect: tuple[Gap, Gap]) -> None:
        self.gap = (self.gap & effect[0]) | effect[1]

    # ------------------------------------------------------------ section 7

    def keep(self, start: float, end: float, flags: Flag, begin: int, until: int) -> bool:
        """Turns two ends in seconds into an interval; false where none is kept."""
        self.apply_cue()
        if not (math.isfinite(start) and math.isfinite(end)):
            self.not_finite = True
            return False
        if end < start:
            start, end = end, start
            flags |= Flag.SWAPPED
        if self.duration is not None and start >= self.duration and end > self.duration:
            self.out_of_range = True
            return False
        if start < 0.0 and end <= 0.0:
            self.out_of_range = True
            return False
        if start < 0.0:
            start = 0.0
            flags |= Flag.CLAMPED_START
        if self.duration is not None and end > self.duration:
            end = self.duration
            flags |= Flag.CLAMPED_END
        if start == end:
            flags |= Flag.ZERO_LENGTH
        self.intervals.append(Interval(start + 0.0, end + 0.0, flags, (begin, until)))
        return True

    def keep_pair(self, first: Item, second: Item) -> bool:
        """Section 4.5, then 7. False where no interval is kept."""
        begin, until = min(first.begin, second.begin), max(first.end, second.end)
        self.pending_start = self.pending_end = self.last = None
        self.gap &= ~(Gap.START | Gap.END)
        if ItemKind.NOT_FINITE in (first.kind, second.kind):
            self.apply_cue()
            self.not_finite = True
            return False
        start, end = first.value, second.value
        flags = Flag(0)
        if ItemKind.PERCENT in (first.kind, second.kind):
            if self.duration is None:
                self.apply_cue()
                self.no_duration = True
                return False
            start, end = start / 100.0 * self.duration, end / 100.0 * self.duration
            flags |= Flag.FROM_PERCENT
        elif first.is_bare and second.unit != 0.0 and second.kind == ItemKind.NUMBER:
            if second.unit != 1.0 and start <= end / second.unit:
                start *= second.unit
        elif second.is_bare and first.unit > 1.0 and end < start:
            end *= first.unit
        if ItemKind.CLOCK in (first.kind, second.kind):
            flags |= Flag.FROM_CLOCK
        return self.keep(start, end, flags, begin, until)

    def can_pair(self, first: Item, second: Item) -> bool:
        """Percent pairs with percent or a bare number."""
        if ItemKind.NOT_FINITE in (first.kind, second.kind):
            return True
        if first.kind == ItemKind.PERCENT:
            return second.kind == ItemKind.PERCENT or second.is_bare
        return second.kind != ItemKind.PERCENT or first.is_bare

    def apply_cue(self) -> None:
        """Section 1.2: the first time behind a cue discards what stood before it."""
        if self.cue:
            self.cue = False
            self.intervals.clear()
            self.last = self.pending_start = self.pending_end = self.weak = self.and_left = None
            self.numbers = 0
            self.no_duration = self.not_finite = self.out_of_range = False
        if self.in_answer_tag:
            self.answer_tag_held_time = True

    def set_cue(self) -> None:
        self.resolve_end()
        self.cue = True
        self.closed = False

    # ------------------------------------------------------------ section 5

    def resolve_end(self) -> None:
        """Section 5.1: nothing took the end's place, so it is the video's."""
        first = self.to_end_of
        if first is None:
            return
        self.to_end_of = None
        self.pending_start = self.pending_end = self.last = None
        if first.kind == ItemKind.NOT_FINITE:
            self.not_finite = True
        elif self.duration is None:
            self.no_duration = True
        else:
            flags = Flag.TO_END
            start = first.value
            if first.kind == ItemKind.PERCENT:
                start = start / 100.0 * self.duration
                flags |= Flag.FROM_PERCENT
            if first.kind == ItemKind.CLOCK:
                flags |= Flag.FROM_CLOCK
            if start > self.duration:
                self.out_of_range = True
            else:
                self.keep(start, self.duration, flags, first.begin, self.to_end_until)

    def keep_edge(self, item: Item, last: bool) -> None:
        """Section 5.3."""
        self.last = None
        if item.kind == ItemKind.NOT_FINITE:
            self.apply_cue()
            self.not_finite = True
            return
        length = item.value
        flags = Flag(0)
        if item.kind == ItemKind.PERCENT or last:
            if self.duration is None:
                self.apply_cue()
                self.no_duration = True
                return
            if item.kind == ItemKind.PERCENT:
                length = length / 100.0 * self.duration
                flags |= Flag.FROM_PERCENT
        if last:
            assert self.duration is not None
            start, end = self.duration - length, self.duration
            flags |= Flag.TO_END
        else:
            start, end = 0.0, length
        self.keep(start, end, flags, item.begin, item.end)

    # ------------------------------------------------------------ section 4

    def accept(self, item: Item) -> None:
        """Places one item that is a time."""
        gap = self.gap
        joined = bool(gap & (Gap.RANGE | Gap.UNTIL))
        if self.to_end_of is not None:
            if gap & Gap.NEAR and gap & Gap.END:
                self.last, self.to_end_of = self.to_end_of, None  # "to the end at 9"
                joined = True
            else:
                self.resolve_end()
        edge = gap & (Gap.FIRST | Gap.LAST) and (item.unit != 0.0 or item.kind == ItemKind.PERCENT)
        length = gap & Gap.LENGTH and gap & Gap.NEAR or gap & Gap.FOR and item.unit != 0.0
        if length and not joined and item.kind != ItemKind.CLOCK:
            if self.pending_start is not None and self.can_add(self.pending_start, item):
                self.add_length(self.pending_start, item)
                self.effect(_AFTER_ITEM)
            else:
                self.effect(_AFTER_VOID)
            return
        self.apply_cue()
        if not item.beyond_duration:
            self.numbers += 1
        if item.kind == ItemKind.NOT_FINITE:
            self.not_finite = True
        weak, self.weak = self.weak, None
        first = self.last
        if first is None and joined:
            if gap & Gap.UNTIL:
                first = self.pending_start
            elif weak is not None and gap & Gap.RANGE:
                first = weak
                if self.weak_kept:
                    self.intervals.pop()
        if joined and first is not None and self.can_pair(first, item):
            self.pair_or_drop(first, item)
        elif edge and item.kind != ItemKind.CLOCK and not joined:
            self.keep_edge(item, bool(gap & Gap.LAST))
        elif gap & Gap.START and gap & Gap.NEAR:
            end = self.pending_end
            if end is not None and end.value > item.value and self.can_pair(item, end):
                self.pair_or_drop(item, end)
            else:
                self.pending_start = self.last = item
            self.effect((Gap.PROSE | Gap.TABLE | Gap.BETWEEN | Gap.END, _AFTER_ITEM[1]))
            return
        elif gap & Gap.END and gap & Gap.NEAR:
            if self.pending_start is not None and self.can_pair(self.pending_start, item):
                self.pair_or_drop(self.pending_start, item)
            else:
                self.pending_end = self.last = item
        elif gap & Gap.CLEAN and (self.depth > 0 or not gap & Gap.PROSE):
            if first is not None and self.can_pair_weakly(first, item):
                self.weak_from_integer = first.plain_digits > 0 and first.unit == 0.0
                kept = len(self.intervals)
                self.pair_or_drop(first, item)
                self.weak, self.weak_kept = item, len(self.intervals) > kept
            elif weak is not None and gap & Gap.TABLE and self.weak_from_integer:
                if self.weak_kept:
                    self.intervals.pop()
                self.pair_or_drop(weak, item)
            else:
                self.last = item
        else:
            self.last = item
        self.effect(_AFTER_ITEM)

    def can_pair_weakly(self, first: Item, second: Item) -> bool:
        if ItemKind.NOT_FINITE in (first.kind, second.kind):
            return True
        return (first.kind == ItemKind.PERCENT) == (second.kind == ItemKind.PERCENT)

    def pair_or_drop(self, first: Item, second: Item) -> None:
        """Section 2.7: of four-digit numbers beyond the video, both are none."""
        if first.beyond_duration and second.beyond_duration:
            self.last = self.pending_start = self.pending_end = None
        elif first.beyond_duration and second.value < first.value:
            self.pending_start = self.pending_end = None
            self.last = second
        else:
            self.keep_pair(first, second)

    def can_add(self, start: Item, length: Item) -> bool:
        return (
            start.kind in (ItemKind.NUMBER, ItemKind.CLOCK) and length.kind == ItemKind.NUMBER
        )

    def add_length(self, start: Item, length: Item) -> None:
        """Section 4.3."""
        end = Item(start.kind, length.begin, length.end, start.value + length.value, 1.0)
        first = Item(start.kind, start.begin, start.end, start.value, 1.0)
        self.apply_cue()
        if math.isfinite(end.value):
            self.keep_pair(first, end)
        else:
            self.pending_start = self.last = None
            self.not_finite = True

    def reject(self, item: Item, named: bool, names: bool) -> None:
        """Places one item that is no time."""
        last = self.last
        if self.to_end_of is not None:
            self.resolve_end()
        elif item.ends_range and self.gap & Gap.RANGE and last is not None:
            if last.is_bare or last.kind == ItemKind.CLOCK:
                if not last.beyond_duration:
                    self.numbers -= 1
                self.last = None
                if self.pending_start is last:
                    self.pending_start = None
                if self.pending_end is last:
                    self.pending_end = None
        self.weak = None
        joined = self.gap & Gap.RANGE if named and not item.ends_range else _NONE
        self.effect(_AFTER_VOID)
        self.gap |= joined  # "4 s to frame 240 (8 s)"
        if names:
            self.gap |= Gap.AFTER_NAME

    # ------------------------------------------------------------ tokens

    def read_number(self, index: int) -> int:
        """An item begins at ``index``; returns where the text goes on."""
        text, gap = self.text, self.gap
        before = char_at(text, index - 1)
        glued = bool(before) and (is_letter(before) or before == "_")
        if self.range_word_end == index:
            glued = False  # "5to9"
        name = glued or before == "#"
        minus = gap & Gap.MINUS != 0
        item = read_item(
            text,
            index,
            negative=minus,
            name=name,
            comma_separates=self.depth > 0 and not gap & Gap.RANGE,
            leading_unit=self.leading_unit if gap & Gap.UNIT else 0.0,
        )
        end = item.end
        self.item_end = end
        if self.closed or self.skip_depth:
            return end
        if minus:
            if item.kind == ItemKind.CLOCK:
                self.effect(_RANGE_SIGN)
                gap = self.gap
            else:
                item.begin -= 1
            self.gap &= ~Gap.MINUS
        item.starts_line = bool(gap & Gap.LINE)
        bare_or_percent = item.is_bare or item.kind == ItemKind.PERCENT
        if gap & Gap.NAME and item.unit == 0.0 and item.kind != ItemKind.PERCENT:
            name = True  # but "scene 0:12 - 0:20", "frames 5 s to 9 s"
        if gap & Gap.DATE and item.is_bare:
            name = True
        if gap & Gap.CONFIDENCE and bare_or_percent:
            name = True
        if gap & Gap.AFTER_NAME and gap & Gap.RANGE and item.is_bare and item.plain_digits:
            name = True
        four_digits = item.is_bare and item.plain_digits == 4
        if four_digits and self.duration is not None and item.value > self.duration:
            item.beyond_duration = True
        if item.kind == ItemKind.VOID or name:
            self.reject(item, named=bool(gap & Gap.NAME), names=bool(gap & Gap.NAMES))
        else:
            self.accept(item)
        return end

    def read_word(self, word: str, kind: WordKind, begin: int, end: int) -> None:
        """Section 3, with the few words that do more than set marks."""
        gap = self.gap
        if kind == WordKind.NOT_FINITE:
            self.accept(Item(ItemKind.NOT_FINITE, begin, end))
            return
        if kind in (WordKind.RANGE, WordKind.UNTIL):
            self.range_word_end = end
        elif kind in (WordKind.FROM, WordKind.BETWEEN):
            self.resolve_end()
            self.last = None
            self.weak = None
        elif kind == WordKind.AND:
            if gap & Gap.BETWEEN and self.last is not None:
                self.effect((_ROW & ~Gap.BETWEEN | Gap.CONFIDENCE, _WORD | Gap.RANGE))
                self.range_word_end = end
                return
            self.resolve_end()
            self.and_left = self.last if gap & Gap.TOUCH else None
        elif kind == WordKind.BETWEEN_BEHIND:
            first, second = self.and_left, self.last
            if gap & Gap.TOUCH and first is not None and second is not None:
                if first is not second and self.can_pair(first, second):
                    self.pair_or_drop(first, second)
            self.and_left = None
        elif kind == WordKind.START_POINT:
            if gap & Gap.FROM:
                self.resolve_end()
                self.last = Item(ItemKind.NUMBER, begin, end, 0.0, 1.0, virtual=True)
        elif kind == WordKind.END_POINT:
            first = self.last if self.last is not None else self.pending_start
            if gap & (Gap.RANGE | Gap.UNTIL) and first is not None and self.to_end_of is None:
                self.to_end_of, self.to_end_until = first, end
        elif kind == WordKind.ONWARD:
            if gap & Gap.TOUCH and self.last is not None and self.to_end_of is None:
                self.to_end_of, self.to_end_until = self.last, end
        elif kind == WordKind.WHOLE:
            if not gap & Gap.WHOLE:
                self.whole_begin = begin
            if not word:  # 整个视频 is both words at once
                self.whole = (begin, end)
        elif kind == WordKind.VIDEO:
            if gap & Gap.WHOLE:
                self.whole = (self.whole_begin, end)
        elif kind == WordKind.ANSWER:
            if (gap & Gap.FINAL or not word) and not self.braces:
                self.set_cue()
        elif kind == WordKind.FILLER:
            if word == "is" and gap & Gap.ANSWER and not self.braces:
                self.set_cue()
        self.effect(WORD_EFFECTS[kind])
        if word in LEADING_UNITS:
            self.gap |= Gap.UNIT
            self.leading_unit = UNIT_SECONDS[word]

    def read_colon(self, index: int) -> None:
        """Section 6 inside braces, else a label."""
        if self.braces:
            key = self.key_before(index)
            if key is not None:
                self.resolve_end()
                self.last = None
                self.weak = None
                self.skip_depth = 0
                self.gap = Gap.NEAR
                if key == KeyKind.START:
                    self.gap |= Gap.START
                elif key == KeyKind.END:
                    self.gap |= Gap.END
                elif key == KeyKind.LENGTH:
                    self.gap |= Gap.LENGTH
                elif key != KeyKind.TIME:
                    self.skip_depth = self.braces
                return
        if self.closed or self.skip_depth:
            return
        if self.gap & Gap.ANSWER and not self.braces:
            self.set_cue()
        self.effect(_COLON)

    def key_before(self, colon: int) -> KeyKind | None:
        """What the key before a colon says, or None where no key stands there."""
        text = self.text
        end = colon
        while end > 0 and text[end - 1] in " \t":
            end -= 1
        quoted = end > 0 and text[end - 1] in "\"'`"
        if quoted:
            end -= 1
            if end > 0 and text[end - 1] == "\\":
                end -= 1
        begin = end
        while begin > 0 and end - begin <= _KEY_LIMIT:
            char = text[begin - 1]
            word_char = char.isascii() and char.isalnum() or char in "_-"
            if not (word_char or quoted and char == " "):
                break
            begin -= 1
        if begin == end or end - begin > _KEY_LIMIT:
            return None
        if not quoted:
            before = begin
            while before > 0 and text[before - 1] in " \t\r\n":
                before -= 1
            if before > 0 and text[before - 1] not in "{," and "\n" not in text[before:begin]:
                return None
        elif begin == 0 or text[begin - 1] not in "\"'`":
            return None
        best = KeyKind.NONE
        index = begin
        while index < end:
            word, word_end = word_at(text, index)
            if word:
                best = max(best, KEY_KINDS.get(word, KeyKind.NONE))
            index = max(word_end, index + 1)
        return best

    def stop(self) -> None:
        """A sentence or bullet ends what is open, except a pending start or end."""
        if self.to_end_of is not None:
            self.resolve_end()
        self.last = None
        self.weak = None
        self.and_left = None
        self.effect(_STOP)

    def forget_list_number(self, index: int) -> bool:
        """Section 2.10: whether ``1.`` or ``1)`` before ``index`` numbers the line's text."""
        item = self.last
        if item is None or not item.starts_line or item.plain_digits == 0:
            return False
        after = skip_spaces(self.text, index)
        if after == index or after == len(self.text) or self.text[after] in "\r\n":
            return False
        if not item.beyond_duration:
            self.numbers -= 1
        self.last = None
        if self.pending_start is item:
            self.pending_start = None
        if self.pending_end is item:
            self.pending_end = None
        return True

    def read_point(self, index: int) -> None:
        """A full stop; the point of "5. - 9." and "12 sec. to" belongs to the number."""
        text = self.text
        if self.item_end == index:
            after = skip_spaces(text, index + 1)
            char = char_at(text, after)
            word, _ = word_at(text, after)
            if char and (char in DASHES or char in TILDES or char in ARROWS or char in ",%)]}"):
                return
            if word and word_kind(word) in (WordKind.RANGE, WordKind.UNTIL, WordKind.AND):
                return
            if self.gap & Gap.TOUCH:
                self.forget_list_number(index + 1)
        elif index > 0 and is_letter(text[index - 1]) and self.gap & Gap.NEAR:
            if not self.gap & (Gap.START | Gap.END):
                return  # "approx. 5", "ca. 5"
        elif index > 0 and is_letter(text[index - 1]) and is_letter(char_at(text, index + 1)):
            return  # "e.g", "file.mp"
        self.stop()

    def read_dash(self, index: int) -> int:
        """Section 4.1, signs and bullets; returns where the text goes on."""
        text = self.text
        hyphen = text[index] in "-\u2212"
        end = index + 1
        if hyphen:
            while char_at(text, end) == text[index]:
                end += 1
        after = char_at(text, end)
        if after == ">":
            self.effect(_RANGE_SIGN)
            return end + 1
        if end - index >= 3:
            self.stop()
            return end
        single = end - index == 1
        if single and self.gap & Gap.LINE and (after in SPACES and after):
            self.stop()
            return end
        number = is_digit(after) or (after == "." and is_digit(char_at(text, end + 1)))
        if single and hyphen and number and not self.gap & Gap.TOUCH:
            if index > 0 and (is_letter(text[index - 1]) or text[index - 1] == "_"):
                self.effect(_SIGN)
                self.gap |= Gap.NAME
                return end
            self.effect((_SIGN[0], Gap.MINUS))
            return end
        self.effect(_RANGE_SIGN)
        return end

    def read_tag(self, index: int) -> int:
        """Section 1.3; returns the index behind the tag, or ``index`` where none begins."""
        text = self.text
        name_begin = index + 1
        closing = char_at(text, name_begin) == "/"
        if closing:
            name_begin += 1
        first = char_at(text, name_begin)
        if not first or not (first == "|" or first.isascii() and first.isalpha()):
            return index
        end = name_begin
        while True:
            char = char_at(text, end)
            if char in ("", "<", "\n") or end - index > _TAG_LIMIT:
                return index
            if char == ">":
                break
            end += 1
        name = text[name_begin:end].lower()
        if name == "answer":
            if closing:
                if self.in_answer_tag and self.answer_tag_held_time:
                    self.resolve_end()
                    self.closed = True
                self.in_answer_tag = False
            else:
                self.set_cue()
                self.in_answer_tag, self.answer_tag_held_time = True, False
                self.gap = Gap.NEAR | Gap.LINE
        elif not (self.closed or self.skip_depth or closing):
            if name in ("start", "start_time", "begin"):
                self.resolve_end()
                self.effect(WORD_EFFECTS[WordKind.START])
            elif name in ("end", "end_time"):
                self.effect(WORD_EFFECTS[WordKind.END])
        return end + 1

    def cjk_word_at(self, index: int) -> tuple[WordKind, int]:
        for word, kind in CJK_WORDS:
            if self.text.startswith(word, index):
                return kind, index + len(word)
        return WordKind.OTHER, index + 1

    def step(self, index: int) -> int:
        """Reads the token at ``index`` and returns the index behind it."""
        text = self.text
        char = text[index]
        silent = self.closed or self.skip_depth > 0
        point = char == "." and is_digit(char_at(text, index + 1))
        if is_digit(char) or (point and not self.item_end == index):
            return self.read_number(index)
        if char == "<":
            return max(self.read_tag(index), index + 1)
        if char in _OPENERS:
            self.depth += 1
            self.braces += char == "{"
            if not silent:
                self.effect(_OPENING)
            return index + 1
        if char in _CLOSERS:
            self.depth = max(0, self.depth - 1)
            if char == "}" and self.braces:
                self.braces -= 1
                if self.braces < self.skip_depth:
                    self.skip_depth = 0
                    self.gap = Gap.NEAR
            if not silent:
                self.close_bracket(char, index)
            return index + 1
        if char in (":", "\uff1a"):
            self.read_colon(index)
            return index + 1
        if is_letter(char):
            word, end = word_at(text, index)
            if not silent:
                self.read_word(word, word_kind(word), index, end)
            return end
        if silent:
            return index + 1
        return self.read_mark(char, index)

    def close_bracket(self, char: str, index: int) -> None:
        if char == ")" and self.item_end == index and self.gap & Gap.TOUCH:
            self.forget_list_number(index + 1)
        if self.to_end_of is not None:
            self.resolve_end()
        self.effect(_CLOSING)

    def read_mark(self, char: str, index: int) -> int:
        """Punctuation and letters of other scripts."""
        text = self.text
        following = char_at(text, index + 1)
        if char in SPACES:
            return index + 1
        if char in "\r\n":
            if self.gap & Gap.TABLE:
                self.last = None
                self.weak = None
            self.effect(_LINE_END)
            return index + 1
        if char == "*" and self.gap & Gap.LINE and following and following in SPACES:
            self.stop()
        elif char in _BULLETS:
            self.stop()
        elif char in _MARKUP or char == "*":
            pass
        elif char == "\\":
            if following == "n" and not "a" <= char_at(text, index + 2) <= "z":
                self.effect(_LINE_END)
                return index + 2
        elif char == "#":
            pass  # the number behind it looks back
        elif char == ".":
            self.read_point(index)
        elif char in _STOPS:
            self.stop()
        elif char in _LIST_SEPARATORS:
            self.resolve_end()
            self.effect(_SEPARATOR)
        elif char == "|":
            table = self.gap & (Gap.LINE | Gap.TABLE)
            self.effect(_BAR)
            if table:
                self.gap |= Gap.TABLE
        elif char == "/":
            self.effect(_SLASH)
        elif char == "&":
            self.read_word("&", WordKind.AND, index, index + 1)
        elif char == "=":
            if following == ">":
                self.effect(_RANGE_SIGN)
                return index + 2
            self.effect(_COLON)
        elif char in DASHES:
            return self.read_dash(index)
        elif char in TILDES:
            if self.gap & Gap.TOUCH:
                self.effect(_RANGE_SIGN)
        elif char in ARROWS:
            self.effect(_RANGE_SIGN)
        elif char.isascii():
            self.effect(WORD_EFFECTS[WordKind.OTHER])
        else:
            kind, end = self.cjk_word_at(index)
            self.read_word("", kind, index, end)
            return end
        return index + 1

    def run(self) -> Status:
        index = 0
        while index < len(self.text):
            index = self.step(index)
        if not self.closed:
            self.resolve_end()
        if not self.intervals and self.whole is not None and self.numbers == 0:
            begin, until = self.whole
            if self.duration is None:
                self.no_duration = True
            else:
                self.keep(0.0, self.duration, Flag.TO_END, begin, until)
        if self.intervals:
            return Status.OK
        if self.no_duration:
            return Status.NO_DURATION
        if self.not_finite:
            return Status.NOT_FINITE
        if self.out_of_range:
            return Status.OUT_OF_RANGE
        return Status.ONE_NUMBER if self.numbers > 0 else Status.NO_NUMBER


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
    machine = _Machine(answer, duration)
    status = machine.run()
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
        for interval in machine.intervals
    ]
    return Parsed(intervals, status)
