"""Option texts in an answer (sections 8 and 9 of ``choices.py``)."""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.choice_tokens import Kind, Token, tokenize
from tests.reference.choice_words import NUMBER_WORDS, WORDS, Word

__all__ = ["SEVERAL", "Found", "OptionTexts", "atoms_of", "letter_value"]

SEVERAL = 26  # in place of an option's index: several options at once
ATOM_MARKS = "%+&=@"
MAX_CUE_STEPS = 8
MOST_NUMBER_CHARACTERS = 40  # longer numbers are no option's


class Found(NamedTuple):
    """An option (or ``SEVERAL``) and the tokens ``first`` to ``last`` that say so."""

    index: int
    first: int
    last: int


def is_atom(token: Token) -> bool:
    return token.kind in (Kind.WORD, Kind.CJK) or (
        token.kind == Kind.MARK and token.text in ATOM_MARKS
    )


def atoms_of(tokens: list[Token]) -> list[int]:
    """Indices of the tokens that are compared: words, characters, ``% + & = @``."""
    return [i for i, token in enumerate(tokens) if is_atom(token)]


def letter_value(token: Token) -> int:
    """0 to 25 for a word that is one letter, else -1."""
    is_letter = token.kind == Kind.WORD and len(token.text) == 1 and "a" <= token.text <= "z"
    return ord(token.text) - ord("a") if is_letter else -1


