"""The answer proper in a model's free text, or the reason why none: the meaning of the kernel.

The text is read as a careful person would read it: what does the model say its answer is? The
kernel in ``cpp/src/parse`` equals this module bit for bit. Tokens, answer tags and JSON are those
of the choice grammar (``choices.py``, sections 1 and 2).

1.  Region
    1.1 No text is ``missing``; white space and tags alone are ``empty``; mark-up alone is
        ``no_answer``. Reasoning is skipped, reasoning without an end is ``truncated``.
    1.2 The content of the last answer tag that has any is all that is read; of a JSON object the
        value of its answer-like key; an object without one is read as text.

2.  Declarations, from left to right; the last one that holds something is the answer.
    2.1 The content of ``\\boxed{...}``.
    2.2 What follows an answer noun ("answer", "réponse", "Antwort", "respuesta") and a colon, an
        equals sign or an arrow within 12 words of the same sentence; or a line's end right after.
    2.3 What follows an answer noun and a copula: the one right after the noun, else the last one of
        the sentence ("the answer to how many there are is 5").
    2.4 The same in Chinese, Japanese and Korean ("答案是", "正解は", "정답:").
    2.5 No declaration: under "if", and where a denial follows ("the answer is not 5").

3.  A declared answer
    3.1 begins after marks, line ends and adverbs ("is simply 5");
    3.2 is what is wrapped, where it begins with a wrapper (bold, code, dollars, quotes) and the
        rest of it holds no second one; a code fence's content;
    3.3 else goes to the line's or the sentence's end, or to words that begin an explanation
        ("because", "according to", "as shown", ", which"). A period ends no sentence before a
        lower-case letter, inside a word, after "Dr." and its like, after "No." and its like before
        a number, and after an initial that isn't the answer's first word.
    3.4 An answer of more than 256 tokens is cut there, a group holds at most 64.

4.  Without a declaration, up to three last sentences of mere courtesy ("I hope this helps") are
    passed over. Words of refusal are ``refused``; a denied one is ``no_answer``; a cue at
    the text's end is ``truncated``. Else the answer is *inferred*, and the whole text stands beside
    it, because both are fair readings of a text that does not say which part is its answer:
    4.1 "Yes" or "no" that opens the text before a mark ("Yes, it is.").
    4.2 The one bold group, unless a colon makes it a heading.
    4.3 In the last sentence, what follows its last equals sign, copula or colon, but of "there is"
        its first, if that has at most 16 words and no denial first ("The title is Annual Report.").
    4.4 The one quoted group.
    4.5 The last line of at most 6 words, where 8 words or more stand before it, or a colon.
    4.6 The last sentence, where "so", "therefore" or the like opens it; else the whole.

5.  Trimming, on both ends and again until nothing changes: mark-up, paired quotes and brackets (of
    square ones those without a comma), at the front commas, colons, bullets and dashes before a
    space, at the back commas, colons and periods, "です" and its like.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.choice_regions import answer_region, is_blank, tagged
from tests.reference.choice_tokens import Kind, tokenize
from tests.reference.choice_words import CJK_REFUSALS, REFUSALS, Word
from tests.reference.short_answer_view import (
    MOST_ANSWER_TOKENS,
    MOST_GROUP_TOKENS,
    MOST_WRAPS,
    QUOTES,
    ShortAnswerView,
    Slice,
)
from tests.reference.short_answer_words import (
    ADVERBS,
    CJK_NOUNS,
    CJK_STATEMENTS,
    COURTESIES,
    EQUALS,
    POLARITIES,
)
from tests.reference.thinking import skip_reasoning

from fastvbench.core._status import Status

__all__ = ["ShortAnswer", "Slice", "read"]

CUE_REACH = 12  # words between an answer noun and its colon
MOST_COMPLEMENT_WORDS = 16
MOST_COURTESIES = 3
MOST_LAST_LINE_WORDS = 6
FEWEST_WORDS_BEFORE = 8
NO_SPAN = (-1, -1)


class ShortAnswer(NamedTuple):
    """One row: ``span`` is the answer proper, ``whole`` the other fair reading (or the same)."""

    status: Status
    span: tuple[int, int]
    whole: tuple[int, int]


def read(text: str | bytes | None) -> ShortAnswer:
    """Read one answer.

    Args:
        text: the model's raw text.
    """
    if text is None:
        return ShortAnswer(Status.MISSING, NO_SPAN, NO_SPAN)
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    reasoning = skip_reasoning(raw)
    if reasoning.truncated:
        return ShortAnswer(Status.TRUNCATED, NO_SPAN, NO_SPAN)
    begin = reasoning.answer_begin
    parsed = _Row(raw[begin:]).read()
    return parsed._replace(
        span=_shifted(parsed.span, begin),
        whole=_shifted(parsed.whole, begin),
    )


def _shifted(span: tuple[int, int], begin: int) -> tuple[int, int]:
    return span if span == NO_SPAN else (span[0] + begin, span[1] + begin)


class _Row(ShortAnswerView):
    """One answer behind its reasoning."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(tokenize(raw))
        self.found: Slice | None = None
        self.denied = False
        self.open = False  # a cue has nothing after it

    # ---- the row ---------------------------------------------------------------------------

    def read(self) -> ShortAnswer:
        if all(is_blank(token) for token in self.tokens):
            return ShortAnswer(Status.EMPTY, NO_SPAN, NO_SPAN)
        self.low, self.high = answer_region(self.tokens) or tagged(self.tokens)
        self.declare()
        if self.found:
            span = self.span(self.found)
            return ShortAnswer(Status.OK, span, span)
        self.drop_courtesies()
        whole = self.trim(Slice(self.low, self.high))
        if refusal := self.refusal():
            shown = self.span(whole) if whole.low < whole.high else NO_SPAN
            return ShortAnswer(Status.REFUSED, self.span(refusal), shown)
        if self.open or self.denied or whole.low >= whole.high:
            status = Status.TRUNCATED if self.open else Status.NO_ANSWER
            return ShortAnswer(status, NO_SPAN, NO_SPAN)
        proper = self.infer() or whole
        return ShortAnswer(Status.OK, self.span(proper), self.span(whole))

    # ---- declarations (section 2) ----------------------------------------------------------

    def declare(self) -> None:
        noun = copula = -1
        reach = 0
        supposed = False
        i = self.low
        while i < self.high:
            kind = self.kind(i)
            step = i + 1
            if kind == Kind.CUE and self.text(i) == "\\":
                self.boxed(i)
            elif kind == Kind.LINE or self.ends_sentence(i, self.low):
                if kind == Kind.LINE and noun >= 0 and self.words(Slice(noun + 1, i)) == 0:
                    self.take(i + 1)
                elif copula >= 0:
                    self.take(copula + 1)
                noun = copula = -1
                supposed = False
            elif kind == Kind.MARK and self.text(i) in ":=→" and noun >= 0:
                self.take(i + 1)
                noun = copula = -1
            elif kind == Kind.CJK and (size := self.cjk_cue(i)):
                self.take(i + size)
                noun = copula = -1
                step = i + size
            elif kind == Kind.WORD:
                classes = self.classes(i)
                if classes & Word.NOUN:
                    if not supposed:
                        noun, copula, reach = i, -1, CUE_REACH
                elif noun < 0 and classes & Word.HYPOTHESIS:
                    supposed = True
                elif noun >= 0 and classes & Word.NOT:
                    if copula < 0:
                        self.denied = True
                        noun = -1
                elif noun >= 0 and classes & Word.COPULA:
                    if self.words(Slice(noun + 1, i)) == 0:
                        self.take(i + 1)
                        noun = -1
                    else:
                        copula = i
                elif noun >= 0:
                    reach -= 1
                    if reach <= 0 and copula < 0:
                        noun = -1
            i = step
        if copula >= 0:
            self.take(copula + 1)

    def boxed(self, cue: int) -> None:
        """The content of the braces after the cue, up to their match or the end."""
        i = cue + 1
        if not self.is_wrap(i, "{"):
            return
        depth = 0
        stop = min(self.high, i + MOST_ANSWER_TOKENS)
        for end in range(i, stop):
            depth += self.is_wrap(end, "{") - self.is_wrap(end, "}")
            if depth == 0:
                break
        else:
            end = stop
        self.keep(Slice(i + 1, end))

    def cjk_cue(self, i: int) -> int:
        """The number of tokens of a cue that begins here, 0 for none."""
        for cue in CJK_STATEMENTS:
            if self.spells(i, cue):
                return len(cue)
        for cue in CJK_NOUNS:
            after = i + len(cue)
            if self.spells(i, cue) and (
                self.is_mark(after, ":=→") or self.kind(after) == Kind.LINE
            ):
                return len(cue) + 1
        return 0

    def take(self, begin: int) -> None:
        """The answer that begins behind a cue (section 3)."""
        i = begin
        while i < self.high and (
            self.kind(i) in (Kind.LINE, Kind.CLOSE)
            or self.is_mark(i, ":=→…—,")
            or (self.kind(i) == Kind.WRAP and not self.opens(i))
            or (self.kind(i) == Kind.WORD and self.text(i) in ADVERBS)
        ):
            i += 1
        if i >= self.high:
            self.open = True
            return
        self.open = False
        if self.classes(i) & Word.NOT:
            self.denied = True
            return
        end = self.value_end(i)
        self.keep(self.wrapped(i, end) or Slice(i, end))

    def keep(self, part: Slice) -> None:
        trimmed = self.trim(part)
        if trimmed.low < trimmed.high:
            self.found = trimmed

    def opens(self, i: int) -> bool:
        """A wrap that touches what follows, and so may open a group."""
        return i + 1 < self.high and self.glued(i + 1) and self.kind(i + 1) != Kind.LINE

    def wrapped(self, i: int, end: int) -> Slice | None:
        """The content of the one wrapper that a value begins with (3.2)."""
        size = self.run(i)
        if self.is_wrap(i, "`") and size >= 3:
            return self.fenced(i + size)
        close = self.group_end(i, end)
        if not close:
            return None
        if any(
            self.kind(k) == self.kind(i) and self.text(k) == self.text(i) for k in range(close, end)
        ):
            return None
        return Slice(i + size, close - size)

    # ---- inference (section 4) -------------------------------------------------------------

    def refusal(self) -> Slice | None:
        """The first words that decline to answer."""
        content = [i for i in range(self.low, self.high) if self.is_word(i)]
        texts = [self.tokens[i].text for i in content]
        for place, text in enumerate(texts):
            phrases = REFUSALS if self.kind(content[place]) == Kind.WORD else CJK_REFUSALS
            for phrase in phrases:
                if text == phrase[0] and texts[place : place + len(phrase)] == list(phrase):
                    return Slice(content[place], content[place + len(phrase) - 1] + 1)
        return None

    def infer(self) -> Slice | None:
        for reading in (
            self.fence,
            self.polarity,
            self.bold,
            self.complement,
            self.quoted,
            self.conclusion,
            self.last_line,
        ):
            part = reading()
            if part is not None:
                part = self.trim(part)
                if part.low < part.high:
                    return part
        return None

    def fence(self) -> Slice | None:
        """A text that begins with a code fence is its content."""
        i = self.low
        while self.kind(i) == Kind.LINE:
            i += 1
        return self.fenced(i + self.run(i)) if self.is_wrap(i, "`") and self.run(i) >= 3 else None

    def polarity(self) -> Slice | None:
        i = self.low
        while i < self.high and not self.is_word(i):
            i += 1
        if self.kind(i) != Kind.WORD or self.text(i) not in POLARITIES:
            return None
        after = i + 1
        while self.kind(after) == Kind.WRAP:
            after += 1
        if not self.is_mark(after, ",.!:;-—"):
            return None
        if self.text(after) == "." and not self.ends_sentence(after, self.low):
            return None
        if self.text(after) == "-" and self.glued(after):
            return None
        return Slice(i, i + 1)

    def bold(self) -> Slice | None:
        return self.one_group("*", 2)

    def quoted(self) -> Slice | None:
        return self.one_group('"', 1)

    def one_group(self, mark: str, size: int) -> Slice | None:
        """The only group between such marks; of several with the same words the last."""
        found: Slice | None = None
        i = self.low
        while i < self.high:
            if not ((self.is_wrap(i, mark) or self.is_mark(i, mark)) and self.run(i) >= size):
                i += 1
                continue
            line = i
            stop = min(self.high, i + MOST_WRAPS + MOST_GROUP_TOKENS)
            while line < stop and self.kind(line) != Kind.LINE:
                line += 1
            close = self.group_end(i, line)
            if not close:
                i += self.run(i)
                continue
            part = Slice(i + self.run(i), close - self.run(i))
            heading = self.is_mark(part.high - 1, ":") or self.is_mark(close, ":")
            i = close
            if heading or not self.words(part):
                continue
            if found and self.texts(found) != self.texts(part):
                return None
            found = part
        return found

    def texts(self, part: Slice) -> list[str]:
        return [self.text(i) for i in range(part.low, part.high) if self.is_word(i)]

    def last_sentence(self) -> Slice:
        """From its first token to its last word."""
        end = self.high
        while end > self.low and not self.is_word(end - 1):
            end -= 1
        begin = end
        while begin > self.low and not (
            self.kind(begin - 1) == Kind.LINE or self.ends_sentence(begin - 1, self.low)
        ):
            begin -= 1
        return Slice(begin, end)

    def drop_courtesies(self) -> None:
        """Sentences at the end that are addressed to the reader; one sentence is always kept."""
        for _ in range(MOST_COURTESIES):
            begin, end = self.last_sentence()
            words = [self.text(i) for i in range(begin, end) if self.is_word(i)][:4]
            courteous = any(tuple(words[: len(phrase)]) == phrase for phrase in COURTESIES)
            if not courteous or self.words(Slice(self.low, begin)) == 0:
                return
            self.high = begin

    def conclusion(self) -> Slice | None:
        begin, _ = self.last_sentence()
        while begin < self.high and not self.is_word(begin):
            begin += 1
        if not self.classes(begin) & Word.CONCLUSION:
            return None
        return Slice(begin + 1, self.value_end(begin + 1))

    def complement(self) -> Slice | None:
        begin, end = self.last_sentence()
        stop = self.high
        verb = -1
        existential = False  # "there is" was said
        for i in range(begin, end):
            equals = self.is_mark(i, "=") or (self.kind(i) == Kind.WORD and self.text(i) in EQUALS)
            key = self.is_mark(i - 1, QUOTES)  # of an object
            colon = self.is_mark(i, ":") and not self.glued(i + 1) and not key
            if equals or (not existential and (colon or self.classes(i) & Word.COPULA)):
                verb = i
                existential = self.text(i - 1) == "there"
            elif verb >= 0 and self.explains(i):
                stop = i
                break
        if verb < 0 or self.words(Slice(begin, verb)) == 0:
            return None
        first = begin
        while not self.is_word(first):
            first += 1
        if self.classes(first) & Word.HYPOTHESIS:
            return None
        part = Slice(verb + 1, min(stop, self.value_end(verb + 1)))
        first = part.low
        while first < part.high and not self.is_word(first):
            first += 1
        if not 0 < self.words(part) <= MOST_COMPLEMENT_WORDS or self.classes(first) & Word.NOT:
            return None
        return part

    def last_line(self) -> Slice | None:
        end = self.high
        while end > self.low and not self.is_word(end - 1):
            end -= 1
        begin = end
        while begin > self.low and self.kind(begin - 1) != Kind.LINE:
            begin -= 1
        part = Slice(begin, end)
        before = self.words(Slice(self.low, begin))
        place = begin - 1
        while self.kind(place) in (Kind.LINE, Kind.WRAP):
            place -= 1
        follows = before >= FEWEST_WORDS_BEFORE or self.is_mark(place, ":")
        return part if follows and self.words(part) <= MOST_LAST_LINE_WORDS else None
