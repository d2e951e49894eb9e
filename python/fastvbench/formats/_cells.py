"""Table cells that hold a list written as text, read without ever evaluating it."""

from __future__ import annotations

import re

__all__ = ["parse_list_cell"]

# One item: a quoted text with escapes, or a bare word up to the next separator.
_ITEM = re.compile(
    r"""(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"\[\]]+))\s*(?:,\s*|(?=['"])|\Z)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}


def parse_list_cell(cell: str) -> list[str] | None:
    """Read a flat list of texts as Python, JSON or numpy prints it.

    Spreadsheets turn list columns into such text. Items without quotes are taken as they stand;
    numpy's lists have no commas.

    Args:
        cell: for example ``['red', "it's blue"]``, ``["a", "b"]``, ``['a' 'b']``, ``[1, 2]``.

    Returns:
        The items, or None if the cell is no flat list.

    Example:
        >>> parse_list_cell("['A. red', 'B. blue']")
        ['A. red', 'B. blue']
    """
    text = cell.strip()
    if len(text) < 2 or text[0] not in "[(" or text[-1] not in "])":
        return None
    body = text[1:-1].strip()
    items: list[str] = []
    position = 0
    while position < len(body):
        match = _ITEM.match(body, position)
        if match is None or match.end() == position:
            return None
        single, double, bare = match.groups()
        quoted = single if single is not None else double
        items.append(bare.strip() if quoted is None else _unescape(quoted))
        position = match.end()
    return items


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_escaped, text) if "\\" in text else text


def _escaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is not None:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    return _PLAIN_ESCAPES.get(match[4], match[4])