def number_of(text: str) -> str | None:
    """The canonical digits of a number or a number word up to twenty; None for all else."""
    if text in NUMBER_WORDS:
        return NUMBER_WORDS[text]
    if len(text) > MOST_NUMBER_CHARACTERS:
        return None
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, point, fraction = digits.partition(".")
    groups = whole.split(",")
    if len(groups) > 1:
        if not (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
            return None
        whole = "".join(groups)
    if not whole or not all("0" <= c <= "9" for c in whole):
        return None
    if point and (not fraction or not all("0" <= c <= "9" for c in fraction)):
        return None
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    if whole == "0" and not fraction:
        sign = ""
    return sign + whole + ("." + fraction if fraction else "")


def without_label(tokens: list[Token]) -> list[Token]:
    """An option's text without the label that some files put before it: ``(B) red``, ``B. red``.

    The label is a letter or a bracketed letter, then one of ``. ) :``, then a text.
    """
    position = 0
    bracketed = bool(tokens) and tokens[0].kind == Kind.MARK and tokens[0].text in "(["
    position += bracketed
    if position + 2 >= len(tokens) or letter_value(tokens[position]) < 0:
        return tokens
    close = tokens[position + 1]
    if not close.glued or close.kind != Kind.MARK:
        return tokens
    if close.text not in (")]" if bracketed else ").:") or not tokens[position].upper:
        return tokens
    rest = tokens[position + 2 :]
    return rest if not rest[0].glued and atoms_of(rest) else tokens


class OptionTexts:
    """The option texts of one row, against the tokens ``low`` to ``high`` of its answer."""

    def __init__(self, options: list[bytes], tokens: list[Token], low: int, high: int) -> None:
        self.tokens = tokens
        self.low, self.high = low, high
        self.atoms = [i for i in range(low, high) if is_atom(tokens[i])]
        self.words = [tokens[i].text for i in self.atoms]
        self.options: list[list[str]] = []
        self.numbers: list[str | None] = []
        self.lone_letters: list[int] = []  # the letter that is an option's whole text, or -1
        for option in options:
            label_free = without_label(tokenize(option))
            words = [label_free[i].text for i in atoms_of(label_free)]
            self.options.append(words)
            self.numbers.append(number_of(words[0]) if len(words) == 1 else None)
            alone = len(words) == 1 and len(words[0]) == 1 and "a" <= words[0] <= "z"
            self.lone_letters.append(ord(words[0]) - ord("a") if alone else -1)

    def found(self, index: int, atom: int, size: int) -> Found:
        return Found(index, self.atoms[atom], self.atoms[atom + size - 1])

    def whole(self) -> Found | None:
        """The answer is one option's text and nothing else."""
        same = [k for k, words in enumerate(self.options) if words and words == self.words]
        if not same:
            return None
        return self.found(same[0] if len(same) == 1 else SEVERAL, 0, len(self.words))

    def named(self, letter: Found) -> Found | None:
        """The option whose whole text is this letter, which is outside the alphabet."""
        same = [k for k, lone in enumerate(self.lone_letters) if lone == letter.index]
        return letter._replace(index=same[0] if len(same) == 1 else SEVERAL) if same else None

    def longest_at(self, atom: int) -> Found | None:
        """The longest option text, numbers and lone letters aside, that begins at this atom."""
        best, size = -1, 0
        for k, words in enumerate(self.options):
            if not words or self.numbers[k] is not None or self.lone_letters[k] >= 0:
                continue
            if len(words) < size:
                continue
            if self.words[atom : atom + len(words)] == words:
                best, size = (SEVERAL if len(words) == size else k), len(words)
        return None if best < 0 else self.found(best, atom, size)

    def after_cue(self, first: int, stop: int) -> Found | None:
        """An option text that begins at one of the first atoms from token ``first`` to ``stop``."""
        begin = sum(i < first for i in self.atoms)
        for atom in range(begin, min(begin + MAX_CUE_STEPS, len(self.atoms))):
            if self.atoms[atom] > stop:
                break
            if hit := self.longest_at(atom):
                return hit
        return None

    def ends_clause(self, last: int) -> bool:
        """After this token comes no word: the text ends, or a mark or a line's end follows."""
        following = last + 1
        while following < self.high and self.tokens[following].kind == Kind.WRAP:
            following += 1
        if following >= self.high:
            return True
        token = self.tokens[following]
        return token.kind in (Kind.LINE, Kind.CLOSE) or (
            token.kind == Kind.MARK and token.text in ".,:;!)]—…\"'"
        )

    def first_on_line(self) -> Found | None:
        """The one option whose text stands first on a line, before a mark or the line's end."""
        result: Found | None = None
        for atom, token in enumerate(self.atoms):
            before = self.low - 1 if atom == 0 else self.atoms[atom - 1]
            if atom > 0 and not any(t.kind == Kind.LINE for t in self.tokens[before + 1 : token]):
                continue
            hit = self.longest_at(atom)
            if hit is None or not self.ends_clause(hit.last):
                continue
            if result is None:
                result = hit
            elif result.index != hit.index:
                result = Found(SEVERAL, result.first, result.last)
        return result

    def denied(self, atom: int) -> bool:
        """A denial stands right before: "not red", "isn't a red"."""
        before = atom - 1
        if before >= 0 and self.words[before] in ("a", "an", "the"):
            before -= 1
        return before >= 0 and bool(
            WORDS.get(self.words[before], Word(0)) & (Word.NOT | Word.REJECTER)
        )

    def mentioned(self) -> Found | None:
        """The one option mentioned anywhere, mentions inside longer options' mentions aside."""
        result: Found | None = None
        reach = 0
        for atom in range(len(self.atoms)):
            hit = self.longest_at(atom)
            if hit is None:
                continue
            end = atom + sum(hit.first <= i <= hit.last for i in self.atoms)
            covered, reach = end <= reach, max(reach, end)
            if not covered and not self.denied(atom):
                result = merged(result, hit)
        number = self.sole_number()
        if number is not None:
            value = number_of(self.words[number])
            for k, option in enumerate(self.numbers):
                if option is not None and option == value:
                    result = merged(result, self.found(k, number, 1))
        return result

    def sole_number(self) -> int | None:
        """The atom of the answer's only number; "one" is a number only where there is no other."""
        first: int | None = None
        one: int | None = None
        for atom, text in enumerate(self.words):
            value = number_of(text)
            if value is None and not looks_numeric(text):
                continue
            if text == "one":
                one = atom if one is None else one
            elif first is None:
                first = atom
            elif value is None or value != number_of(self.words[first]):
                return None
        return one if first is None else first


def looks_numeric(text: str) -> bool:
    """Digits and marks, such as a clock time: a number, though not one that an option can be."""
    return any("0" <= c <= "9" for c in text) and all(
        "0" <= c <= "9" or c in "-.,:/_'" for c in text
    )


def merged(result: Found | None, hit: Found) -> Found:
    """One option however often it is mentioned, else ``SEVERAL``, at the first mention."""
    if result is None or result.index == hit.index:
        return hit if result is None else result
    return Found(SEVERAL, result.first, result.last)
