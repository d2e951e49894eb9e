"""One pass over an answer: cues arm, letters are judged (sections 4 to 6 of choices.py)."""

from __future__ import annotations

from enum import Enum, auto

from tests.reference.choice_letters import LABEL_I, Group, LetterView, Tier, Verdict
from tests.reference.choice_options import SEVERAL, Found
from tests.reference.choice_tokens import Kind, Token
from tests.reference.choice_words import CJK_CUES, Cue, Word

__all__ = ["LetterReader"]

CUE_REACH = 12  # words between an answer noun and what arms it
CJK_CUE_LENGTH = max(map(len, CJK_CUES))
NOUNS = (Cue.NOUN, Cue.ADJECTIVE, Cue.OPTION)


class Headline(Enum):
    """Whether a label opens the text."""

    NONE = auto()
    OPENS = auto()  # it does, and all lines since begin with a label
    ALONE = auto()  # it does, and a blank or plain line followed: later labels explain


class LetterReader(LetterView):
    """Reads the tokens ``low`` to ``high`` of one answer once, from left to right."""

    def __init__(self, tokens: list[Token], low: int, high: int, count: int) -> None:
        super().__init__(tokens, low, high, count)
        self.declared, self.concluded = Tier(), Tier()
        self.labelled, self.mentioned = Tier(), Tier()
        self.spare = Tier()  # labels that explain
        self.stated = Tier()  # labels whose text is "correct"
        self.rejected: dict[int, int] = {}  # letter -> token of its last rejection
        self.enumerated = False
        self.text_cue: tuple[int, int] | None = None
        self.ends_armed = False
        # The clause.
        self.noun = Cue.NONE  # the noun behind an armed cue
        self.reach = 0
        self.named = False  # an adjective or option noun after a weak cue: a copula arms it
        self.denied = False  # the cue stands under a denial
        self.denial = False  # a denial right before
        self.supposed = False
        self.contrast = False  # a letter was rejected in this sentence
        self.doubted = False
        self.concluding = False  # a conclusion opened the sentence: "therefore, x is C"
        self.text_begin = -1  # the first word after an armed cue
        self.text_from = -1  # the same, since the noun was first armed
        self.first_word = -1  # the word that opens the text, if it is no letter
        # Lines and sentences.
        self.sentence_words = 0  # words other than letters and option nouns
        self.sentence_letter = -1
        self.sentence_letters = 0
        self.sentence_own_line = True
        self.lone: tuple[int, bool] | None = None  # the letter that was the last sentence, own line
        # Enumeration.
        self.next_label = -1
        self.style = ""
        self.pending: tuple[Tier, Found] | None = None
        self.headline = Headline.NONE
        self.line_label = False  # this line begins with a label

    def read(self) -> None:
        """Collect all candidates."""
        position = self.low
        while position < self.high:
            token = self.tokens[position]
            step = position + 1
            if token.kind == Kind.WORD:
                step = self.read_word(position)
            elif token.kind == Kind.CJK:
                self.plain_word(position)
                self.read_cjk(position)
            elif token.kind == Kind.LINE:
                self.read_line(position)
            elif token.kind == Kind.CUE:
                self.arm(Cue.NONE, denied=False)
            elif token.kind == Kind.MARK:
                self.read_mark(position)
            position = step
        self.end_sentence(own_line=True)
        self.ends_armed = self.cue == Cue.ARMED and not self.denied and self.text_begin < 0
        self.end_text_cue(self.high - 1)
        if self.pending:
            self.pending[0].add(self.pending[1])
        if self.lone:
            position, own_line = self.lone
            if self.tokens[position].upper or own_line:
                value = self.letter(position)
                if value != LABEL_I or self.count > LABEL_I:
                    self.declared.add(Found(value, position, position))

    def arm(self, noun: Cue, *, denied: bool) -> None:
        if noun == Cue.NONE:
            self.text_from = -1
        self.cue, self.noun, self.denied = Cue.ARMED, noun, denied
        self.named = False
        self.text_begin = -1

    def clear(self) -> None:
        self.cue = self.noun = Cue.NONE
        self.named = False
        self.denied = False
        self.text_begin = -1

    def end_text_cue(self, stop: int) -> None:
        """An armed cue ends without a letter: remember where an option's text may stand."""
        if self.cue == Cue.ARMED and self.text_begin >= 0 and not self.denied and not self.supposed:
            if self.text_from < 0:
                self.text_from = self.text_begin
            self.text_cue = (self.text_from, stop)

    def end_sentence(self, *, own_line: bool) -> None:
        if self.sentence_words or self.sentence_letters:
            alone = self.sentence_letters == 1 and self.sentence_words == 0
            own = own_line and self.sentence_own_line
            self.lone = (self.sentence_letter, own) if alone else None
            self.sentence_own_line = own_line
        elif own_line:
            self.sentence_own_line = True
        self.sentence_words = self.sentence_letters = 0
        self.sentence_letter = -1

    def read_line(self, position: int) -> None:
        if self.cue == Cue.NOUN and self.noun_at == self.last_word:
            self.arm(self.cue, denied=self.denied)
        elif not (self.cue == Cue.ARMED and self.text_begin < 0):
            self.end_text_cue(position)
            self.clear()
        self.denial = self.supposed = self.contrast = self.concluding = False
        if self.headline == Headline.OPENS and not self.line_label:
            self.headline = Headline.ALONE
        self.line_words = 0
        self.line_label = False
        self.end_sentence(own_line=True)

    def read_mark(self, position: int) -> None:
        mark = self.tokens[position].text
        following = self.at(position + 1)
        if mark in ":=→—-":
            glued = self.glued(position) and following is not None and following.glued
            near = self.noun_at == self.last_word
            if self.cue in NOUNS and (near or mark in ":=→") and (near or not glued or mark != "-"):
                self.arm(self.cue, denied=self.denied)
            elif self.named and mark == ":":
                self.arm(Cue.ADJECTIVE, denied=self.denied)
        elif mark == ",":
            self.supposed = self.denial = False
        elif mark in ".!?;…":
            if (
                mark == "."
                and following is not None
                and following.glued
                and (following.kind == Kind.WORD and self.letter(position + 1) < 0)
            ):
                return
            if mark == "." and self.last_word >= 0 and self.tokens[self.last_word].text == "ans":
                return
            dots = mark == "…" or (
                mark == "." and (self.is_mark(position - 1, ".") or self.is_mark(position + 1, "."))
            )
            if not (dots and self.cue == Cue.ARMED and self.text_begin < 0):
                self.end_text_cue(position)
                self.clear()
            self.denial = self.supposed = self.contrast = self.concluding = False
            if mark != ";":
                if mark == "?" and self.sentence_letters:
                    self.sentence_words += 1
                self.end_sentence(own_line=False)

    def plain_word(self, position: int) -> None:
        """Count a word that is no letter."""
        self.line_words += 1
        if self.last_word < 0:
            self.first_word = position
        self.last_word = position
        if not self.classes(position) & Word.OPTION:
            self.sentence_words += 1
        if self.cue == Cue.ARMED and self.text_begin < 0:
            self.text_begin = position

    def read_cjk(self, position: int) -> None:
        """A cue ends at this character, or it ends the cue."""
        run = ""
        place = position
        while len(run) < CJK_CUE_LENGTH and (token := self.at(place)) is not None:
            if token.kind != Kind.CJK:
                break
            run = token.text + run
            place -= 1
        for size in range(len(run), 0, -1):
            cue = CJK_CUES.get(run[-size:])
            if cue is not None:
                break
        else:
            self.end_text_cue(position)
            self.clear()
            return
        if cue == Cue.ARMED:
            self.arm(Cue.NONE, denied=False)
        else:
            self.end_text_cue(position)
            self.clear()
            self.cue = cue
            self.reach = CUE_REACH
        self.noun_at = position
        if cue == Cue.CORRECTION:
            self.doubted = True

    def read_word(self, position: int) -> int:
        """Read a word and return the next token to read."""
        value = self.letter(position)
        if value >= 0 and not self.is_article(position):
            return self.read_letter(position)
        classes = self.classes(position) if value < 0 else Word.FILLER
        previous = self.last_word
        self.plain_word(position)
        self.read_classes(position, classes, previous)
        return position + 1

    def read_classes(self, position: int, classes: Word, previous: int) -> None:
        before = self.classes(previous) if previous >= 0 else Word(0)
        text = self.tokens[position].text
        if classes & Word.DENIAL:
            following = self.at(position + 1)
            if following is not None and following.kind == Kind.WORD and following.text in (
                "es", "creo", "puede", "está", "elijo", "sería",
            ):  # fmt: skip
                classes |= Word.NOT
            elif self.is_mark(position + 1, ","):
                self.end_text_cue(position)
                self.clear()
                self.cue = Cue.CORRECTION
                return
        if classes & Word.DOUBT:
            self.doubted = True
        if classes & Word.RELEASE:
            self.supposed = False
        if classes & Word.NOT:
            self.denial = True
            self.denied = self.cue != Cue.NONE
            return
        if text == "of" and self.denial:
            return  # "none of A and B"
        denial, self.denial = self.denial, False
        if (
            classes & Word.REJECTER
            or (text == "of" and self.follows(position, "instead"))
            or (text == "out" and self.follows(position, "rule", "ruled", "ruling", "rules"))
        ):
            self.end_text_cue(position)
            self.clear()
            self.cue = Cue.REJECT
        elif classes & Word.HYPOTHESIS:
            self.end_text_cue(position)
            self.clear()
            self.supposed = True
        elif classes & Word.CONTRAST:
            self.end_text_cue(position)
            self.clear()
            self.supposed = False
            if self.contrast:
                self.cue = Cue.CORRECTION
        elif classes & Word.CORRECTION and self.cue != Cue.ARMED:
            self.clear()
            self.cue = Cue.CORRECTION
        elif self.cue in (Cue.ARMED, Cue.WEAK, Cue.CORRECTION, Cue.REJECT) and (
            classes & Word.FILLER and not classes & Word.NOUN
        ):
            if self.cue in (Cue.WEAK, Cue.CORRECTION):  # "so the best option is C"
                if classes & Word.COPULA and self.named:
                    self.arm(Cue.ADJECTIVE, denied=self.denied)
                elif classes & (Word.ADJECTIVE | Word.OPTION):
                    self.named = True
        elif classes & Word.NOUN and self.cue != Cue.REJECT:
            denied = (self.denied and self.cue in (Cue.ARMED, Cue.WEAK)) or denial
            self.end_text_cue(position)
            self.clear()
            self.name(Cue.NOUN, position, denied=denied)
        elif classes & Word.COPULA and self.cue in NOUNS:
            self.arm(self.cue, denied=self.denied)
        elif classes & Word.COPULA and (before & Word.SUBJECT or self.concluding):
            self.clear()
            self.cue, self.denied = Cue.WEAK, denial
        elif classes & Word.ADJECTIVE:
            if self.cue in (Cue.NONE, Cue.OPTION):
                self.name(Cue.ADJECTIVE, position, denied=denial or self.denied)
        elif classes & Word.OPTION:
            if self.cue in (Cue.NOUN, Cue.ADJECTIVE) and self.noun_at == previous:
                self.noun_at = position  # "answer option C"
            else:
                self.end_text_cue(position)
                self.clear()
                self.name(Cue.OPTION, position, denied=denial)
        elif classes & Word.VERB or (classes & Word.PARTICLE and before & Word.GO_VERB):
            denied = denial or self.denied
            self.end_text_cue(position)
            self.arm(Cue.NONE, denied=denied)
        elif classes & Word.GO_VERB:
            self.denial = denial  # "not go with A"
        elif classes & Word.CONCLUSION or (classes & Word.WEAK and self.cue not in NOUNS):
            denied = (denial or self.denied) and not classes & Word.CONCLUSION
            self.end_text_cue(position)
            self.clear()
            self.cue, self.denied = Cue.WEAK, denied
            if classes & Word.CONCLUSION:
                self.supposed, self.concluding = False, True
        elif self.cue in NOUNS:
            self.count_down()
        elif self.cue == Cue.ARMED:
            self.end_text_cue(position)
            noun, denied = self.noun, self.denied
            self.clear()
            if noun != Cue.NONE and not denied:
                self.cue = noun
                self.count_down()
        else:
            self.clear()

    def follows(self, position: int, *words: str) -> bool:
        before = self.at(position - 1)
        return before is not None and before.kind == Kind.WORD and before.text in words

    def name(self, cue: Cue, position: int, *, denied: bool) -> None:
        self.cue, self.denied = cue, denied
        self.noun_at, self.reach = position, CUE_REACH
        self.text_from = -1

    def count_down(self) -> None:
        self.reach -= 1
        if self.reach <= 0:
            self.clear()

    def read_letter(self, position: int) -> int:
        """Judge the group that begins at this letter (sections 4 and 5)."""
        group = self.group(position)
        found = group.found
        last = found.last
        kept_enumeration = self.judge(position, group)
        letters = sum(1 for i in range(position, last + 1) if self.letter(i) >= 0)
        if kept_enumeration:
            last, letters = position, 1
        self.line_words += letters
        self.sentence_letters += letters
        self.sentence_letter = position
        if kept_enumeration or self.asked(last):
            self.sentence_words += 1
        self.last_word = last
        self.denial = False
        self.clear()
        return last + 1

    def asked(self, last: int) -> bool:
        return self.is_mark(self.skip_right(last + 1), "?")

    def reject(self, group: Group) -> None:
        for letter in group.letters:
            self.rejected[letter] = group.found.first
        self.contrast = True

    def judge(self, position: int, group: Group) -> bool:
        """Put the group where it belongs. True if it is a label of an enumeration."""
        found, token = group.found, self.tokens[position]
        single = found.first == found.last
        wrapped = self.is_wrapped(found.first, found.last if single else found.first)
        named = self.cue in (Cue.NOUN, Cue.OPTION) and self.noun_at == self.last_word
        counts = token.upper or wrapped or named
        inside = self.line_words > 0 and self.sentence_words > 0
        last_classes = self.classes(self.last_word)
        copula = inside and bool(last_classes & Word.COPULA) and not last_classes & Word.PLURAL
        closes = (counts or token.text not in "ai") and self.clause_ends(found.last + 1)
        label = single and self.is_label(position)
        if label and self.is_stated(position):
            self.stated.add(found)
        said = self.verdict(found.last, strict=label)
        if self.cue == Cue.REJECT or self.denied or self.denial or said == Verdict.WRONG:
            self.reject(group)
        elif self.asked(found.last) or (self.supposed and self.cue != Cue.NONE):
            pass
        elif (
            (said == Verdict.GOOD and counts)
            or self.cue == Cue.ARMED
            or (self.cue == Cue.CORRECTION and closes)
        ):
            self.declared.add(found)
        elif self.cue == Cue.WEAK and closes:
            (self.declared if self.doubted else self.concluded).add(found)
        elif (
            (named and self.cue == Cue.NOUN)  # "answer C"
            or (copula and wrapped and token.upper)  # "the missing shape is **(C)**"
            or (said == Verdict.FITS and counts)
        ):
            self.concluded.add(found)
        else:
            return self.judge_weak(
                position, group, label=label, counts=counts, wrapped=wrapped, closes=closes
            )
        return False

    def judge_weak(
        self, position: int, group: Group, *, label: bool, counts: bool, wrapped: bool, closes: bool
    ) -> bool:
        """Labels, mentions and enumerations."""
        found = group.found
        value = self.letter(position)
        style = self.label_style(position)
        first = Found(value, position, position)
        if value == self.next_label and style and style == self.style:
            self.next_label += 1
            self.line_label = True
            self.enumerated = True
            self.pending = None
            return True
        option = self.cue == Cue.OPTION and self.noun_at == self.last_word
        single = found.first == found.last
        tier: Tier | None = None
        if label and (self.tokens[position].upper or value < self.count):
            self.line_label = True
            if self.last_word < 0 or (option and self.last_word == self.first_word):
                self.headline = Headline.OPENS
            tier = self.spare if self.headline == Headline.ALONE else self.labelled
        elif (counts and (option or wrapped)) or (
            counts
            and found.index == SEVERAL
            and (self.joined(found) or (not self.line_words and closes))
        ):
            tier = self.mentioned
        if tier is None:
            return False
        if value == 0 and style and (label or not option) and (single or wrapped):
            if self.pending:
                self.pending[0].add(self.pending[1])
            self.next_label, self.style = 1, style
            self.pending = (tier, first if not single else found)
            if not single:
                return True
        else:
            tier.add(found)
        return False

    def joined(self, found: Found) -> bool:
        """A word joins the letters, not only a mark."""
        return any(
            self.classes(i) & (Word.AND | Word.OR) for i in range(found.first, found.last + 1)
        )
