"""Letters, how they join, and what is said after them (sections 3 and 4 of choices.py)."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from tests.reference.choice_options import SEVERAL, Found, letter_value
from tests.reference.choice_tokens import Kind, Token
from tests.reference.choice_words import CJK_GOOD, CJK_STATED, CJK_WRONG, WORDS, Cue, Word

__all__ = ["LABEL_I", "Group", "LetterView", "Tier", "Verdict"]

MAX_GROUP = 26  # letters joined to one statement
PREDICATE_REACH = 4  # words between a verb and its verdict
CJK_PREDICATE_REACH = 6
OPENERS, CLOSERS = "([<\"'", ")]>\"'"
LABEL_I = ord("I") - ord("A")


class Verdict(Enum):
    """What is said of a group of letters right after it."""

    NONE = auto()
    WRONG = auto()
    GOOD = auto()
    FITS = auto()
    SUBJECT = auto()  # something else


class Group(NamedTuple):
    """Letters joined to one statement: ``found`` is the letter, or ``SEVERAL``."""

    found: Found
    letters: tuple[int, ...]


class Tier:
    """The candidates of one strength: for each letter, and for ``SEVERAL``, the last one."""

    def __init__(self) -> None:
        self.candidates: dict[int, Found] = {}

    def add(self, found: Found) -> None:
        self.candidates[found.index] = found

    def kept(self, rejected: dict[int, int], later: bool) -> list[Found]:
        return [
            found
            for found in self.candidates.values()
            if found.index not in rejected or (later and rejected[found.index] < found.first)
        ]

    def last(self, rejected: dict[int, int]) -> Found | None:
        """The last candidate that was not rejected after it."""
        return max(self.kept(rejected, later=True), key=lambda found: found.first, default=None)

    def only(self, rejected: dict[int, int], count: int, *, later: bool) -> Found | None:
        """The one candidate, or ``SEVERAL``; letters outside the alphabet give way."""
        kept = self.kept(rejected, later)
        inside = [found for found in kept if found.index < count or found.index == SEVERAL]
        chosen = inside or kept
        if len(chosen) < 2:
            return chosen[0] if chosen else None
        first = min(found.first for found in chosen)
        return Found(SEVERAL, first, max(found.last for found in chosen))


class LetterView:
    """The tokens ``low`` to ``high`` of one answer, and the little state that letters depend on."""

    def __init__(self, tokens: list[Token], low: int, high: int, count: int) -> None:
        self.tokens, self.low, self.high, self.count = tokens, low, high, count
        self.cue = Cue.NONE
        self.noun_at = -1  # the last cue noun
        self.last_word = -1  # the last word or CJK character
        self.line_words = 0

    def at(self, position: int) -> Token | None:
        return self.tokens[position] if self.low <= position < self.high else None

    def is_word(self, position: int) -> bool:
        token = self.at(position)
        return token is not None and token.kind == Kind.WORD

    def classes(self, position: int) -> Word:
        token = self.at(position)
        if token is None or token.kind != Kind.WORD:
            return Word(0)
        return WORDS.get(token.text, Word(0))

    def is_mark(self, position: int, marks: str) -> bool:
        token = self.at(position)
        return token is not None and token.kind in (Kind.MARK, Kind.WRAP) and token.text in marks

    def glued(self, position: int) -> bool:
        token = self.at(position)
        return token is not None and token.glued

    def value(self, position: int) -> int:
        token = self.at(position)
        return -1 if token is None else letter_value(token)

    def letter(self, position: int) -> int:
        """The value of the letter at this token, -1 for other words and parts of compounds."""
        value = self.value(position)
        if value < 0:
            return -1
        after, before = position + 1, position - 1
        if self.glued(after):
            far = self.at(after + 1)
            touches = far is not None and far.glued and far.kind == Kind.WORD
            if self.is_mark(after, "-'") and touches:
                return -1
            if self.is_mark(after, "+#%@") or (
                self.is_mark(after, ".") and touches and self.value(after + 1) >= 0
            ):
                return -1
            if self.is_mark(after, "/") and touches and (value, self.value(after + 1)) == (13, 0):
                return -1
        if self.glued(position):
            near = self.at(before)
            far = self.at(before - 1)
            touches = near is not None and near.glued and far is not None and far.kind == Kind.WORD
            if (
                touches
                and self.is_mark(before, "-'")
                and not self.classes(before - 1) & (Word.NOUN | Word.OPTION)
            ):
                return -1
            if self.is_mark(before, "@#%") or (
                touches and self.is_mark(before, ".") and self.value(before - 1) >= 0
            ):
                return -1
            if touches and self.is_mark(before, "/") and (self.value(before - 1), value) == (13, 0):
                return -1
        return value

    def whole(self) -> Found | None:
        """Section 3: all words are letters, or join letters."""
        found: Found | None = None
        for position in range(self.low, self.high):
            kind = self.tokens[position].kind
            if self.is_mark(position, "✗"):
                return None
            if kind not in (Kind.WORD, Kind.CJK):
                continue
            value = self.letter(position)
            if value < 0:
                if self.classes(position) & (Word.AND | Word.OR) or (
                    self.tokens[position].text in ("both", "either")
                ):
                    continue
                return None
            if found is None:
                found = Found(value, position, position)
            elif found.index != value:
                found = Found(SEVERAL, found.first, position)
        return found

    def skip_right(self, position: int) -> int:
        """Past closing marks and mark-up, on the same line."""
        while (token := self.at(position)) is not None and (
            token.kind == Kind.WRAP or (token.kind == Kind.MARK and token.text in CLOSERS)
        ):
            position += 1
        return position

    def skip_open(self, position: int) -> int:
        """Past opening marks and mark-up, on the same line."""
        while (token := self.at(position)) is not None and (
            token.kind == Kind.WRAP or (token.kind == Kind.MARK and token.text in OPENERS)
        ):
            position += 1
        return position

    def is_article(self, position: int) -> bool:
        """An unwrapped A, I or lower-case letter with a plain word right after it."""
        token = self.tokens[position]
        if token.upper and (
            token.text not in "ai" or (self.cue == Cue.OPTION and self.noun_at == position - 1)
        ):
            return False
        goes_on = Word.GOES_ON_I if self.value(position) == LABEL_I else Word.GOES_ON
        return self.is_word(position + 1) and not self.classes(position + 1) & goes_on

    def group(self, position: int) -> Group:
        """The letters joined to the one at this token."""
        letters = [self.letter(position)]
        upper = self.tokens[position].upper
        last = position
        while len(letters) < MAX_GROUP:
            after = self.skip_right(last + 1)
            closed = after > last + 1
            joined = ""
            if self.is_mark(after, ",/&+"):
                joined, after = self.tokens[after].text, after + 1
            if self.classes(after) & (Word.AND | Word.OR) and self.letter(after) < 0:
                joined, after = ("or" if self.classes(after) & Word.OR else "and"), after + 1
            elif not joined and (token := self.at(after)) and token.kind == Kind.CJK:
                if token.text not in "和或与與とや":
                    break
                joined, after = "and", after + 1
            if joined == "or" and self.classes(after) & Word.WEAK:
                after += 1  # "or maybe B"
            opened = self.skip_open(after)
            if closed and not joined and opened == after:
                break  # "(A) A ..."
            after = opened
            if self.classes(after) & Word.OPTION and self.letter(after) < 0:
                after = self.skip_open(after + 1)
            elif (token := self.at(after)) and token.kind == Kind.CJK and token.text in "选選":
                following = self.at(after + 1)
                if following is None or following.text not in "项項":
                    break
                after = self.skip_open(after + 2)
            value = self.letter(after)
            if value < 0 or (upper and not self.tokens[after].upper) or (not upper and not joined):
                break
            if self.is_article(after):
                break
            if self.is_word(after + 1):
                classes = self.classes(after + 1)
                singular = classes & Word.BE and not classes & Word.PLURAL
                if singular and joined != "or":
                    break
                if not classes & (Word.BE | Word.BECAUSE | Word.AND | Word.OR | Word.PLURAL) and (
                    self.letter(after + 1) < 0
                ):
                    break
            letters.append(value)
            last = after
        index = letters[0] if len(set(letters)) == 1 else SEVERAL
        return Group(Found(index, position, last), tuple(letters))

    # --- what is said after a group ----------------------------------------------------------

    def verdict(self, last: int, *, strict: bool) -> Verdict:
        """What is said of the group that ends at this token.

        ``strict``: the group may be a label, and what follows its bracket an option's text, such as
        "(A) is not moving". Only a plain "is wrong" or "is not correct" is said of it then.
        """
        position = self.skip_right(last + 1)
        strict = strict and position > last + 1
        if self.is_mark(position, "✓"):
            return Verdict.GOOD
        if self.is_mark(position, "✗"):
            return Verdict.WRONG
        token = self.at(position)
        if token is not None and token.kind == Kind.CJK:
            return Verdict.NONE if strict else self.cjk_verdict(position)
        for _ in range(PREDICATE_REACH):
            classes = self.classes(position)
            if not classes & Word.ADVERB or classes & (Word.BE | Word.GOOD | Word.WRONG):
                break
            position = self.skip_right(position + 1)
        if not self.is_word(position):
            return Verdict.NONE
        classes = self.classes(position)
        if classes & Word.FITS:
            well = self.classes(position + 1) & Word.WELL
            return Verdict.FITS if well or self.clause_ends(position + 1) else Verdict.SUBJECT
        if not classes & Word.BE:
            if not strict and (
                (classes & Word.NOT and self.tokens[position].text.endswith("n't"))
                or (
                    classes & Word.WRONG
                    and not classes & Word.NOT
                    and self.clause_ends(position + 1)
                )
            ):
                return Verdict.WRONG
            joins = classes & (Word.BECAUSE | Word.AND | Word.OR | Word.NOT | Word.REJECTER)
            return Verdict.NONE if joins else Verdict.SUBJECT
        denied = False
        for _ in range(PREDICATE_REACH):
            position = self.skip_right(position + 1)
            if not self.is_word(position):
                break
            classes = self.classes(position)
            if strict and classes & Word.NOT:
                denied = True
                continue
            if classes & Word.WRONG or classes & Word.NOT or (denied and classes & Word.GOOD):
                return Verdict.WRONG
            plausible = classes & Word.PLAUSIBLE and (
                self.clause_ends(position + 1) or self.classes(position + 1) & Word.REJECTER
            )
            if self.tokens[position].text == "right" and not self.is_right(position + 1):
                break
            if classes & Word.GOOD or plausible:
                return Verdict.GOOD
            if not classes & (Word.ADVERB | Word.BE):
                break
        return Verdict.SUBJECT

    def is_right(self, position: int) -> bool:
        """ "right" is no verdict in "A is the right angle"."""
        names = self.classes(position) & (Word.NOUN | Word.OPTION)
        token = self.at(position)
        one = token is not None and token.kind == Kind.WORD and token.text == "one"
        return bool(names) or one or self.clause_ends(position)

    def cjk_verdict(self, position: int) -> Verdict:
        said = ""
        while len(said) < CJK_PREDICATE_REACH and (token := self.at(position)) is not None:
            if token.kind != Kind.CJK:
                break
            said += token.text
            position += 1
        if said[0] in "因由而":
            return Verdict.NONE
        if said.startswith(tuple(CJK_STATED)):
            return Verdict.NONE if "か" in said else Verdict.GOOD
        if any(word in said for word in CJK_WRONG):
            return Verdict.WRONG
        if any(word in said for word in CJK_GOOD):
            return Verdict.GOOD
        return Verdict.NONE

    def clause_ends(self, position: int) -> bool:
        """No plain word and no question mark follows."""
        position = self.skip_right(position)
        token = self.at(position)
        if token is None or token.kind != Kind.WORD:
            return not self.is_mark(position, "?")
        return bool(self.classes(position) & Word.BECAUSE)

    def is_wrapped(self, first: int, last: int) -> bool:
        """Bracketed, bold, quoted or in dollars, the pair complete or not."""
        before, after = self.at(first - 1), self.at(last + 1)
        token = self.tokens[first]
        opens = (
            before is not None
            and token.glued
            and (
                before.kind in (Kind.WRAP, Kind.CUE)
                or (before.kind == Kind.MARK and before.text in OPENERS)
            )
        )
        closes = (
            after is not None
            and after.glued
            and (
                after.kind in (Kind.WRAP, Kind.CLOSE)
                or (after.kind == Kind.MARK and after.text in CLOSERS)
            )
        )
        return (opens and (closes or not self.is_word(last + 1))) or (closes and token.upper)

    def is_label(self, position: int) -> bool:
        """First on its line, before a delimiter (section 4.6)."""
        token, after = self.tokens[position], self.at(position + 1)
        if self.line_words:  # "Option C: ..."
            option = self.cue == Cue.OPTION and self.noun_at == self.last_word
            if not option or self.line_words > 1 or not self.is_mark(position + 1, ".:"):
                return False
        if self.value(position) == LABEL_I and self.count <= LABEL_I:
            return False
        if after is None or after.kind in (Kind.LINE, Kind.CLOSE):
            return True
        if after.kind == Kind.WORD:
            because = bool(self.classes(position + 1) & Word.BECAUSE)
            return token.upper and because and not self.is_article(position)
        if after.kind == Kind.CJK:
            return False
        if after.kind == Kind.WRAP or after.text in CLOSERS:
            return after.glued
        if after.text in ".:":
            return True
        upper = token.upper and self.value(position) != LABEL_I
        return upper and after.text in ",;!-—(→✓"

    def label_style(self, position: int) -> str:
        """The delimiter after a label, "" if there is none."""
        position += 1
        while (token := self.at(position)) is not None and (
            token.kind == Kind.WRAP or (token.kind == Kind.MARK and token.text in "\"'")
        ):
            position += 1
        if token is None or token.kind in (Kind.LINE, Kind.CLOSE):
            return "\n"
        if token.kind != Kind.MARK or token.text not in ".:)]-—":
            return ""
        return ")" if token.text == "]" else token.text

    def is_stated(self, position: int) -> bool:
        """ "B: correct", "B. x ✓": the word after the label's delimiter is all there is."""
        position = self.skip_right(position + 1)
        if self.is_mark(position, ".:-—"):
            position = self.skip_open(position + 1)
        if self.is_mark(position, "✓"):
            return True
        if not self.is_word(position) or self.tokens[position].text not in ("correct", "right"):
            return False
        after = self.at(self.skip_right(position + 1))
        return after is None or after.kind in (Kind.LINE, Kind.CLOSE, Kind.MARK)
