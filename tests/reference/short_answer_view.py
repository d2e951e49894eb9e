"""An answer's tokens as its grammar asks about them (sections 3 and 5 of short_answers.py)."""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.choice_tokens import Kind, Token, is_digit
from tests.reference.choice_words import WORDS, Word
from tests.reference.short_answer_words import (
    ABBREVIATIONS,
    ABBREVIATIONS_OF_NUMBERED,
    CJK_ENDINGS,
    EXPLAINS,
    EXPLAINS_AFTER_AS,
)

__all__ = [
    "MOST_ANSWER_TOKENS",
    "MOST_GROUP_TOKENS",
    "MOST_WRAPS",
    "QUOTES",
    "ShortAnswerView",
    "Slice",
]

MOST_ANSWER_TOKENS = 256  # what is longer is no short answer, and is cut there
MOST_GROUP_TOKENS = 64
MOST_WRAPS = 8  # equal marks in one run of mark-up
MOST_PAIRS = 8  # nested wrappers
QUOTES = "\"'"


class Slice(NamedTuple):
    """Tokens ``low`` to ``high``, ``high`` not included; nothing where they are equal."""

    low: int
    high: int


class ShortAnswerView:
    """Looks at tokens ``low`` to ``high``; what lies outside is nothing."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.low, self.high = 0, len(tokens)

    def kind(self, i: int) -> Kind | None:
        return self.tokens[i].kind if self.low <= i < self.high else None

    def text(self, i: int) -> str:
        return self.tokens[i].text if self.low <= i < self.high else ""

    def is_mark(self, i: int, marks: str) -> bool:
        return self.kind(i) == Kind.MARK and self.text(i) in marks

    def is_wrap(self, i: int, wraps: str) -> bool:
        return self.kind(i) == Kind.WRAP and self.text(i) in wraps

    def classes(self, i: int) -> Word:
        return WORDS.get(self.text(i), Word(0)) if self.kind(i) == Kind.WORD else Word(0)

    def is_word(self, i: int) -> bool:
        return self.kind(i) in (Kind.WORD, Kind.CJK)

    def glued(self, i: int) -> bool:
        """The token touches the one before it."""
        return self.low <= i < self.high and self.tokens[i].glued

    def words(self, part: Slice) -> int:
        return sum(self.is_word(i) for i in range(part.low, part.high))

    def span(self, part: Slice) -> tuple[int, int]:
        return (self.tokens[part.low].begin, self.tokens[part.high - 1].end)

    def spells(self, i: int, characters: str) -> bool:
        return all(
            self.kind(i + k) == Kind.CJK and self.text(i + k) == character
            for k, character in enumerate(characters)
        )

    def ends_sentence(self, i: int, first: int) -> bool:
        """A mark that ends a sentence; an initial counts only after a word behind ``first``."""
        if not self.is_mark(i, ".!?;…"):
            return False
        if self.tokens[i].end - self.tokens[i].begin > 1:
            return True  # not ASCII: as wide as a mark and its space
        if self.glued(i + 1):
            return False
        after = i + 1
        while self.kind(after) == Kind.WRAP and after <= i + MOST_WRAPS:
            after += 1
        if self.text(i) != "." or self.kind(after) != Kind.WORD:
            return True
        before = self.text(i - 1) if self.kind(i - 1) == Kind.WORD else ""
        number = is_digit(ord(self.text(after)[0]))
        if before in ABBREVIATIONS or (number and before in ABBREVIATIONS_OF_NUMBERED):
            return False
        initial = len(before) == 1 and "a" <= before <= "z"
        dotted = self.glued(i - 1) and self.is_mark(i - 2, ".")
        if initial and i - 2 >= first and (self.is_word(i - 2) or dotted):
            return False
        return self.tokens[after].upper or not "a" <= self.text(after)[0] <= "z"

    def value_end(self, begin: int) -> int:
        stop = min(self.high, begin + MOST_ANSWER_TOKENS)
        for i in range(begin, stop):
            kind = self.kind(i)
            if kind in (Kind.LINE, Kind.CLOSE):
                return i
            if i > begin and (kind == Kind.CUE or self.ends_sentence(i, begin) or self.explains(i)):
                return i
        return stop

    def explains(self, i: int) -> bool:
        if self.kind(i) != Kind.WORD:
            return False
        text = self.text(i)
        return (
            text in EXPLAINS
            or (text in ("which", "car") and self.is_mark(i - 1, ","))
            or (text == "as" and self.text(i + 1) in EXPLAINS_AFTER_AS)
        )

    def run(self, i: int) -> int:
        """How many equal tokens stand here without a space between them."""
        size = 1
        while (
            size < MOST_WRAPS
            and self.glued(i + size)
            and self.kind(i + size) == self.kind(i)
            and self.text(i + size) == self.text(i)
        ):
            size += 1
        return size

    def group_end(self, i: int, end: int) -> int:
        """Where the group that opens here closes, its last token's successor; 0 for no group."""
        if not (self.is_wrap(i, "*`$_") or self.is_mark(i, '"')):
            return 0
        size = self.run(i)
        place = i + size
        end = min(end, place + MOST_GROUP_TOKENS)
        while place < end:
            if self.kind(place) == self.kind(i) and self.text(place) == self.text(i):
                if place > i + size and self.run(place) >= size:
                    return place + size
                place += self.run(place)
            else:
                place += 1
        return 0

    def fenced(self, begin: int) -> Slice:
        """The content of a code fence without its language."""
        if (
            self.kind(begin) == Kind.WORD
            and self.glued(begin)
            and (self.kind(begin + 1) == Kind.LINE)
        ):
            begin += 1
        end = begin
        while end < self.high and not (self.is_wrap(end, "`") and self.run(end) >= 3):
            end += 1
        return Slice(begin, end)

    def trim(self, part: Slice) -> Slice:
        low, high = part
        pairs = 0
        while low < high:
            if self.trims_front(low, high):
                low += 1
            elif self.trims_back(high - 1):
                high -= 1
            elif ending := self.ending(low, high):
                high -= ending
            elif pairs < MOST_PAIRS and self.paired(low, high - 1):
                low, high, pairs = low + 1, high - 1, pairs + 1
            else:
                break
        return Slice(low, high)

    def trims_front(self, i: int, high: int) -> bool:
        kind = self.kind(i)
        if kind in (Kind.LINE, Kind.CLOSE, Kind.CUE) or self.is_mark(i, ",:;=→—·…"):
            return True
        touches = i + 1 < high and self.glued(i + 1)
        if self.is_mark(i, "-"):
            return i + 1 < high and not touches
        if self.is_wrap(i, "#"):
            return not touches or self.is_wrap(i + 1, "#")
        if self.is_wrap(i, "\\") and self.tokens[i].end - self.tokens[i].begin == 1:
            return not (touches and self.kind(i + 1) == Kind.WORD)
        return self.is_wrap(i, "*_`|^}\\<")

    def trims_back(self, i: int) -> bool:
        kind = self.kind(i)
        if kind in (Kind.LINE, Kind.CLOSE, Kind.CUE) or self.is_mark(i, ",:;.…—→"):
            return True
        return self.is_wrap(i, "*_`|^{\\<~#")

    def ending(self, low: int, high: int) -> int:
        """The size of a copula that ends the text, as Japanese and Korean have it."""
        for ending in CJK_ENDINGS:
            size = len(ending)
            if high - low > size and self.spells(high - size, ending):
                return size
        return 0

    def paired(self, first: int, last: int) -> bool:
        """The first and the last token belong together and hold nothing that needs them."""
        if first >= last:
            return False
        if self.is_wrap(first, "$") and self.is_wrap(last, "$"):
            return True
        if self.is_wrap(first, "{"):
            return self.is_wrap(last, "}") and self.match(first, last, "{", "}")
        if self.is_mark(first, QUOTES) and self.is_mark(last, self.text(first)):
            return not any(self.is_mark(i, self.text(first)) for i in range(first + 1, last))
        if self.is_mark(first, "(") and self.is_mark(last, ")"):
            return self.match(first, last, "(", ")")
        if self.is_mark(first, "[") and self.is_mark(last, "]"):
            comma = any(self.is_mark(i, ",") for i in range(first, last))
            return not comma and self.match(first, last, "[", "]")
        return False

    def match(self, first: int, last: int, opener: str, closer: str) -> bool:
        """The bracket that opens at ``first`` closes at ``last``."""
        depth = 0
        for i in range(first, last + 1):
            if self.kind(i) in (Kind.MARK, Kind.WRAP):
                depth += (self.text(i) == opener) - (self.text(i) == closer)
            if depth == 0:
                return i == last
        return False
