"""From text to items: sections 1.3, 3 and 6 of the timestamp grammar."""

from __future__ import annotations

from tests.reference.timestamp_gap import (
    BAR,
    CLOSING,
    COLON,
    LINE_END,
    OPENING,
    RANGE_SIGN,
    ROW,
    SEPARATOR,
    SIGN,
    SLASH,
    WORD,
    WORD_EFFECTS,
    Gap,
)
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
    range_sign_follows,
    read_item,
    skip_spaces,
    word_at,
)
from tests.reference.timestamp_pairs import Pairs
from tests.reference.timestamp_words import (
    CJK_WORDS,
    KEY_KINDS,
    LEADING_UNITS,
    UNIT_SECONDS,
    KeyKind,
    WordKind,
    word_kind,
)

from fastvbench.core._status import Flag, Status

__all__ = ["Reader"]

_MARKUP = frozenset("*_`\"'“”‘’„«»‹›「」『』《》〈〉$^+@>\u200d")
_OPENERS = frozenset("([{（【［｛")
_CLOSERS = frozenset(")]}）】］｝")
_STOPS = frozenset("!?。！？")
_LIST_SEPARATORS = frozenset(",;，、；")
_BULLETS = frozenset("•·‣▪●◦")
_TAG_LIMIT = 64
_KEY_LIMIT = 48


class Reader(Pairs):
    """Reads one answer from left to right."""

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
                self.effect(RANGE_SIGN)
                gap = self.gap
            else:
                item.begin -= 1
            self.gap &= ~Gap.MINUS
        item.starts_line = bool(gap & Gap.LINE)
        if gap & Gap.NAME and item.unit == 0.0 and item.kind != ItemKind.PERCENT:
            name = True  # but "scene 0:12 - 0:20", "frames 5 s to 9 s"
        if gap & Gap.DATE and item.is_bare:
            name = True
        if gap & Gap.CONFIDENCE and item.kind == ItemKind.PERCENT:
            name = True
        if gap & Gap.SCORE and item.is_bare and not range_sign_follows(text, end):
            name = True  # but "with high confidence at 5 - 9"
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
                self.effect((ROW & ~Gap.BETWEEN | Gap.CONFIDENCE, WORD | Gap.RANGE))
                self.range_word_end = end
                return
            self.resolve_end()
            self.and_left = self.last if gap & Gap.TOUCH else None
        elif kind == WordKind.BETWEEN_BEHIND:
            first, second = self.and_left, self.last
            both = first is not None and second is not None and first is not second
            if gap & Gap.TOUCH and both and self.can_pair(first, second):
                self.pair_or_drop(first, second)
            self.and_left = None
        elif kind == WordKind.START_POINT:
            if gap & Gap.FROM:
                self.resolve_end()
                self.last = Item(ItemKind.NUMBER, begin, end, 0.0, 1.0, virtual=True)
        elif kind in (WordKind.END_POINT, WordKind.END):
            first = self.last if self.last is not None else self.pending_start
            needed = Gap.RANGE | Gap.UNTIL
            if kind == WordKind.END:  # "until the video ends"
                needed = Gap.UNTIL if gap & Gap.VIDEO else Gap(0)
            if gap & needed and first is not None and self.to_end_of is None:
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
        elif word == "is" and gap & Gap.ANSWER and not self.braces:
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
        self.effect(COLON)

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
            word_char = (char.isascii() and char.isalnum()) or char in "_-"
            if not (word_char or (quoted and char == " ")):
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

    def forget_list_number(self, index: int) -> bool:
        """Section 2.10: whether ``1.`` or ``1)`` before ``index`` numbers the line's text."""
        item = self.last
        if item is None or not item.starts_line or item.plain_digits == 0:
            return False
        after = skip_spaces(self.text, index)
        if after == index or after == len(self.text) or self.text[after] in "\r\n":
            return False
        self.forget_item(item)
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
            self.effect(RANGE_SIGN)
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
                self.effect(SIGN)
                self.gap |= Gap.NAME
                return end
            self.effect((SIGN[0], Gap.MINUS))
            return end
        self.effect(RANGE_SIGN)
        return end

    def read_tag(self, index: int) -> int:
        """Section 1.3; returns the index behind the tag, or ``index`` where none begins."""
        text = self.text
        name_begin = index + 1
        closing = char_at(text, name_begin) == "/"
        if closing:
            name_begin += 1
        first = char_at(text, name_begin)
        if not first or not (first == "|" or (first.isascii() and first.isalpha())):
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
        if is_digit(char) or (point and self.item_end != index):
            return self.read_number(index)
        if char == "<":
            return max(self.read_tag(index), index + 1)
        if char in _OPENERS:
            self.depth += 1
            self.braces += char == "{"
            if not silent:
                self.effect(OPENING)
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
        self.effect(CLOSING)

    def end_line(self) -> None:
        """A row of a table ends what is open in it."""
        if self.gap & Gap.TABLE:
            self.last = None
            self.weak = None
        self.effect(LINE_END)

    def read_mark(self, char: str, index: int) -> int:
        """Punctuation and letters of other scripts."""
        text = self.text
        following = char_at(text, index + 1)
        if char in SPACES:
            return index + 1
        if char in "\r\n":
            self.end_line()
            return index + 1
        if (
            char == "*" and self.gap & Gap.LINE and following and following in SPACES
        ) or char in _BULLETS:
            self.stop()
        elif char in _MARKUP or char == "*":
            pass
        elif char == "\\":
            if following == "n" and not "a" <= char_at(text, index + 2) <= "z":
                self.end_line()
                return index + 2
        elif char == "#":
            pass  # the number behind it looks back
        elif char == ".":
            self.read_point(index)
        elif char in _STOPS:
            self.stop()
        elif char in _LIST_SEPARATORS:
            self.resolve_end()
            self.effect(SEPARATOR)
        elif char == "|":
            table = self.gap & (Gap.LINE | Gap.TABLE)
            self.effect(BAR)
            if table:
                self.gap |= Gap.TABLE
        elif char == "/":
            self.effect(SLASH)
        elif char == "&":
            self.read_word("&", WordKind.AND, index, index + 1)
        elif char == "=":
            if following == ">":
                self.effect(RANGE_SIGN)
                return index + 2
            self.effect(COLON)
        elif char in DASHES:
            return self.read_dash(index)
        elif char in TILDES:
            if self.gap & Gap.TOUCH:
                self.effect(RANGE_SIGN)
        elif char in ARROWS:
            self.effect(RANGE_SIGN)
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
