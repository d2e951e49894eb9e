"""From items to intervals: sections 1.2, 4, 5 and 7 of the timestamp grammar."""

from __future__ import annotations

import math
from typing import NamedTuple

from tests.reference.timestamp_gap import AFTER_ITEM, AFTER_VOID, START_OF_TEXT, STOP, Gap
from tests.reference.timestamp_items import Item, ItemKind

from fastvbench.core._status import Flag

__all__ = ["Interval", "Pairs"]


class Interval(NamedTuple):
    """One interval in seconds, what was done to it, and the bytes that it was read from."""

    start: float
    end: float
    flags: Flag
    span: tuple[int, int]


class Pairs:
    """What has been read of one answer, and where the next item goes."""

    def __init__(self, text: str, duration: float | None) -> None:
        self.text = text
        known = duration is not None and math.isfinite(duration) and duration > 0
        self.duration = duration if known else None
        self.intervals: list[Interval] = []  # spans count characters here
        self.gap = START_OF_TEXT
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
        length = (gap & Gap.LENGTH and gap & Gap.NEAR) or (gap & Gap.FOR and item.unit != 0.0)
        if length and not joined and item.kind != ItemKind.CLOCK:
            if self.pending_start is not None and self.can_add(self.pending_start, item):
                self.add_length(self.pending_start, item)
                self.effect(AFTER_ITEM)
            else:
                self.effect(AFTER_VOID)
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
            self.effect((Gap.PROSE | Gap.TABLE | Gap.BETWEEN | Gap.END, AFTER_ITEM[1]))
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
        self.effect(AFTER_ITEM)

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
        return start.kind in (ItemKind.NUMBER, ItemKind.CLOCK) and length.kind == ItemKind.NUMBER

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

    def forget_item(self, item: Item) -> None:
        """Takes back the last item: it was no time after all."""
        if not item.beyond_duration:
            self.numbers -= 1
        self.last = None
        if self.pending_start is item:
            self.pending_start = None
        if self.pending_end is item:
            self.pending_end = None

    def reject(self, item: Item, named: bool, names: bool) -> None:
        """Places one item that is no time."""
        last = self.last
        if self.to_end_of is not None:
            self.resolve_end()
        elif (
            item.ends_range
            and self.gap & Gap.RANGE
            and last is not None
            and (last.is_bare or last.kind == ItemKind.CLOCK)
        ):
            self.forget_item(last)
        self.weak = None
        joined = self.gap & Gap.RANGE if named and not item.ends_range else Gap(0)
        self.effect(AFTER_VOID)
        self.gap |= joined  # "4 s to frame 240 (8 s)"
        if names:
            self.gap |= Gap.AFTER_NAME

    def stop(self) -> None:
        """A sentence or bullet ends what is open, except a pending start or end."""
        if self.to_end_of is not None:
            self.resolve_end()
        self.last = None
        self.weak = None
        self.and_left = None
        self.effect(STOP)
