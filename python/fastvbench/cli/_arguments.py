"""What commands share: numbers on the command line, and outputs that replace no input."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fastvbench.core import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_output", "whole_number", "whole_numbers"]


def whole_number(text: str) -> int:
    """A number from 0."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
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
            if target.exists() and source.exists() and target.samefile(source):
                raise InputError(
                    f"{option} {target} would replace this input",
                    path=source,
                    expected=f"another name for {option}",
                )
