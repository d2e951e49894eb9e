r"""A short answer in a model's free text, and the number that it gives, read with care.

The text behind the reasoning is read, of an answer tag its content. What follows the last "answer
is", "answer:" or stands in the last ``\boxed{}`` is the answer; without one of these the only
bold group, the last sentence and the whole text are all fair readings.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

__all__ = ["ShortText", "as_number", "comparable", "only_number", "read_short_text"]

_MOST_CHARACTERS = 20_000  # an answer stands at the end; what lies before that is not looked at
_MOST_DECLARED = 400

_DECLARED = re.compile(
    r"(?i)\banswers?\b(?:[ \t]{0,4}\*{0,2}[ \t]{0,4}(?:is|are|=|:|："
    r"|would be|should be|->|→))[:：]?[ \t\r\n*]{0,8}|答案(?:是|为|為|[:：])\s{0,4}|\\boxed(?=\{)"
)
_DENIED = re.compile(r"(?i)(?:not|n't|unknown|unclear|impossible)\b")
_SENTENCE_END = re.compile(r"[.!?。](?=\s|$)|\n")
_BLANK_MARKS = " \t\r\n*_`\"'“”‘’()[]{}<>$.,;:!?。，：；！？"
_LABEL = re.compile(r"(?i)</?answer>|<\|[a-z_]{1,20}\|>")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])[-+−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.\d+|(?<=\d))"
    r"(?:[eE][-+]?\d{1,3})?(?![0-9]|[A-Za-z_]\w*\d)"
)
_BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*(?!\s{0,2}:)")
_CLOSING_WORDS = re.compile(
    r"(?i)(?:is there anything else|do you have (?:any )?(?:other|more) questions|i hope this"
    r"|let me know|please let me know|feel free|sure, i can|here is the)\b"
)
_SPACES = re.compile(r"\s+")
_EXPLAINS = re.compile(r"(?i)[,;]?\s(?:because|since|as shown|according to|therefore)\b")


class ShortText(NamedTuple):
    """What was read.

    Attributes:
        answer: the answer proper, None where there is none.
        others: further fair readings; empty where the text declares its answer.
        declared: whether the text says which part is its answer.
    """

    answer: str | None
    others: tuple[str, ...] = ()
    declared: bool = False


def read_short_text(text: str) -> ShortText:
    """Read one answer.

    Args:
        text: the model's text.

    Example:
        >>> read_short_text("The bars add up. The answer is **12 apples**.").answer
        '12 apples'
        >>> read_short_text("ITC Limited").answer
        'ITC Limited'
    """
    behind = text.rpartition("</think>")[2][-_MOST_CHARACTERS:]
    tag = behind.lower().rfind("<answer>")
    if tag >= 0:
        inside = behind[tag + len("<answer>") :]
        behind = re.split(r"(?i)</answer>", inside, maxsplit=1)[0] or behind
    behind = _LABEL.sub(" ", behind)
    declared = _declared(behind)
    if declared is not None:
        return ShortText(declared, declared=True)
    whole = _trimmed(behind)
    if not whole:
        return ShortText(None)
    readings = [*_one_bold_group(behind), _last_sentence(behind), whole]
    first, *others = dict.fromkeys(filter(None, readings))
    return ShortText(first, tuple(others))


def _one_bold_group(text: str) -> list[str]:
    """The only part of a text that is bold; nothing where there are several."""
    groups = {_trimmed(bold.group(1)) for bold in _BOLD.finditer(text) if bold[1][-1] != ":"}
    return list(groups) if len(groups) == 1 else []


def _declared(text: str) -> str | None:
    """What the last declaration that holds something declares."""
    found = None
    for cue in _DECLARED.finditer(text):
        rest = text[cue.end() : cue.end() + _MOST_DECLARED]
        if _DENIED.match(rest):
            continue
        value = _in_braces(rest) if rest.startswith("{") else _to_sentence_end(rest)
        value = _trimmed(value)
        if value:
            found = value
    return found


def _in_braces(text: str) -> str:
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return text[1:place]
    return text[1:]


def _to_sentence_end(text: str) -> str:
    stop = _SENTENCE_END.search(text.lstrip("\n"))
    value = text.lstrip("\n")[: stop.start()] if stop else text
    reason = _EXPLAINS.search(value)
    return value[: reason.start()] if reason and reason.start() > 0 else value


def _last_sentence(text: str) -> str:
    """The last sentence that says something, without the words that close a conversation."""
    stops = [0, *(end.end() for end in _SENTENCE_END.finditer(text)), len(text)]
    for start, stop in zip(reversed(stops[:-1]), reversed(stops[1:]), strict=True):
        part = _trimmed(text[start:stop])
        if part and not _CLOSING_WORDS.match(part):
            return part
    return _trimmed(text)


def _trimmed(text: str) -> str:
    """Without white space and mark-up around it; brackets stay where they hold a list."""
    bare = text.strip(" \t\r\n")
    is_list = bare.startswith("[") and "]" in bare
    kept = bare.strip(_BLANK_MARKS.replace("[", "").replace("]", "") if is_list else _BLANK_MARKS)
    # A point that belongs to a number, a bracket or a sign that belongs to the answer.
    start = bare.find(kept)
    if kept[:1].isdigit() and start > 0 and bare[start - 1] == ".":
        kept = "." + kept
    for opening, closing in ("()", "{}"):
        if kept.count(opening) == kept.count(closing) + 1:
            kept += closing
    return kept


def comparable(text: str) -> str:
    """A text in the form in which two answers are compared.

    Compatible characters and case are folded, mark-up, surrounding marks and spare white space go.

    Example:
        >>> comparable(" “New  York”. "), comparable("Ｙｅｓ")
        ('new york', 'yes')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _SPACES.sub(" ", folded.strip(_BLANK_MARKS)).strip()


def as_number(text: str) -> float | None:
    """The number that a short text is: the only one in it; None where there is none or several.

    Thousands separators are read; NaN, infinity and words are no numbers. A per cent sign is
    passed over.

    Example:
        >>> as_number("$1,234.5 million"), as_number("12%"), as_number("3 or 4"), as_number("inf")
        (1234.5, 12.0, None, None)
    """
    values = _numbers(text)
    return values[0] if len(set(values)) == 1 else None


def only_number(read: ShortText) -> float | None:
    """The number of an answer: the only one in it, else the one behind its last equals sign.

    Args:
        read: the answer.

    Example:
        >>> only_number(ShortText("2 + 3 = 5"))
        5.0
    """
    for text in (read.answer, *read.others):
        if text is None:
            continue
        number = as_number(text)
        if number is None and "=" in text:
            number = as_number(text.rpartition("=")[2])
        if number is None and not read.declared:
            number = as_number(re.split(r"(?i)\b(?:is|are|was|be)\b", text)[-1])
        if number is not None:
            return number
    return None


def _numbers(text: str) -> list[float]:
    folded = unicodedata.normalize("NFKC", text[-_MOST_CHARACTERS:])
    return [
        float(found.group().replace(",", "").replace("−", "-"))
        for found in _NUMBER.finditer(folded)
        if any(c.isdigit() for c in found.group())
    ]
