"""The number that a short answer gives: the meaning of ``read_numbers``.

1.  Characters are folded as tokens are (full-width digits are digits). A number begins with a
    digit, or with a point before one, that no letter touches ("A4", "Q3" hold none).
2.  Digits and their groups. Between digits stand at most 15 separators, of one kind, or of one kind
    and then another one as the decimal mark.
    2.1 Thousands: groups of three after a first of one to three that doesn't begin with 0
        ("1,000", "1 000", "1'000", "1.000.000"); with commas also the Indian "1,00,000".
    2.2 A single comma before anything else than three digits, or after 0, is a decimal comma
        ("12,5", "0,125"); a single point always is the decimal point ("1.000" is 1).
    2.3 Two kinds: the last one is the decimal mark ("1,234.5", "1.234,5", "1 234,5").
    2.4 Points between groups of other sizes ("1.2.3"), colons ("12:30") and two slashes
        ("1/4/1999") make it no number; other groups are numbers of their own ("1,2,3").
3.  Sign: a hyphen or minus that touches the number or its currency, at the text's start or after a
    space or an opening mark; the word "minus" or "negative" before it.
4.  Fractions "3/4", "1 1/2", ``\\frac{3}{4}``; exponents "1e-3", "1.5 x 10^3", ``10^{3}``. The
    exponent of a unit or a variable ("cm^2") is no number.
5.  Per cent ("%", "percent", "per cent", "pct") and scale ("thousand", "million", "mn", "bn", glued
    k, M, B) are noted beside the number. Other units and currencies are passed over.
6.  Number words ("twenty-five", "one hundred and five") count where no digits do; "one" only as the
    first word.
7.  A year is four plain digits from 1800 to 2099. Equal numbers are one number. ``value`` is the
    only number, else the only one that is no year; ``year`` is the only year.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from tests.reference.choice_tokens import LINE_ENDS, MARKS, SPACES, decode, fold, is_digit, is_word

__all__ = ["Number", "Numbers", "read_numbers"]

MOST_GROUPS = 16
FIRST_YEAR, LAST_YEAR = 1800, 2099
BEFORE_SIGN = frozenset(map(ord, "([{=<>~:,$€£¥\"'*"))
CURRENCIES = frozenset(map(ord, "$€£¥₹"))
GROUP_SPACES = frozenset([0x20, 0xA0, 0x2009, 0x202F])
SMALL = dict(
    zip(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
            *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
            *("seventeen", "eighteen", "nineteen"),
        ),
        range(20),
        strict=True,
    )
)
TENS = {
    **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50},
    **{"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
}
POWERS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
SCALES = {
    **POWERS,
    "thousands": 1e3, "millions": 1e6, "billions": 1e9, "trillions": 1e12,
    "mn": 1e6, "mln": 1e6, "bn": 1e9, "tn": 1e12,
}  # fmt: skip
GLUED_SCALES = {ord("k"): 1e3, ord("K"): 1e3, ord("M"): 1e6, ord("B"): 1e9}
MOST_WORD = 9  # characters of the longest word that is known here


class Number(NamedTuple):
    """One number as written."""

    value: float
    scale: float
    percent: bool
    year: bool


class Numbers(NamedTuple):
    """What an answer's numbers say; NaN for none or several."""

    value: float
    scale: float
    percent: bool
    year: float
    several: bool


