"""Numbers with their units: the items of the timestamp grammar (its section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from tests.reference.timestamp_words import (
    CONFIDENT,
    COUNTED,
    NUMBER_ENDINGS,
    PERCENT_WORDS,
    UNIT_SECONDS,
    WordKind,
    word_kind,
)

__all__ = [
    "ARROWS",
    "DASHES",
    "SPACES",
    "TILDES",
    "Item",
    "ItemKind",
    "digit_value",
    "is_letter",
    "range_sign_follows",
    "read_item",
    "skip_spaces",
    "word_at",
]

SPACES = frozenset(
    " \t\v\f\u00a0\u3000\ufeff\ufe0f" + "".join(chr(code) for code in range(0x2000, 0x2010))
)
DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d")
TILDES = frozenset("~\u223c\u301c\uff5e")
ARROWS = frozenset("\u2192\u21d2\u27a1\u2794\u279c\u27f6")

# Longest first. The units beyond ASCII of section 2.5.
_CJK_UNITS: tuple[tuple[str, float], ...] = (
    ("毫秒", 0.001),
    ("秒钟", 1.0),
    ("秒鐘", 1.0),
    ("秒間", 1.0),
    ("秒", 1.0),
    ("초", 1.0),
    ("″", 1.0),
    ("分钟", 60.0),
    ("分鐘", 60.0),
    ("分間", 60.0),
    ("分", 60.0),
    ("분", 60.0),
    ("′", 60.0),
    ("小时", 3600.0),
    ("小時", 3600.0),
    ("時間", 3600.0),
    ("时", 3600.0),
    ("時", 3600.0),
    ("시간", 3600.0),
)
_CJK_COUNTERS = frozenset("年月日号號个個次人帧幀回名場场步章集話话歳岁度倍位只条名届명번개")


class ItemKind(IntEnum):
    """What a run of digits turned out to be."""

    NUMBER = 0
    CLOCK = 1
    PERCENT = 2
    NOT_FINITE = 3
    VOID = 4  # no time


@dataclass
class Item:
    """One number with what belongs to it; ``begin`` and ``end`` count characters."""

    kind: ItemKind
    begin: int
    end: int
    value: float = 0.0  # seconds; for PERCENT the percentage
    unit: float = 0.0  # largest unit in seconds; 0 for a bare number
    plain_digits: int = 0  # digits of a bare, unsigned integer written without separators, else 0
    starts_line: bool = False
    beyond_duration: bool = False
    virtual: bool = False  # "the beginning": a time without digits
    ends_range: bool = False  # VOID only: a bare left partner of a range is void too

    @property
    def is_bare(self) -> bool:
        return self.kind == ItemKind.NUMBER and self.unit == 0.0


# ---------------------------------------------------------------- characters


def char_at(text: str, index: int) -> str:
    """The character, or an empty string outside the text."""
    return text[index] if 0 <= index < len(text) else ""


def digit_value(char: str) -> int | None:
    """Value of an ASCII or full-width digit."""
    if "0" <= char <= "9":
        return ord(char) - ord("0")
    if "\uff10" <= char <= "\uff19":
        return ord(char) - 0xFF10
    return None


def is_digit(char: str) -> bool:
    return char != "" and digit_value(char) is not None


def is_ascii_letter(char: str) -> bool:
    return "a" <= char <= "z" or "A" <= char <= "Z"


def is_letter(char: str) -> bool:
    return is_ascii_letter(char) or "\u00c0" <= char <= "\u024f"


def skip_spaces(text: str, index: int) -> int:
    while char_at(text, index) in SPACES and index < len(text):
        index += 1
    return index


def skip_to_unit(text: str, index: int) -> int:
    """Over spaces and bold or code marks: ``**12.5** s``."""
    while index < len(text) and (text[index] in SPACES or text[index] in "*`"):
        index += 1
    return index


def word_at(text: str, index: int) -> tuple[str, int]:
    """The word that begins at ``index``, ASCII lowered, and its end; else an empty string."""
    end = index
    while end < len(text) and is_letter(text[end]):
        end += 1
    word = text[index:end]
    if word in ("à", "À"):
        return "to", end
    if not word.isascii() or len(word) > 16:
        return "?" if word else "", end
    return word.lower(), end


def digits_at(text: str, index: int) -> tuple[str, int]:
    """The run of digits that begins at ``index``, as ASCII, and its end."""
    end = index
    while is_digit(char_at(text, end)):
        end += 1
    return "".join(str(digit_value(char)) for char in text[index:end]), end


# ---------------------------------------------------------------- units


def unit_at(text: str, index: int) -> tuple[float, int]:
    """Unit that begins exactly at ``index`` in seconds, and its end; 0 where there is none."""
    word, end = word_at(text, index)
    if word:
        return UNIT_SECONDS.get(word, 0.0), end
    for unit, seconds in _CJK_UNITS:
        if text.startswith(unit, index):
            return seconds, index + len(unit)
    return 0.0, index


def _in_seconds(number: float, unit: float) -> float:
    """Milliseconds are divided, so that 12345 ms is the double nearest to 12.345."""
    return number / 1000.0 if unit == 0.001 else number * unit


# ---------------------------------------------------------------- numbers


def range_sign_follows(text: str, index: int) -> bool:
    """Whether a dash, tilde, arrow or "to" stands behind ``index``."""
    index = skip_spaces(text, index)
    char = char_at(text, index)
    if char and (char in DASHES or char in TILDES or char in ARROWS):
        return True
    word, _ = word_at(text, index)
    return bool(word) and word_kind(word) == WordKind.RANGE


@dataclass
class _Decimal:
    text: str  # as float() reads it
    end: int
    plain_digits: int
    void: bool = False


def _read_fraction_and_exponent(text: str, end: int, written: str) -> tuple[str, int, bool]:
    """Section 2.1: ``.5``, ``5.`` and ``e-3``; ``1.5.2`` and ``5..6`` are no numbers."""
    void = False
    if char_at(text, end) in (".", "\uff0e") and end < len(text):
        if is_digit(char_at(text, end + 1)):
            digits, end = digits_at(text, end + 1)
            written += "." + digits
        elif char_at(text, end) == "." and unit_at(text, end + 1)[0] != 0.0:
            end += 1  # "5.s"
    while char_at(text, end) == ".":  # a further point with digits behind it
        after = end
        while char_at(text, after) == ".":
            after += 1
        if not is_digit(char_at(text, after)):
            break
        _, end = digits_at(text, after)
        void = True
    if char_at(text, end) in ("e", "E") and end < len(text):
        sign_end = end + 1
        sign = ""
        if char_at(text, sign_end) in ("+", "-") and sign_end < len(text):
            sign = text[sign_end]
            sign_end += 1
        exponent, exponent_end = digits_at(text, sign_end)
        if exponent and not is_letter(char_at(text, exponent_end)):
            written += "e" + sign + exponent
            end = exponent_end
    return written, end, void


def _read_decimal(text: str, begin: int, comma_separates: bool) -> _Decimal:
    """Sections 2.1 and 2.2: digits, thousands, fraction, exponent."""
    whole, end = digits_at(text, begin)
    if not whole:  # ".5"
        written, end, void = _read_fraction_and_exponent(text, begin, "0")
        return _Decimal(written, end, 0, void)
    if char_at(text, end) == "," and is_digit(char_at(text, end + 1)):
        group, group_end = digits_at(text, end + 1)
        after = char_at(text, group_end)
        more = is_digit(char_at(text, group_end + 1))
        if comma_separates and not range_sign_follows(text, group_end):
            return _Decimal(whole, end, len(whole))
        if after in (":", "\uff1a") and after and more:  # the next is a clock
            return _Decimal(whole, end, len(whole))
        if len(group) == 3 and len(whole) <= 3 and whole[0] != "0":
            whole += group
            end = group_end
            while char_at(text, end) == ",":
                group, group_end = digits_at(text, end + 1)
                if len(group) != 3:
                    break
                whole += group
                end = group_end
            written, end, void = _read_fraction_and_exponent(text, end, whole)
            return _Decimal(written, end, 0, void)
        list_before = char_at(text, begin - 1) == "," and is_digit(char_at(text, begin - 2))
        if list_before or (after in (".", ",", "\uff0e") and more):
            return _Decimal(whole, end, len(whole))
        written, end, void = _read_fraction_and_exponent(text, group_end, whole + "." + group)
        return _Decimal(written, end, 0, void)
    written, end_of_all, void = _read_fraction_and_exponent(text, end, whole)
    return _Decimal(written, end_of_all, len(whole) if end_of_all == end else 0, void)


def _read_clock(text: str, begin: int) -> Item | None:
    """Section 2.3, or None where the digits aren't followed by a colon and a digit."""
    fields: list[str] = []
    digits, end = digits_at(text, begin)
    fields.append(digits)
    while char_at(text, end) in (":", "\uff1a") and is_digit(char_at(text, end + 1)):
        digits, end = digits_at(text, end + 1)
        fields.append(digits)
    if len(fields) == 1:
        return None
    fraction = ""
    if char_at(text, end) in (".", ",", "\uff0e") and is_digit(char_at(text, end + 1)):
        digits, fraction_end = digits_at(text, end + 1)
        comma = char_at(text, end) == ","
        next_clock = char_at(text, fraction_end) in (":", "\uff1a") and is_digit(
            char_at(text, fraction_end + 1)
        )
        if not (comma and next_clock):
            fraction, end = digits, fraction_end
    void = len(fields) > 3 or any(len(field) != 2 or int(field) > 59 for field in fields[1:])
    while char_at(text, end) == "." and is_digit(char_at(text, end + 1)):
        _, end = digits_at(text, end + 1)
        void = True
    if void:
        return Item(ItemKind.VOID, begin, end)
    seconds = float(fields[-1] + "." + fraction) if fraction else float(fields[-1])
    if len(fields) == 2:
        value = float(fields[0]) * 60.0 + seconds
    else:
        value = float(fields[0]) * 3600.0 + (float(fields[1]) * 60.0 + seconds)
    kind = ItemKind.CLOCK if math.isfinite(value) else ItemKind.NOT_FINITE
    return Item(kind, begin, end, value, 1.0)


