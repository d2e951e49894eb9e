"""The option that a model's raw text gives, or the reason why none: the meaning of parse_choice.

The text is read as a careful person would read it: what does the model say its answer is? Never
"which capital letter comes first". The kernel in ``cpp/src/parse`` equals this module bit for bit.

1.  Region
    1.1 No text is ``missing``; white space and tags alone are ``empty``.
    1.2 Reasoning is skipped (``thinking.py``); reasoning without an end is ``truncated``.
    1.3 The content of the last opening answer tag that has any, up to its closing tag or the end,
        is all that is read. Without such content the tag is mark-up.
    1.4 Where the text holds a JSON object (``{``, a key, ``:``), only the value of its answer-like
        key is read: a key that names a letter before one that names an answer, before one that
        names an option; of equals the last. An object without such a key is skipped: what stands
        before it is read, else what stands after it, else there is ``no_answer``.

2.  Tokens (``choice_tokens.py``): words (folded by a fixed simple set: full-width, ASCII, Latin-1,
    Greek, Cyrillic; a number with its inner marks is one word), single CJK characters, marks, line
    ends, and mark-up that readers don't see (``* _ ` $ # ~ { }``, tags, chat tokens, LaTeX styles).
    A *letter* is a word of one ASCII or full-width letter that is not part of a compound
    ("C-section", "R+", "e.g.", "N/A").

3.  Whole answer. If all words are one letter of the alphabet ("C", "(c)", "A A A"), that is the
    answer. Else, if the text is exactly one option's text, it is that option. Else several letters
    ("A, B", "A or C") and a word that lists letters in rising order ("ABCD") are ``ambiguous``, and
    a letter outside the alphabet is ``not_an_option``.

4.  Cues and letters, from left to right, one clause at a time. A *group* is a letter, or letters
    joined by commas, slashes, and / or or by mere space ("A and C"); with different letters it
    stands for several. In this order:
    4.1 rejected: the group follows a denial or a rejecting word ("not A", "rather than A", "the
        answer isn't A"), or it is said to be wrong ("A is incorrect", "A and D are wrong").
    4.2 asked ("is it A?") or supposed ("if the answer is A,"): nothing.
    4.3 *declared*: it follows an armed cue ("Answer: C", "the best option is C", "I'd go with C",
        "选C", boxed), or it is said to be right ("C is the correct one", "Cが正解"). An answer noun
        or a praising adjective is armed by a copula or a colon within 12 words of the same
        sentence, an answer noun also by its line's end.
    4.4 *corrected*: the same for "wait, C", "not A but C", "no, C", when the clause ends after it.
    4.5 *concluded*: "so C", "I think it is C", "it's C", in a sentence that "therefore" opens also
        "x is C", when the clause ends after it; "D fits"; "answer C"; and after any "is" in a
        wrapper: "the missing shape is **(C)**". After a word of doubt ("wait", "scratch that")
        the first four are corrections.
    4.6 *labelled*: first on its line before a delimiter ("C. red", "C) red", "C\\n").
        Also "Option C: red". Where a label opens the text and a blank or plain line follows, it
        stands alone: later labels explain.
    4.7 *mentioned*: bracketed, bold, quoted or in dollars, or after an option noun ("option C").
    4.8 Else it is a word like others: "Vitamin C", "plan B", "A man", "A shows ...".
    An unwrapped A, I or lower-case letter with a plain word after it is an article or a pronoun.

5.  Enumeration. Labels A, B, C ... in order with the same delimiter list the options: they count
    neither as labels nor as mentions, on one line or several. A declaration among them counts.

6.  A letter alone in the last sentence is declared (lower case: alone on the last line).

7.  Decision. The first of these that has candidates decides:
    7.1 declared and corrected: the last one. A letter rejected later is withdrawn. If an armed cue
        with an option's text comes after the last of them, that option is the answer.
    7.2 concluded: the last one, withdrawn likewise.
    7.3 labelled: the one letter, ``ambiguous`` if there are several.
        Where several letters are labelled, the one whose text is "correct" or a tick.
    7.4 option texts first on a line: likewise.
    7.5 words of refusal: ``refused``, unless they are part of a mentioned option text.
    7.6 mentioned letters that are nowhere rejected: the one, else ``ambiguous``; not where they
        stand inside the one mentioned option text.
    7.7 mentioned option texts: the one, else ``ambiguous``.
    A letter outside the alphabet is ``not_an_option`` in 7.1 to 7.3, unless an option's text is
    found; among labels and mentions it gives way to letters inside.
    7.8 Nothing: ``ambiguous`` after an enumeration, ``truncated`` when the text ends right after an
        armed cue ("The answer is ("), else ``no_answer``.

8.  Option texts (``choice_options.py``) are compared word by word, so case, spacing, punctuation
    and mark-up don't matter and matches end at word boundaries. A label before an option's text is
    not part of it. A mention inside a longer option's mention doesn't count, nor a denied one.
    Two options with the same text are ``ambiguous`` unless a letter decides. An option whose text
    is a single letter is found by it only where that letter is outside the alphabet.

9.  Options that are a number (digits or a word up to twenty) count only if theirs is the answer's
    only number, as often as it is said; "one" is a number only where there is no other.

Readings that the public rules leave open:
  * "Among the options, D fits.": the letter is its clause's subject, yet the clause gives a verdict
    on it. Verdicts ("is correct", "fits") declare; every other subject doesn't count. So D.
  * "I don't know": ``refused``. "The answer is not given.", "None of the above", "All of them",
    "According to the video": ``no_answer``, unless an option says so.
  * "3" where an option is "Three": that option, by section 9.
  * "The video shows berries on the tree.": Berries, by 7.7.
  * "(A) (B)", "A and C", "A, B": ``ambiguous``.
  * "The answer is A red car": an article by 4.8; the option text "red car" decides if there is one.
  * "A A A A" says A; "AAAA" is no letter.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from tests.reference.choice_clauses import LetterReader
from tests.reference.choice_options import SEVERAL, Found, OptionTexts
from tests.reference.choice_regions import answer_region, is_blank
from tests.reference.choice_tokens import Kind, Token, tokenize
from tests.reference.choice_words import CJK_REFUSALS, REFUSALS
from tests.reference.thinking import skip_reasoning

from fastvbench.core._status import Status

__all__ = ["Parsed", "parse"]


class Parsed(NamedTuple):
    """One row of ``Choices``."""

    index: int
    status: Status
    span: tuple[int, int]


NO_SPAN = (-1, -1)


def parse(text: str | bytes | None, options: int | list[str]) -> Parsed:
    """Read one answer.

    Args:
        text: the model's raw text.
        options: the number of letters, or the option texts in order.

    Returns:
        The option's index from 0 (-1 without one), the status, and the byte span that was read.
    """
    if text is None:
        return Parsed(-1, Status.MISSING, NO_SPAN)
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    reasoning = skip_reasoning(raw)
    if reasoning.truncated:
        return Parsed(-1, Status.TRUNCATED, NO_SPAN)
    count = options if isinstance(options, int) else len(options)
    encoded = (
        []
        if isinstance(options, int)
        else [option.encode("utf-8", "surrogatepass") for option in options]
    )
    begin = reasoning.answer_begin
    parsed = _Row(tokenize(raw[begin:]), count, encoded).parse()
    if parsed.span == NO_SPAN:
        return parsed
    return parsed._replace(span=(parsed.span[0] + begin, parsed.span[1] + begin))


class _Row:
    """One answer with its options."""

    def __init__(self, tokens: list[Token], count: int, options: list[bytes]) -> None:
        self.tokens = tokens
        self.count = count
        self.options = options

    def result(self, found: Found) -> Parsed:
        span = (self.tokens[found.first].begin, self.tokens[found.last].end)
        if found.index == SEVERAL:
            return Parsed(-1, Status.AMBIGUOUS, span)
        if found.index >= self.count:
            return Parsed(-1, Status.NOT_AN_OPTION, span)
        return Parsed(found.index, Status.OK, span)

    def parse(self) -> Parsed:
        tokens = self.tokens
        if all(is_blank(token) for token in tokens):
            return Parsed(-1, Status.EMPTY, NO_SPAN)
        region = answer_region(tokens)
        if region is None:
            return Parsed(-1, Status.NO_ANSWER, NO_SPAN)
        self.low, self.high = region
        reader = LetterReader(tokens, self.low, self.high, self.count)
        texts = OptionTexts(self.options, tokens, self.low, self.high) if self.options else None
        whole = reader.whole()
        if whole and whole.index < self.count and whole.index != SEVERAL:
            return self.result(whole)
        if texts and (found := texts.whole()):
            return self.result(found)
        if whole:
            return self.result(whole)
        if found := self.word_of_letters():
            return self.result(found)
        reader.read()
        return self.decide(reader, texts)

    def word_of_letters(self) -> Found | None:
        """The whole answer is one word such as "ABCD" (section 3)."""
        words = [
            i for i in range(self.low, self.high) if self.tokens[i].kind in (Kind.WORD, Kind.CJK)
        ]
        if len(words) != 1 or not self.tokens[words[0]].upper:
            return None
        text = self.tokens[words[0]].text
        token = self.tokens[words[0]]
        rising = all(first < second for first, second in itertools.pairwise(text))
        inside = all("a" <= c <= "z" and ord(c) - ord("a") < self.count for c in text)
        if len(text) < 2 or not rising or not inside or not token.capitals:
            return None
        return Found(SEVERAL, words[0], words[0])

    def decide(self, reader: LetterReader, texts: OptionTexts | None) -> Parsed:
        outside: Found | None = None
        declared = reader.declared.last(reader.rejected)
        if texts and reader.text_cue and (declared is None or reader.text_cue[0] > declared.first):
            found = texts.after_cue(*reader.text_cue)
            if found:
                return self.result(found)
        for candidate in (declared, reader.concluded.last(reader.rejected)):
            if candidate:
                if candidate.index < self.count or candidate.index == SEVERAL:
                    return self.result(candidate)
                outside = candidate
                break
        labelled = reader.labelled.only(reader.rejected, self.count, later=True)
        stated = reader.stated.only(reader.rejected, self.count, later=True)
        several = reader.enumerated or (labelled is not None and labelled.index == SEVERAL)
        if outside is None and several and stated and stated.index < self.count:
            return self.result(stated)
        if outside is None and labelled:
            if labelled.index < self.count or labelled.index == SEVERAL:
                return self.result(labelled)
            outside = labelled
        if texts and outside and (found := texts.named(outside)):
            return self.result(found)
        if texts and (found := texts.first_on_line()):
            return self.result(found)
        refusal = self.refusal()
        mentioned = texts.mentioned() if texts else None
        if refusal and outside is None:
            if mentioned and mentioned.first <= refusal.first and refusal.last <= mentioned.last:
                return self.result(mentioned)
            span = (self.tokens[refusal.first].begin, self.tokens[refusal.last].end)
            return Parsed(-1, Status.REFUSED, span)
        if outside is None:
            letters = reader.mentioned.only(reader.rejected, self.count, later=False)
            inside = (
                letters
                and mentioned
                and mentioned.index != SEVERAL
                and mentioned.first <= letters.first <= letters.last <= mentioned.last
            )
            if letters and not inside and (letters.index < self.count or letters.index == SEVERAL):
                return self.result(letters)
        if mentioned:
            return self.result(mentioned)
        if outside:
            return self.result(outside)
        if reader.enumerated:
            return Parsed(-1, Status.AMBIGUOUS, NO_SPAN)
        status = Status.TRUNCATED if reader.ends_armed else Status.NO_ANSWER
        return Parsed(-1, status, NO_SPAN)

    def refusal(self) -> Found | None:
        """The first words that decline to answer (section 7.5)."""
        content = [
            i for i in range(self.low, self.high) if self.tokens[i].kind in (Kind.WORD, Kind.CJK)
        ]
        texts = [self.tokens[i].text for i in content]
        for place, text in enumerate(texts):
            phrases = REFUSALS if self.tokens[content[place]].kind == Kind.WORD else CJK_REFUSALS
            for phrase in phrases:
                if text == phrase[0] and texts[place : place + len(phrase)] == list(phrase):
                    return Found(-1, content[place], content[place + len(phrase) - 1])
        return None
