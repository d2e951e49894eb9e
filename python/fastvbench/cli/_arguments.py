"""What commands share: numbers on the command line, and outputs that replace no input."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from fastvbench.core import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "check_output",
    "check_outputs_apart",
    "finite_number",
    "from_one",
    "named_options",
    "thread_count",
    "whole_number",
    "whole_numbers",
]

MOST_THREADS = 2**31 - 1  # what the core can count


def finite_number(text: str) -> float:
    """A number that is neither infinite nor none."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is no finite number")
    return number


def whole_number(text: str) -> int:
    """A number from 0."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


def from_one(text: str) -> int:
    """A number from 1."""
    number = whole_number(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 is none")
    return number


def named_options(pairs: Iterable[str]) -> dict[str, Any]:
    """Options of a model from ``name=value`` pairs.

    Numbers, true, false, none, and JSON in braces or brackets are what they look like.

    Raises:
        InputError: a text that is no pair, or braces without JSON in them.
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InputError("no option", field="model-option", value=pair, expected="NAME=VALUE")
        options[name.replace("-", "_")] = _typed(value)
    return options


def _typed(text: str) -> object:
    words: dict[str, object] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    if text.startswith(("{", "[")):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            problem = f"not JSON ({error})"
            raise InputError(problem, field="model-option", value=text, expected="JSON") from None
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d*\.\d+", text) else text


def thread_count(text: str) -> int:
    """A number of threads, 0 for all."""
    number = whole_number(text)
    if number > MOST_THREADS:
        raise argparse.ArgumentTypeError(f"{text} is above {MOST_THREADS:,}")
    return number


def whole_numbers(text: str) -> list[int]:
    """Numbers from 0 with commas between them."""
    return [whole_number(part) for part in text.split(",")]


def check_output(option: str, written: Iterable[Path], inputs: Iterable[str | None]) -> None:
    """Refuse, before any work, an output that would replace an input.

    Args:
        option: the option that names the output.
        written: every file that it makes.
        inputs: every file that is read, None where an option was not given.

    Raises:
        InputError: one of `written` is one of `inputs`.
    """
    read = [Path(name) for name in inputs if name is not None]
    for target in written:
        for source in read:
            if _same_file(target, source):
                raise InputError(
                    f"{option} {target} would replace this input",
                    path=source,
                    expected=f"another name for {option}",
                )


def check_outputs_apart(option: str, written: Iterable[Path], others: Iterable[Path]) -> None:
    """Refuse, before any work, an output that would replace another one.

    Args:
        option: the option that names the output.
        written: every file that it makes.
        others: every file that other options make.

    Raises:
        InputError: one of `written` is one of `others`.
    """
    made = list(others)
    for target in written:
        if any(_same_file(target, other) for other in made):
            raise InputError(
                "two outputs have one name", path=target, expected=f"another name for {option}"
            )


def _same_file(a: Path, b: Path) -> bool:
    """Whether two names mean one file, which need not exist yet."""
    if a.exists() and b.exists():
        return a.samefile(b)
    return a.resolve() == b.resolve()