def _read_date_or_fraction(text: str, begin: int) -> int:
    """Section 2.7: end of ``2023-05-12``, ``05-12-2023`` or ``5/10``, or ``begin``."""
    digits, end = digits_at(text, begin)
    if char_at(text, end) == "/" and is_digit(char_at(text, end + 1)):
        while char_at(text, end) == "/" and is_digit(char_at(text, end + 1)):
            _, end = digits_at(text, end + 1)
        return end
    if char_at(text, end) == "-" and len(digits) in (1, 2, 4):
        middle, middle_end = digits_at(text, end + 1)
        if len(middle) in (1, 2) and char_at(text, middle_end) == "-":
            last, last_end = digits_at(text, middle_end + 1)
            lengths = (len(digits), len(last))
            if lengths in ((4, 1), (4, 2), (1, 4), (2, 4)):
                return last_end
    return begin


def _skip_name(text: str, index: int) -> int:
    """To the end of the letters, digits and underscores of a name such as ``S01E02``."""
    while index < len(text) and (
        is_letter(text[index]) or text[index] == "_" or is_digit(text[index])
    ):
        index += 1
    return index


# ---------------------------------------------------------------- items


def _is_day_half(text: str, index: int) -> bool:
    """Section 2.4: am, pm, a.m., o'clock."""
    word, end = word_at(text, index)
    if word in ("am", "pm", "oclock"):
        return True
    if word in ("a", "p") and char_at(text, end) == ".":
        return word_at(text, end + 1)[0] == "m"
    return word == "o" and char_at(text, end) in ("'", "’") and word_at(text, end + 1)[0] == "clock"