class _Scanner:
    """Reads the numbers of one answer from left to right."""

    def __init__(self, raw: bytes) -> None:
        self.raw, _ = decode(raw)
        self.codes = [fold(code) for code in self.raw]
        self.digits: list[Number] = []
        self.words: list[Number] = []
        self.minus = False  # the word before says so
        self.first_word = True

    def code(self, i: int) -> int:
        return self.codes[i] if 0 <= i < len(self.codes) else -1

    def is_digit(self, i: int) -> bool:
        return is_digit(self.code(i))

    def is_word(self, i: int) -> bool:
        return self.code(i) >= 0 and is_word(self.code(i))

    def is_space(self, i: int) -> bool:
        return self.code(i) in SPACES or self.code(i) in LINE_ENDS

    def scan(self) -> None:
        i = 0
        while i < len(self.codes):
            point = self.code(i) == ord(".") and self.is_digit(i + 1)
            if self.is_digit(i) or (point and self.code(i - 1) != ord(".")):
                i = self.number(i)
                self.minus = False
                self.first_word = False
            elif self.is_word(i):
                i = self.word(i)
                self.first_word = False
            elif self.code(i) == ord("^") and self.is_word(i - 1) and not self.is_digit(i - 1):
                _, i = self.power(i)  # of a unit or a variable
                i += self.code(i) == ord("^")
            elif self.code(i) == ord("\\") and (end := self.latex_fraction(i)):
                i = end
                self.minus = False
            else:
                self.minus = self.minus and self.is_space(i)
                i += 1

    # ---- words -----------------------------------------------------------------------------

    def word_at(self, i: int) -> tuple[str, int]:
        """The word of ASCII letters that begins here and its end; "" for another or a long one."""
        end = i
        plain = True
        while self.is_word(end):
            plain = plain and 97 <= self.code(end) <= 122
            end += 1
        if not plain or end - i > MOST_WORD:
            return "", end
        return "".join(map(chr, self.codes[i:end])), end

    def word(self, i: int) -> int:
        text, end = self.word_at(i)
        if text in SMALL or text in TENS:
            value, end = self.number_words(i)
            if self.minus:
                value = -value
            if text != "one" or self.first_word or value != 1.0:
                percent, scale, end = self.suffix(end)
                self.words.append(Number(value, scale, percent, year=False))
            self.minus = False
            return end
        self.minus = text in ("minus", "negative")
        return end

    def number_words(self, i: int) -> tuple[float, int]:
        total = current = 0.0
        end = i
        hundreds = False
        while True:
            text, stop = self.word_at(i)
            if text == "and" and hundreds and self.code(stop) == ord(" "):
                text, stop = self.word_at(stop + 1)
                if text not in SMALL and text not in TENS:
                    break
            if text in SMALL:
                units = current % 100
                tens = units >= 20 and units % 10 == 0 and 0 < SMALL[text] < 10
                if units != 0 and not tens:
                    break
                current += SMALL[text]
            elif text in TENS:
                if current % 100 != 0:
                    break
                current += TENS[text]
            elif text == "hundred":
                if not 0 < current < 100:
                    break
                current *= 100
                hundreds = True
            elif text in POWERS:
                if current == 0:
                    break
                total += current * POWERS[text]
                current = 0.0
                hundreds = True
            else:
                break
            end = stop
            if self.code(end) not in (ord(" "), ord("-")):
                break
            i = end + 1
        return total + current, end

    # ---- digits ----------------------------------------------------------------------------

    def digits_end(self, i: int) -> int:
        while self.is_digit(i):
            i += 1
        return i

    def text(self, begin: int, end: int) -> str:
        return "".join(map(chr, self.codes[begin:end]))

    def separator(self, i: int, kinds: str) -> str:
        """The separator at i that digits follow, "" for none; ``kinds`` are those before."""
        code = self.code(i)
        if code in (ord(","), ord(".")) and self.is_digit(i + 1):
            return chr(code)
        if MARKS.get(code) == "'" and self.is_digit(i + 1):
            return "'"
        if code in GROUP_SPACES and set(kinds) <= {" "}:
            group = self.digits_end(i + 1) - (i + 1) if self.is_digit(i + 1) else 0
            if group == 3 and not self.is_word(i + 4):
                return " "
        return ""

    def number(self, i: int) -> int:
        """The number at i, into ``digits``; returns its end."""
        begin = i
        kinds = ""
        groups: list[str] = []
        if self.code(i) == ord("."):
            kinds = "."
            groups.append("")
            i += 1
        end = self.digits_end(i)
        groups.append(self.text(i, end))
        while kind := self.separator(end, kinds):
            if kind == " " and len(groups[0]) > 3:
                break
            kinds += kind
            i = end + 1
            end = self.digits_end(i)
            groups.append(self.text(i, end))
        if len(groups) > MOST_GROUPS:
            return end
        if self.code(end) == ord(":") and self.is_digit(end + 1):
            return self.skip_run(end, ":.")
        negative = self.is_negative(begin)
        if self.code(end) == ord("/") and self.is_digit(end + 1):
            stop = self.digits_end(end + 1)
            if self.code(stop) == ord("/") and self.is_digit(stop + 1):
                return self.skip_run(stop, "/")
            if not kinds:
                value = self.ratio(float(groups[0]), float(self.text(end + 1, stop)))
                return self.add(value, stop, negative=negative)
        if not kinds and self.code(end) == ord(" "):
            over = self.digits_end(end + 1)
            if over > end + 1 and self.code(over) == ord("/") and self.is_digit(over + 1):
                stop = self.digits_end(over + 1)
                top, bottom = (
                    float(self.text(end + 1, over)),
                    float(self.text(over + 1, stop)),
                )
                if top < bottom and self.code(stop) != ord("/"):
                    return self.add(float(groups[0]) + top / bottom, stop, negative=negative)
        decimal = decimal_of(groups, kinds)
        if decimal is None:
            return end
        if decimal == "":
            for group in groups:
                self.digits.append(Number(float(group or "0"), 1.0, percent=False, year=False))
            return end
        exponent, stop = self.exponent(end)
        if stop == end and decimal == "10":
            exponent, stop = self.power(end)
            decimal = "1" if stop > end else decimal
        value = float(f"{decimal}e{exponent}")
        year = (
            not kinds
            and not negative
            and stop == end
            and len(decimal) == 4
            and FIRST_YEAR <= value <= LAST_YEAR
            and self.code(begin - 1) not in CURRENCIES
            and not self.is_word(end)
        )
        return self.add(value, stop, negative=negative, year=year)

    def add(self, value: float, end: int, *, negative: bool, year: bool = False) -> int:
        percent, scale, end = self.suffix(end)
        year = year and not percent and scale == 1.0
        self.digits.append(Number(-value if negative else value, scale, percent, year))
        return end

    def skip_run(self, i: int, marks: str) -> int:
        """Past digits that these marks join."""
        while self.code(i) >= 0 and chr(self.code(i)) in marks and self.is_digit(i + 1):
            i = self.digits_end(i + 1)
        return i

    def ratio(self, top: float, bottom: float) -> float:
        return top / bottom if bottom != 0 and math.isfinite(bottom) else math.nan

    def is_negative(self, begin: int) -> bool:
        if self.minus:
            return True
        i = begin - 1
        if self.code(i) in CURRENCIES:
            i -= 1
        mark = MARKS.get(self.code(i))
        if i == 0:
            return mark in ("-", "—")
        return mark == "-" and (self.is_space(i - 1) or self.code(i - 1) in BEFORE_SIGN)

    def exponent(self, i: int) -> tuple[int, int]:
        """A power of ten after the digits, and its end; 0 and i for none."""
        if self.code(i) == ord("e"):
            power, end = self.signed(i + 1)
            if end and not self.is_word(end):
                return power, end
            return 0, i
        place = i
        while place < i + 2 and self.code(place) == ord(" "):
            place += 1
        if self.code(place) in (ord("x"), 0xD7, ord("*"), 0xB7):
            place += 1
        elif self.text(place, place + 6) == "\\times":
            place += 6
        else:
            return 0, i
        stop = place + 2
        while place < stop and self.code(place) == ord(" "):
            place += 1
        if self.text(place, place + 2) != "10":
            return 0, i
        power, end = self.power(place + 2)
        return (power, end) if end > place + 2 else (0, i)

    def power(self, i: int) -> tuple[int, int]:
        """``^3`` or ``^{-3}`` and its end; 0 and i for none."""
        if self.code(i) != ord("^"):
            return 0, i
        brace = self.code(i + 1) == ord("{")
        power, end = self.signed(i + 1 + brace)
        if not end or (brace and self.code(end) != ord("}")):
            return 0, i
        return power, end + brace

    def signed(self, i: int) -> tuple[int, int]:
        """Up to four digits with a sign, and their end; 0, 0 for none."""
        mark = MARKS.get(self.code(i))
        begin = i + (mark in ("-", "+"))
        end = self.digits_end(begin)
        if not begin < end <= begin + 4:
            return 0, 0
        power = int(self.text(begin, end))
        return -power if mark == "-" else power, end

    def suffix(self, i: int) -> tuple[bool, float, int]:
        """Per cent and scale behind a number, and the end."""
        place = i + (self.code(i) == ord(" "))
        if self.code(place) == ord("%"):
            return True, 1.0, place + 1
        if self.text(place, place + 2) == "\\%":
            return True, 1.0, place + 2
        glued = place == i and self.code(i) >= 0 and not self.is_word(i + 1)
        if glued and self.raw[i] in GLUED_SCALES:
            return False, GLUED_SCALES[self.raw[i]], i + 1
        text, end = self.word_at(place)
        if text in ("percent", "pct"):
            return True, 1.0, end
        if text == "per" and self.code(end) == ord(" "):
            second, stop = self.word_at(end + 1)
            if second == "cent":
                return True, 1.0, stop
        if text in SCALES:
            return False, SCALES[text], end
        return False, 1.0, i

    def latex_fraction(self, i: int) -> int:
        """The end of ``\\frac{3}{4}``, 0 for none."""
        place = i + 1
        if self.code(place) in (ord("d"), ord("t")):
            place += 1
        if self.text(place, place + 5) != "frac{":
            return 0
        top_end = self.digits_end(place + 5)
        if top_end == place + 5 or self.text(top_end, top_end + 2) != "}{":
            return 0
        bottom_end = self.digits_end(top_end + 2)
        if bottom_end == top_end + 2 or self.code(bottom_end) != ord("}"):
            return 0
        value = self.ratio(
            float(self.text(place + 5, top_end)), float(self.text(top_end + 2, bottom_end))
        )
        return self.add(value, bottom_end + 1, negative=self.is_negative(i))


