"""Which part of an answer is read: answer tags and JSON (sections 1.3 and 1.4 of choices.py)."""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.choice_tokens import Kind, Token
from tests.reference.choice_words import ANSWER_KEYS

__all__ = ["Region", "answer_region", "is_blank"]

MAX_KEY_TOKENS = 6


class Region(NamedTuple):
    """Tokens ``low`` to ``high``, ``high`` not included."""

    low: int
    high: int


class _Key(NamedTuple):
    rank: int  # of an answer-like key, else 0
    value: int  # the first token after the colon


def is_blank(token: Token) -> bool:
    """Line ends and tags say nothing."""
    return token.kind in (Kind.LINE, Kind.CLOSE) or (
        token.kind in (Kind.WRAP, Kind.CUE) and token.text == "<"
    )


def is_mark(token: Token, marks: str) -> bool:
    return token.kind in (Kind.MARK, Kind.WRAP) and token.text in marks


def answer_region(tokens: list[Token]) -> Region | None:
    """The tokens to read, None where a JSON object without an answer-like key is all there is."""
    low, high = tagged(tokens)
    for brace in range(low, high):
        if is_mark(tokens[brace], "{") and key_at(tokens, brace + 1, high):
            return json_value(tokens, low, brace, high)
    return Region(low, high)


def tagged(tokens: list[Token]) -> Region:
    """The content of the last opening answer tag that has content."""
    high = len(tokens)
    content = False
    for position in range(len(tokens) - 1, -1, -1):
        token = tokens[position]
        if token.kind == Kind.CLOSE:
            high, content = position, False
        elif token.kind == Kind.CUE and token.text == "<":
            if content:
                return Region(position + 1, high)
            high = position
        elif not is_blank(token):
            content = True
    return Region(0, len(tokens))


def key_at(tokens: list[Token], position: int, high: int) -> _Key | None:
    """A key and its colon at this place, past line ends: quoted, or one bare word."""
    while position < high and tokens[position].kind == Kind.LINE:
        position += 1
    if position >= high:
        return None
    quote = tokens[position].text if is_mark(tokens[position], "\"'") else ""
    name = ""
    if quote:
        for end in range(position + 1, min(position + 1 + MAX_KEY_TOKENS, high)):
            if is_mark(tokens[end], quote):
                position = end + 1
                break
            if tokens[end].kind in (Kind.WORD, Kind.CJK):
                name += tokens[end].text.replace("_", "")
        else:
            return None
    elif tokens[position].kind == Kind.WORD:
        name = tokens[position].text.replace("_", "")
        position += 1
    else:
        return None
    if position >= high or not is_mark(tokens[position], ":"):
        return None
    return _Key(ANSWER_KEYS.get(name, 0), position + 1)


def json_value(tokens: list[Token], low: int, brace: int, high: int) -> Region | None:
    """The value of the best answer-like key, else what stands before or after the object."""
    best: Region | None = None
    best_rank = 1
    depth, position, expects_key = 0, brace, False
    while position < high:
        token = tokens[position]
        if token.kind == Kind.LINE:
            position += 1
            continue
        if expects_key and (key := key_at(tokens, position, high)):
            begin = key.value
            while begin < high and tokens[begin].kind == Kind.LINE:
                begin += 1
            nested = begin < high and is_mark(tokens[begin], "{")
            end = begin if nested else value_end(tokens, begin, high)
            if not nested and key.rank >= best_rank and not is_null(tokens, begin, end):
                best, best_rank = Region(begin, end), key.rank
            position, expects_key = end, False
            continue
        expects_key = is_mark(token, "{,")
        if is_mark(token, "{["):
            depth += 1
        elif is_mark(token, "}]"):
            depth -= 1
        elif is_mark(token, "\"'"):
            position = string_end(tokens, position, high)
            continue
        position += 1
        if depth == 0:
            break
    if best:
        return best
    for rest in (Region(low, brace), Region(position, high)):
        if any(t.kind in (Kind.WORD, Kind.CJK) for t in tokens[rest.low : rest.high]) and not fence(
            tokens, rest
        ):
            return rest
    return None


def fence(tokens: list[Token], region: Region) -> bool:
    """Nothing but the word "json" of a code fence."""
    words = [t.text for t in tokens[region.low : region.high] if t.kind in (Kind.WORD, Kind.CJK)]
    return words == ["json"]


def is_null(tokens: list[Token], begin: int, end: int) -> bool:
    """No words at all, or the word null or none."""
    words = [t.text for t in tokens[begin:end] if t.kind in (Kind.WORD, Kind.CJK)]
    return not words or words in (["null"], ["none"])


def string_end(tokens: list[Token], begin: int, high: int) -> int:
    """The token after the string that opens here.

    A quote is inside after a glued backslash, or where JSON doesn't go on after it: before anything
    but a comma, colon, closing bracket or line's end.
    """
    quote = tokens[begin].text
    position = begin + 1
    while position < high:
        token = tokens[position]
        escaped = (
            token.glued
            and tokens[position - 1].kind == Kind.WRAP
            and tokens[position - 1].text == "\\"
        )
        if is_mark(token, quote) and not escaped:
            after = tokens[position + 1] if position + 1 < high else None
            if after is None or after.kind == Kind.LINE or is_mark(after, ",:]}"):
                return position + 1
        position += 1
    return high


def value_end(tokens: list[Token], begin: int, high: int) -> int:
    """The token after the value that begins here; nested brackets are followed, objects are not."""
    if begin < high and is_mark(tokens[begin], "\"'"):
        return string_end(tokens, begin, high)
    depth, position = 0, begin
    while position < high:
        token = tokens[position]
        if is_mark(token, "\"'"):
            position = string_end(tokens, position, high)
            continue
        if is_mark(token, "[{"):
            depth += 1
        elif is_mark(token, "]}"):
            if depth == 0:
                return position
            depth -= 1
        elif depth == 0 and (is_mark(token, ",") or token.kind == Kind.LINE):
            return position
        position += 1
    return high