def _add_smaller_units(text: str, item: Item, unit: float) -> None:
    """Section 2.6: 1 h 2 min 3 s, 1 minute and 12 seconds, 2m30."""
    while unit > 0.001:
        index = item.end
        if is_digit(char_at(text, index)) and unit >= 60.0:  # "1h05" without a second unit
            digits, end = digits_at(text, index)
            alone = not (
                is_letter(char_at(text, end))
                or char_at(text, end) in (".", ",", ":", "_")
                or unit_at(text, end)[0] != 0.0
            )
            if end == len(text):
                alone = True
            if alone and len(digits) == 2 and int(digits) < 60:
                item.value += _in_seconds(float(digits), unit / 60.0)
                item.end = end
                return
        index = skip_to_unit(text, index)
        if char_at(text, index) == ",":
            index = skip_to_unit(text, index + 1)
        word, end = word_at(text, index)
        if word and word_kind(word) == WordKind.AND:
            index = skip_to_unit(text, end)
        if not is_digit(char_at(text, index)):
            return
        digits, end = digits_at(text, index)
        if char_at(text, end) == "." and is_digit(char_at(text, end + 1)):
            fraction, end = digits_at(text, end + 1)
            digits += "." + fraction
        smaller, unit_end = unit_at(text, skip_to_unit(text, end))
        number = float(digits)
        if smaller == 0.0 or smaller >= unit or not _in_seconds(number, smaller) < unit:
            return
        item.value += _in_seconds(number, smaller)
        item.end = unit_end
        unit = smaller


