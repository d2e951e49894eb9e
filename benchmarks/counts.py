"""Instruction counts of fixed cases: a gate that no neighbour on the machine can disturb.

``python -m benchmarks.counts PROGRAM`` runs each case of count/count_instructions.cpp under
callgrind and compares with counts.toml; ``--update`` writes that file. valgrind knows no AVX-512,
so the levels are avx2 and scalar. Counts belong to one compiler on one kind of machine: elsewhere,
or without valgrind, the reason is printed and nothing fails.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

COUNTS = Path(__file__).with_name("counts.toml")
LEVELS = ("avx2", "scalar")
TOLERANCE = 0.03
NO_SUCH_LEVEL = 3  # exit code of the program
MACHINE_VARIABLES = ("FASTVBENCH_CPU_LEVEL", "GLIBC_TUNABLES", "LD_PRELOAD")

Counts = dict[str, int]


class CountError(RuntimeError):
    """A case could not be counted."""


@dataclass(frozen=True)
class Stored:
    """The counts of counts.toml, by level, and the compiler that they belong to."""

    compiler: str
    levels: Mapping[str, Counts] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """One case of one level."""

    level: str
    case: str
    count: int
    wanted: int | None

    @property
    def change(self) -> float:
        """By how much there are more instructions: 0.05 is five percent."""
        return 0.0 if self.wanted is None else self.count / self.wanted - 1.0

    @property
    def failed(self) -> bool:
        return self.wanted is None or self.count > self.wanted * (1.0 + TOLERANCE)

    def line(self) -> str:
        if self.wanted is None:
            return f"{self.level:7} {self.case:28} {self.count:14,}  NOT IN {COUNTS.name}"
        note = ""
        if self.failed:
            note = f"  MORE THAN {TOLERANCE:.0%} ABOVE"
        elif self.change < -TOLERANCE:
            note = "  well below: --update keeps it there"
        return (
            f"{self.level:7} {self.case:28} {self.count:14,} {self.wanted:14,} "
            f"{self.change:+7.2%}{note}"
        )


def compare(measured: Mapping[str, Counts], stored: Mapping[str, Counts]) -> list[Verdict]:
    """A verdict for every case that was counted."""
    return [
        Verdict(level, case, count, stored.get(level, {}).get(case))
        for level, counts in measured.items()
        for case, count in counts.items()
    ]


def forgotten(measured: Mapping[str, Counts], stored: Mapping[str, Counts]) -> list[str]:
    """Stored counts that no case measures any more, as "level: case"; of measured levels only."""
    return [
        f"{level}: {case}"
        for level, counts in stored.items()
        if level in measured
        for case in counts
        if case not in measured[level]
    ]


def read_counts(path: Path) -> Stored:
    """The file; empty where there is none."""
    if not path.exists():
        return Stored("")
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # pytest brings it there
        import tomli as tomllib

    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return Stored(content.pop("compiler"), content)


def counts_text(stored: Stored) -> str:
    """The file's new content."""
    lines = [
        "# Instructions of the cases of count/count_instructions.cpp; by `make count-update`.",
        f'compiler = "{stored.compiler}"',
    ]
    for level, counts in stored.levels.items():
        lines += ["", f"[{level}]"]
        lines += [f'"{case}" = {count:_}' for case, count in counts.items()]
    return "\n".join(lines) + "\n"


def count_all(program: Path) -> dict[str, Counts]:
    """Count every case at every level that this machine has."""
    listing = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    measured: dict[str, Counts] = {}
    for level in LEVELS:
        if _lacks(program, level):
            print(f"{level}: this CPU lacks it")
            continue
        measured[level] = {case: _count(program, case, level) for case in listing.splitlines()}
    return measured


def compiler_of(program: Path) -> str:
    """The compiler that left its name in a program, and the machine: ``gcc 12, x86_64``."""
    found = re.search(rb"(GCC: \([^)]*\) |clang version )(\d+)", program.read_bytes())
    if found is None:
        return f"unknown, {platform.machine()}"
    name = "gcc" if found[1].startswith(b"GCC") else "clang"
    return f"{name} {found[2].decode()}, {platform.machine()}"


def _environment(level: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in MACHINE_VARIABLES}
    return kept | {"FASTVBENCH_CPU_LEVEL": level}


def _lacks(program: Path, level: str) -> bool:
    """Whether the level is missing, which valgrind's CPU may well do where this one has it."""
    command = ["valgrind", "--tool=none", "-q", program, "no case"]
    done = subprocess.run(command, env=_environment(level), capture_output=True, check=False)
    return done.returncode == NO_SUCH_LEVEL


def _count(program: Path, case: str, level: str) -> int:
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += ["--toggle-collect=counted", str(program), case]
    done = subprocess.run(
        command, env=_environment(level), capture_output=True, text=True, check=False
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None or int(found[1]) == 0:
        raise CountError(f"{level}, {case}: exit code {done.returncode}\n{done.stderr}")
    return int(found[1])


def main(arguments: list[str] | None = None) -> int:
    """Count, print, compare; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the built count_instructions")
    parser.add_argument("--update", action="store_true", help="write counts.toml")
    parsed = parser.parse_args(arguments)
    if shutil.which("valgrind") is None:
        print("instruction counts skipped: valgrind is not installed")
        return 0
    compiler, stored = compiler_of(parsed.program), read_counts(COUNTS)
    if compiler != stored.compiler and not parsed.update:
        print(f"instruction counts skipped: they are {stored.compiler}'s, this is {compiler}")
        return 0
    measured = count_all(parsed.program)
    for verdict in (verdicts := compare(measured, stored.levels)):
        print(verdict.line())
    if parsed.update:
        COUNTS.write_text(counts_text(Stored(compiler, measured)), encoding="utf-8")
        print(f"wrote {COUNTS.name}")
        return 0
    for name in (lost := forgotten(measured, stored.levels)):
        print(f"{name}: in {COUNTS.name}, and no longer counted")
    return 1 if lost or any(verdict.failed for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
