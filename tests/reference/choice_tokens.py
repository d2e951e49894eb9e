"""Text as the choice grammar sees it: tokens and their bytes (section 2 of choices.py)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from tests.reference.choice_words import ANSWER_TAGS, COMMANDS

__all__ = ["Kind", "Token", "fold", "tokenize"]


class Kind(IntEnum):
    """What a token is."""

    WORD = 0  # letters and digits; a number with its inner marks is one word
    CJK = 1  # one Chinese, Japanese or Korean character
    MARK = 2  # one mark of punctuation
    WRAP = 3  # mark-up that readers don't see: asterisks, tags, LaTeX
    LINE = 4  # a line's end
    CUE = 5  # an opening answer tag, or \\boxed
    CLOSE = 6  # a closing answer tag


class Token(NamedTuple):
    """One token. ``begin`` and ``end`` are byte offsets; ``text`` is folded."""

    kind: Kind
    begin: int
    end: int
    text: str
    glued: bool  # no space between this token and the one before
    upper: bool  # its first character is an upper-case letter A to Z, full-width too
    capitals: bool  # all its characters are


SPACES = frozenset({9, 11, 12, 32, 0xA0, 0x1680, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF}) | set(
    range(0x2000, 0x2010)
)
LINE_ENDS = frozenset({10, 13, 0x85, 0x2028, 0x2029})
WRAPS = frozenset("*_`$#~\\{}|^")
MARKS = {
    **{ord(c): c for c in ".,:;!?()[]<>\"'-/&+=%@"},
    0x2010: "-", 0x2011: "-", 0x2212: "-",
    0x2012: "—", 0x2013: "—", 0x2014: "—", 0x2015: "—", 0x2500: "—",
    0x2018: "'", 0x2019: "'", 0x201A: "'", 0x201B: "'",
    0x201C: '"', 0x201D: '"', 0x201E: '"', 0x201F: '"', 0xAB: '"', 0xBB: '"',
    0x300C: '"', 0x300D: '"', 0x300E: '"', 0x300F: '"',
    0x3010: "[", 0x3011: "]", 0x3014: "[", 0x3015: "]",
    0x3008: "<", 0x3009: ">", 0x300A: "<", 0x300B: ">",
    0x3001: ",", 0x3002: ".", 0x2026: "…", 0xFF61: ".",
    0xA1: "·", 0xBF: "·", 0xB7: "·", 0x2022: "·", 0x2023: "·", 0x2043: "·", 0x30FB: "·",
    0x2190: "·", 0x2192: "→", 0x21D2: "→", 0x27A1: "→",
    0x2713: "✓", 0x2714: "✓", 0x2705: "✓", 0x2611: "✓",
    0x2717: "✗", 0x2718: "✗", 0x274C: "✗", 0x2716: "✗",
}  # fmt: skip
SYMBOL_RANGES = ((0x2190, 0x2BFF), (0xFE00, 0xFE0F), (0xFFF9, 0xFFFD), (0x1F000, 0x1FAFF))
CJK_RANGES = (
    (0x1100, 0x11FF), (0x2E80, 0x2FFF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x3100, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFF62, 0xFF9F),
    (0x20000, 0x3FFFF),
)  # fmt: skip
NUMBER_MARKS = ".,:/"
SINGLE_LETTER_TAGS = "bipusq"


def fold(code: int) -> int:
    """Lower case, by a fixed set: full-width to ASCII, then ASCII, Latin-1, Greek, Cyrillic."""
    if 0xFF01 <= code <= 0xFF5E:
        code -= 0xFEE0
    if 0x41 <= code <= 0x5A or (0xC0 <= code <= 0xDE and code != 0xD7):
        return code + 32
    if (0x391 <= code <= 0x3A9 and code != 0x3A2) or 0x410 <= code <= 0x42F:
        return code + 32
    return code + 80 if 0x400 <= code <= 0x40F else code


def decode(text: bytes) -> tuple[list[int], list[int]]:
    """Code points and their byte offsets; a byte that is no UTF-8 reads as U+FFFD, a mark.

    Surrogates (as surrogatepass writes them) and overlong forms are read as their bits say, up to
    U+10FFFF.
    """
    codes: list[int] = []
    begins: list[int] = []
    position = 0
    while position < len(text):
        lead = text[position]
        size = (
            1
            if lead < 0xC2
            else 2
            if lead < 0xE0
            else 3
            if lead < 0xF0
            else 4
            if lead < 0xF5
            else 1
        )
        tail = text[position + 1 : position + size]
        code = lead if lead < 0x80 else 0xFFFD
        if size > 1 and len(tail) == size - 1 and all(byte & 0xC0 == 0x80 for byte in tail):
            code = lead & (0x7F >> size)
            for byte in tail:
                code = code << 6 | byte & 0x3F
        else:
            size = 1
        if code > 0x10FFFF:
            code, size = 0xFFFD, 1
        codes.append(code)
        begins.append(position)
        position += size
    begins.append(position)
    return codes, begins


def is_cjk(code: int) -> bool:
    return code not in MARKS and any(first <= code <= last for first, last in CJK_RANGES)


def is_word(code: int) -> bool:
    """Whether a folded character belongs to words. What is not listed elsewhere does."""
    if code < 0x80:
        return 48 <= code <= 57 or 97 <= code <= 122
    if code < 0xA0 or code in SPACES or code in LINE_ENDS or code in MARKS:
        return False
    return not is_cjk(code) and not any(first <= code <= last for first, last in SYMBOL_RANGES)


def is_digit(code: int) -> bool:
    return 48 <= code <= 57


class _Reader:
    """Cuts one text into tokens."""

    def __init__(self, text: bytes) -> None:
        self.raw, self.begins = decode(text)
        self.codes = [fold(code) for code in self.raw]
        self.tokens: list[Token] = []
        self.glued = False

    def code(self, position: int) -> int:
        return self.codes[position] if position < len(self.codes) else -1

    def add(self, kind: Kind, begin: int, end: int, text: str) -> None:
        upper = [65 <= code <= 90 or 0xFF21 <= code <= 0xFF3A for code in self.raw[begin:end]]
        span = self.begins[begin], self.begins[end]
        self.tokens.append(Token(kind, *span, text, self.glued, upper[0], all(upper)))
        self.glued = True

    def read(self) -> list[Token]:
        position = 0
        while position < len(self.codes):
            code = self.codes[position]
            if code in SPACES:
                self.glued = False
                position += 1
            elif code in LINE_ENDS:
                self.add(Kind.LINE, position, position + 1, "\n")
                self.glued = False
                position += 1
            elif is_word(code) or self.is_minus(position):
                position = self.word(position)
            elif is_cjk(code):
                self.add(Kind.CJK, position, position + 1, chr(code))
                position += 1
            elif end := self.tag(position) or self.command(position):
                position = end
            else:
                mark = MARKS.get(code, "·")
                wrap = code < 0x80 and chr(code) in WRAPS
                self.add(
                    Kind.WRAP if wrap else Kind.MARK,
                    position,
                    position + 1,
                    chr(code) if wrap else mark,
                )
                if self.raw[position] >= 0x80 and mark in ".,:;!?…":
                    self.glued = False  # these are as wide as a mark and its space
                position += 1
        return self.tokens

    def is_minus(self, position: int) -> bool:
        """A minus touches its number and no word, bracket or mark before it."""
        if MARKS.get(self.codes[position]) != "-" or not is_digit(self.code(position + 1)):
            return False
        return position == 0 or self.codes[position - 1] in SPACES | LINE_ENDS

    def word(self, begin: int) -> int:
        """Word characters, joined by apostrophes and underscores; numbers keep their marks."""
        end = begin + 1
        digits_only = is_digit(self.codes[begin]) or not is_word(self.codes[begin])
        text = "-" if not is_word(self.codes[begin]) else chr(self.codes[begin])
        while end < len(self.codes):
            code = self.codes[end]
            if is_word(code):
                digits_only = digits_only and is_digit(code)
            elif (code == ord("_") or MARKS.get(code) == "'") and is_word(self.code(end + 1)):
                code = ord("'") if code != ord("_") else code
            elif not (
                digits_only
                and code < 0x80
                and chr(code) in NUMBER_MARKS
                and is_digit(self.code(end + 1))
            ):
                break
            text += chr(code)
            end += 1
        self.add(Kind.WORD, begin, end, text)
        return end

    def tag(self, begin: int) -> int:
        """``<answer>``, ``</b>``, ``<|im_end|>``: up to 40 characters in angles, else 0."""
        if self.codes[begin] != ord("<"):
            return 0
        position = begin + 1
        closing = self.code(position) == ord("/")
        if closing or self.code(position) == ord("|"):
            position += 1
        first = position
        if not 97 <= self.code(position) <= 122:
            return 0
        while position - begin <= 40 and (
            is_word(self.code(position))
            or self.code(position) == 0x2581
            or (0 < self.code(position) < 0x80 and chr(self.code(position)) in '_-|/ =".:')
        ):
            position += 1
        if self.code(position) != ord(">"):
            return 0
        end = position + 1
        name = "".join(chr(code) for code in self.codes[first:position])
        if len(name) == 1 and not closing:
            lower = self.raw[first] == self.codes[first]
            if not lower or name not in SINGLE_LETTER_TAGS:
                return 0
        if name.split(" ")[0] in ANSWER_TAGS:
            self.add(Kind.CLOSE if closing else Kind.CUE, begin, end, "<")
        elif name in ("br", "br/", "br /"):
            self.add(Kind.LINE, begin, end, "\n")
            self.glued = False
        else:
            self.add(Kind.WRAP, begin, end, "<")
        return end

    def command(self, begin: int) -> int:
        """``\\boxed`` is a cue, known styles are mark-up, else 0 and the backslash stands alone."""
        if self.codes[begin] != ord("\\"):
            return 0
        end = begin + 1
        while end - begin <= 16 and 97 <= self.code(end) <= 122:
            end += 1
        name = "".join(chr(code) for code in self.codes[begin + 1 : end])
        if name in ("boxed", "fbox"):
            self.add(Kind.CUE, begin, end, "\\")
        elif name in COMMANDS:
            self.add(Kind.WRAP, begin, end, "\\")
        else:
            return 0
        return end


def tokenize(text: bytes) -> list[Token]:
    """All tokens of a text, in order."""
    return _Reader(text).read()