def _finish_number(text: str, item: Item) -> None:
    """Reads what stands behind a number: sections 2.4 to 2.8."""
    touching, touching_end = word_at(text, item.end)
    if touching in ("st", "nd", "rd", "th"):
        index = skip_to_unit(text, touching_end)
        word, end = word_at(text, index)
        if UNIT_SECONDS.get(word, 0.0) == 0.0:
            item.kind, item.end = ItemKind.VOID, touching_end
            return
        item.unit, item.end = UNIT_SECONDS[word], end
        item.value = _in_seconds(item.value, item.unit)
        return
    hyphen = char_at(text, item.end) == "-" and is_letter(char_at(text, item.end + 1))
    index = item.end + 1 if hyphen else skip_to_unit(text, item.end)
    if char_at(text, index) in ("%", "\uff05") and index < len(text):
        item.kind, item.end = ItemKind.PERCENT, index + 1
        _void_if_confidence(text, item)
        return
    word, end = word_at(text, index)
    if not word:
        if char_at(text, index) in _CJK_COUNTERS and index < len(text):
            item.kind, item.end, item.ends_range = ItemKind.VOID, index + 1, True
            return
        item.unit, end = unit_at(text, index)
        if item.unit != 0.0:
            item.end = end
            item.value = _in_seconds(item.value, item.unit)
            _add_smaller_units(text, item, item.unit)
        return
    if _is_day_half(text, index):
        item.kind, item.end, item.ends_range = ItemKind.VOID, end, True
        return
    if word in PERCENT_WORDS:
        item.kind, item.end = ItemKind.PERCENT, end
        _void_if_confidence(text, item)
        return
    seconds = UNIT_SECONDS.get(word, 0.0)
    if seconds != 0.0:
        item.unit, item.end = seconds, end
        item.value = _in_seconds(item.value, seconds)
        if hyphen:  # "a 30-second clip", but "the 30-second mark"
            after, _ = word_at(text, skip_to_unit(text, end))
            if after not in ("mark", "point", "timestamp", "moment"):
                item.kind = ItemKind.VOID
            return
        _add_smaller_units(text, item, seconds)
        after, after_end = word_at(text, skip_to_unit(text, item.end))
        if after in NUMBER_ENDINGS:
            item.kind, item.end = ItemKind.VOID, after_end
        elif word in ("second", "minute", "hour") and after and word_kind(after) == WordKind.VIDEO:
            item.kind = ItemKind.VOID
        return
    if touching and word_kind(word) not in (WordKind.RANGE, WordKind.UNTIL, WordKind.AND):
        item.kind, item.end = ItemKind.VOID, _skip_name(text, item.end)  # "4K", "3D"
        return
    if word in COUNTED and not hyphen:
        item.kind, item.end, item.ends_range = ItemKind.VOID, end, True


def _void_if_confidence(text: str, item: Item) -> None:
    """Section 2.8: "95% confident"."""
    word, end = word_at(text, skip_to_unit(text, item.end))
    if word in CONFIDENT:
        item.kind, item.end = ItemKind.VOID, end


def _finish_clock(text: str, item: Item) -> None:
    """A clock may be followed by a word that says what it is: "5:30 minutes", "3:05 PM"."""
    touching = is_letter(char_at(text, item.end)) or char_at(text, item.end) == "_"
    index = skip_to_unit(text, item.end)
    word, end = word_at(text, index)
    if word and _is_day_half(text, index):
        item.kind, item.end, item.ends_range = ItemKind.VOID, end, True
    elif UNIT_SECONDS.get(word, 0.0) != 0.0:
        item.end = end
    elif touching and word_kind(word) not in (WordKind.RANGE, WordKind.UNTIL, WordKind.AND):
        item.kind, item.end = ItemKind.VOID, _skip_name(text, item.end)


def read_item(
    text: str, begin: int, *, negative: bool, name: bool, comma_separates: bool, leading_unit: float
) -> Item:
    """Reads the item whose first digit or point is at ``begin``.

    Args:
        text: the answer.
        begin: index of its first digit, or of a point with a digit behind it.
        negative: a sign touches it (the caller moves ``begin`` of the result to the sign).
        name: the digits belong to a name ("GPT-4", "v2", "#3") and are no time.
        comma_separates: section 2.2: inside brackets, and no range sign before it.
        leading_unit: section 2.6: seconds of the unit word right before it, or 0.
    """
    if name:
        return Item(ItemKind.VOID, begin, _skip_name(text, begin))
    clock = _read_clock(text, begin) if is_digit(text[begin]) else None
    if clock is not None:
        if clock.kind == ItemKind.CLOCK:
            _finish_clock(text, clock)
        return clock
    if is_digit(text[begin]):
        end = _read_date_or_fraction(text, begin)
        if end != begin:
            return Item(ItemKind.VOID, begin, end)
    decimal = _read_decimal(text, begin, comma_separates)
    item = Item(ItemKind.NUMBER, begin, decimal.end, float(decimal.text))
    if decimal.void:
        item.kind = ItemKind.VOID
        return item
    if negative:
        item.value = -item.value
    _finish_number(text, item)
    if item.is_bare:
        item.plain_digits = 0 if negative else decimal.plain_digits
        if leading_unit != 0.0:
            item.unit = leading_unit
            item.value = _in_seconds(item.value, leading_unit)
    if item.kind != ItemKind.VOID and not math.isfinite(item.value):
        item.kind = ItemKind.NOT_FINITE
    return item
