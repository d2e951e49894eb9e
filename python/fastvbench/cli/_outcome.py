"""How a scoring command ends: the result written, and an exit code that tells coverage."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fastvbench.results._strict_json import strict_json

if TYPE_CHECKING:
    from fastvbench.results import Result

__all__ = ["exit_code", "write_result"]

LOW_COVERAGE = 1
BAD_INPUT = 2


def write_result(result: Result, output: str | None) -> None:
    """Write the result where `-o` says: to a file and its samples, or for `-` to stdout."""
    if output == "-":
        sys.stdout.buffer.write(strict_json(result.data))
    elif output is not None:
        for path in result.write(output):
            print(f"wrote {path}", file=sys.stderr)


def exit_code(result: Result) -> int:
    """0; 1 where too few of the expected rows were scored; 2 where a benchmark could not be.

    Each input setting of a result has to be covered.
    """
    coverage = result.data["coverage"]
    if coverage.get("failed"):
        return BAD_INPUT
    beside = [held["coverage"] for held in result.data.get("settings", {}).values()]
    enough = all(each["scored"] >= each["limit"] * each["expected"] for each in (coverage, *beside))
    return 0 if enough else LOW_COVERAGE
