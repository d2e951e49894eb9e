"""JSON as it is found in the wild: whole documents and lines, with what was tolerated counted."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import orjson

from fastvbench.core._errors import InputError
from fastvbench.formats._bytes import FileHash, Json, Ledger, count, decode_text, text_blocks

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

__all__ = [
    "JsonLines",
    "JsonSyntaxError",
    "RepeatedKeys",
    "iter_json_lines",
    "line_lists",
    "pairs_of",
    "parse_line",
    "read_json",
]

# A string, or a comma with nothing but white space before the closing bracket. The string part
# always matches at a quote (a missing end quote runs to the end), so the scan is linear.
_STRING_OR_TRAILING_COMMA = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)|,(?=\s*[\]}])', re.DOTALL)
# orjson turns integers beyond 64 bits into doubles, which ids cannot afford.
_MANY_DIGITS = re.compile(rb"[0-9]{19}")
_DEPTH = "is nested too deeply"
_WHITE = " \t\r\n"


class JsonSyntaxError(ValueError):
    """Why some text is no JSON, before anybody knows which file it came from.

    Args:
        reason: what is wrong, in a few words.
        text: the text from where it went wrong.
        before: the complete objects that were read before that place.
        line: the 1-based line within the text.
    """

    def __init__(
        self, reason: str, text: str, *, before: list[Json] | None = None, line: int = 1
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.text = text
        self.before = before or []
        self.line = line


class RepeatedKeys(dict[str, Json]):
    """A JSON object in which a key stands more than once; as a dict, the last one wins.

    Attributes:
        pairs: every key and value, in the order of the file.
    """

    __slots__ = ("pairs",)

    def __init__(self, pairs: list[tuple[str, Json]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def pairs_of(document: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    """Every key and value of an object, a repeated key as often as the file has it."""
    return iter(document.pairs if isinstance(document, RepeatedKeys) else document.items())


def _long_int(digits: str) -> int | str:
    # Python refuses to convert very long digit strings; as text they are still exact.
    return int(digits) if len(digits) <= 4000 else digits


def _keep_repeats(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    plain = dict(pairs)
    return plain if len(plain) == len(pairs) else RepeatedKeys(pairs)


_DECODER = json.JSONDecoder(parse_int=_long_int)
_REPEATS_DECODER = json.JSONDecoder(parse_int=_long_int, object_pairs_hook=_keep_repeats)


def _too_deep(error: orjson.JSONDecodeError) -> bool:
    return "depth" in str(error) or "recursion" in str(error).lower()


def parse_line(line: bytes, ledger: Ledger | None = None) -> list[Json]:
    """Parse one line of JSONL; the slow path, for lines that orjson alone does not take.

    Accepts NaN, Infinity, lone surrogates, integers of any length, invalid UTF-8 (counted), and
    several objects glued together on the line (each one beyond the first counted).

    Returns:
        The values on the line: none for a blank one, several for glued objects.

    Raises:
        JsonSyntaxError: the line is no JSON.
    """
    try:
        return [orjson.loads(line)]
    except orjson.JSONDecodeError as error:
        if _too_deep(error):
            raise JsonSyntaxError(_DEPTH, decode_text(line[:80])) from None
    found: Ledger = {}
    text = decode_text(line, ledger=found).strip(_WHITE)
    values: list[Json] = []
    position = 0
    while position < len(text):
        try:
            value, position = _DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise JsonSyntaxError(
                error.msg, text[error.pos :][:80] or text[:80], before=values
            ) from None
        except RecursionError:
            raise JsonSyntaxError(_DEPTH, text[:80]) from None
        if values and not (isinstance(value, dict) and isinstance(values[-1], dict)):
            raise JsonSyntaxError("more than one value", text[:80])
        values.append(value)
        while position < len(text) and text[position] in _WHITE:
            position += 1
    if len(values) > 1:
        count(ledger, "glued_objects", len(values) - 1)
    for name, times in found.items():
        count(ledger, name, times)
    return values


class JsonLines:
    """The slow path of a JSONL file, line by line, with the one line that may be torn.

    A line that is no JSON is an error, unless it turns out to be the last: a run that was killed
    while writing leaves such a line, and everything before it is sound.

    Args:
        path: the file, for messages.
        ledger: counts what was tolerated.
    """

    def __init__(self, path: str | os.PathLike[str], ledger: Ledger | None = None) -> None:
        self._path = path
        self._ledger = ledger
        self._suspect: tuple[int, JsonSyntaxError] | None = None

    @property
    def suspect(self) -> bool:
        """Whether the line before could not be parsed and may be the torn last one."""
        return self._suspect is not None

    def parse(self, number: int, line: bytes) -> list[Json]:
        """The values on one line; none if it is blank or may be the torn last one.

        Raises:
            InputError: this line shows that an earlier broken one was not the last, or it is
                nested too deeply.
        """
        if not line.strip():
            return []
        if self._suspect is not None:
            raise self._error(*self._suspect)
        try:
            return parse_line(line, self._ledger)
        except JsonSyntaxError as problem:
            if problem.reason == _DEPTH:
                raise self._error(number, problem) from None
            self._suspect = (number, problem)
            return []

    def finish(self) -> list[tuple[int, Json]]:
        """At the end of the file: what could be saved of a torn last line."""
        if self._suspect is None:
            return []
        number, problem = self._suspect
        count(self._ledger, "torn_last_line")
        if len(problem.before) > 1:
            count(self._ledger, "glued_objects", len(problem.before) - 1)
        return [(number, value) for value in problem.before]

    def _error(self, number: int, problem: JsonSyntaxError) -> InputError:
        return InputError(
            f"invalid JSON: {problem.reason}",
            path=self._path,
            line=number,
            value=problem.text,
            expected="one JSON object on each line",
        )


def line_lists(blocks: Iterator[bytes]) -> Iterator[list[bytes]]:
    r"""Cut blocks into lists of whole lines, at ``\n`` bytes only, without the line ends.

    U+2028 and U+0085 inside a string are no line ends, so nothing like ``str.splitlines``.
    """
    parts: list[bytes] = []  # of the line that the blocks so far have not ended
    for block in blocks:
        lines = block.split(b"\n")
        if len(lines) == 1:
            parts.append(block)
            continue
        if parts:
            parts.append(lines[0])
            lines[0] = b"".join(parts)
        parts = [lines.pop()]
        yield lines
    last = b"".join(parts)
    if last:
        yield [last]


def iter_json_lines(
    path: str | os.PathLike[str],
    *,
    ledger: Ledger | None = None,
    file_hash: FileHash | None = None,
) -> Iterator[tuple[int, Json]]:
    """Yield (1-based line number, value) for each line of a JSONL file, plain or gzip.

    One block of the file is in memory at a time. What `parse_line` accepts is accepted; blank
    lines are skipped; a broken last line is counted as ``torn_last_line``.

    Raises:
        InputError: no readable text file, or a broken line that is not the last.
    """
    parser = JsonLines(path, ledger)
    number = 0
    for lines in line_lists(text_blocks(path, ledger=ledger, file_hash=file_hash)):
        for line in lines:
            number += 1
            for value in parser.parse(number, line):
                yield number, value
    yield from parser.finish()


def read_json(
    path: str | os.PathLike[str],
    *,
    ledger: Ledger | None = None,
    file_hash: FileHash | None = None,
    keep_repeats: bool = False,
) -> Json:
    """Read a file that is one JSON document, plain or gzip.

    NaN and Infinity become floats. Lone surrogates are kept, invalid UTF-8 is replaced and
    counted, a comma before a closing bracket is dropped and counted (``trailing_commas``).

    Args:
        path: the file.
        ledger: counts what was tolerated.
        file_hash: fed with the bytes on the disk.
        keep_repeats: return a `RepeatedKeys` for an object of ids in which an id is repeated.

    Raises:
        InputError: no readable text file, or no JSON; the message names the line.
    """
    data = b"".join(text_blocks(path, ledger=ledger, file_hash=file_hash))
    document = _parse_document(path, data, ledger)
    if keep_repeats and isinstance(document, dict) and _may_repeat(document, data):
        return _parse_slowly(path, data, None, _REPEATS_DECODER)
    return document


def _parse_document(path: str | os.PathLike[str], data: bytes, ledger: Ledger | None) -> Json:
    try:
        document = orjson.loads(data)
        if _MANY_DIGITS.search(data) is None:
            return document
    except orjson.JSONDecodeError as error:
        if _too_deep(error):
            raise InputError(_DEPTH, path=path, expected="at most 1,000 nested levels") from None
    return _parse_slowly(path, data, ledger, _DECODER)


def _parse_slowly(
    path: str | os.PathLike[str], data: bytes, ledger: Ledger | None, decoder: json.JSONDecoder
) -> Json:
    text = decode_text(data, ledger=ledger).strip(_WHITE + "\0")
    if not text:
        raise InputError("the file holds nothing but white space", path=path)
    try:
        try:
            return decoder.decode(text)
        except json.JSONDecodeError as error:
            cleaned, dropped = _without_trailing_commas(text)
            if not dropped:
                raise
            try:
                document = decoder.decode(cleaned)
            except json.JSONDecodeError:
                raise error from None  # the places in the original text are the useful ones
            count(ledger, "trailing_commas", dropped)
            return document
    except json.JSONDecodeError as error:
        raise InputError(
            f"invalid JSON: {error.msg}",
            path=path,
            line=error.lineno,
            value=text[max(0, error.pos - 20) : error.pos + 40],
            expected="one JSON document",
        ) from None
    except RecursionError:
        raise InputError(_DEPTH, path=path, expected="at most 1,000 nested levels") from None


def _without_trailing_commas(text: str) -> tuple[str, int]:
    dropped = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal dropped
        if match[0] == ",":
            dropped += 1
            return ""
        return match[0]

    return _STRING_OR_TRAILING_COMMA.sub(keep, text), dropped


def _may_repeat(document: dict[str, Json], data: bytes) -> bool:
    """Whether an object that maps ids to something may hold an id twice.

    A flat one is proven free of repeats by counting quotes, which costs next to nothing.
    """
    types = set(map(type, document.values()))
    if types <= {dict}:
        return True
    if not types.isdisjoint({dict, list}):
        return False  # a log with named parts, not a map from ids
    if b"\\\\" in data:
        return True
    quotes = data.count(b'"') - data.count(b'\\"')
    text_count = sum(type(value) is str for value in document.values())
    return quotes != 2 * (len(document) + text_count)
