"""The errors that fastvbench raises on purpose, each a one-line message a person can act on."""

from __future__ import annotations

__all__ = ["DeviceError", "FastvbenchError", "InputError", "MissingExtraError"]


class FastvbenchError(Exception):
    """Base of every error that fastvbench raises on purpose."""


class InputError(FastvbenchError, ValueError):
    """Input that cannot be read as what it was given as.

    The message is one line: file, place, field, the value found, what was expected.

    Args:
        problem: what is wrong, in a few words.
        path: the file it was found in.
        line: the 1-based line (text) or row (table) in that file.
        field: the field or column name.
        value: the offending value; shortened to 80 characters of its repr.
        expected: what would have been accepted.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: object | None = None,
        line: int | None = None,
        field: str | None = None,
        value: object = ...,
        expected: str | None = None,
    ) -> None:
        self.problem, self.path, self.line = problem, path, line
        self.field, self.value, self.expected = field, value, expected
        place = "" if path is None else str(path)
        if line is not None:
            place += f":{line}" if place else f"line {line}"
        if field is not None:
            place += f" field {field!r}" if place else f"field {field!r}"
        text = f"{place}: {problem}" if place else problem
        if value is not ...:
            shown = repr(value)
            text += f", got {shown if len(shown) <= 80 else shown[:77] + '...'}"
        if expected is not None:
            text += f"; expected {expected}"
        super().__init__(" ".join(text.split()))


class MissingExtraError(FastvbenchError, ImportError):
    """An optional dependency is not installed; the message says how to get it.

    Args:
        what: what the user was trying to do, as the subject of "needs".
        extra: the extra of this package that brings it.
    """

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs: pip install 'fastvbench[{extra}]'")


class DeviceError(FastvbenchError, RuntimeError):
    """An array is on a device that cannot be used here; the message says why."""
