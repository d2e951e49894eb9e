"""JSON that any reader takes: no NaN, no lone surrogates."""

from __future__ import annotations

import orjson

__all__ = ["json_line", "printable", "strict_json"]


def printable(text: str) -> str:
    r"""The text with lone surrogates, which no encoding holds, written as ``\udXXX``."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def strict_json(data: object) -> bytes:
    """JSON with two-space indent; NaN and infinities, which it cannot hold, become null."""
    return _dumps(data, orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY) + b"\n"


def json_line(data: object) -> bytes:
    """The same on one line."""
    return _dumps(data, orjson.OPT_APPEND_NEWLINE)


def _dumps(data: object, option: int) -> bytes:
    try:
        return orjson.dumps(data, option=option)
    except orjson.JSONEncodeError:  # an id or a file name with lone surrogates: rare, so tried last
        return orjson.dumps(_printable_strings(data), option=option)


def _printable_strings(value: object) -> object:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_printable_strings(key): _printable_strings(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_printable_strings(held) for held in value]
    return value