def decimal_of(groups: list[str], kinds: str) -> str | None:
    """The number that groups write, "" where each is its own number, None for no number."""
    if not kinds:
        return groups[0]
    if len(set(kinds)) == 1:
        kind = kinds[0]
        if kind == "." and len(groups) == 2:
            return f"{groups[0] or '0'}.{groups[1]}"
        if thousands(groups, kind):
            return "".join(groups)
        if kind == "." and len(groups) > 2:
            return None
        return f"{groups[0]}.{groups[1]}" if kind == "," and len(groups) == 2 else ""
    last = kinds[-1]
    one_other = len(set(kinds[:-1])) == 1 and last != kinds[0] and last in ",."
    if one_other and thousands(groups[:-1], kinds[0]):
        return f"{''.join(groups[:-1])}.{groups[-1]}"
    return ""


def thousands(groups: list[str], kind: str) -> bool:
    first, rest = groups[0], groups[1:]
    if not 1 <= len(first) <= 3 or first[0] == "0":
        return False
    if all(len(group) == 3 for group in rest):
        return True
    indian = len(rest) > 1 and len(first) <= 2 and all(len(group) == 2 for group in rest[:-1])
    return kind == "," and indian and len(rest[-1]) == 3


def read_numbers(raw: bytes) -> Numbers:
    """The numbers of an answer's bytes."""
    scanner = _Scanner(raw)
    scanner.scan()
    found = [n for n in scanner.digits or scanner.words if math.isfinite(n.value)]
    years = {n.value for n in found if n.year}
    year = years.pop() if len(years) == 1 else math.nan
    distinct = {(n.value, n.scale, n.percent) for n in found}
    if len(distinct) > 1:
        distinct = {(n.value, n.scale, n.percent) for n in found if not n.year}
    if len(distinct) != 1:
        return Numbers(math.nan, 1.0, percent=False, year=year, several=bool(found))
    value, scale, percent = distinct.pop()
    return Numbers(value + 0.0, scale, percent, year, several=False)
