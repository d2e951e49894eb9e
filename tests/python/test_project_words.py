"""Tracked files speak of the project alone, and of no place where it happened to be written."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

PROJECT = Path(__file__).resolve().parents[2]
THIS_FILE = Path(__file__).resolve().relative_to(PROJECT).as_posix()
LARGEST_FILE_BYTES = 1_000_000


class Rule(NamedTuple):
    why: str
    pattern: str
    except_in: tuple[str, ...] = ()


RULES = (
    Rule("a folder of somebody's machine", r"(?<![\w.])/(?:home|root|Users|work|workspace|mnt)/"),
    Rule("a folder beside the project", r"\.\./shared\b", (".ci/run",)),
    Rule(
        "a package index: that is the installer's configuration",
        r"pypi\.org|pythonhosted\.org|\b(?:extra-)?index-url\b|--find-links\b|anaconda\.org"
        r"|registry\.npmjs|deb\.debian\.org|archive\.ubuntu\.com|ghcr\.io|docker\.io|quay\.io",
    ),
    Rule(
        "a mark of vendored code",
        r"(?i:copyright \(c\)|copyright \d{4}|SPDX-License-Identifier|all rights reserved"
        r"|\b(?:adapted|copied|vendored|borrowed|ported) from\b)",
        ("LICENSE",),
    ),
    Rule("a note to oneself", r"\b(?:TODO|FIXME|XXX|HACK)\b"),
    Rule("a number of our own tracker", r"(?i:\bissues? #?\d+\b|\bPR ?#\d+)"),
    Rule("a build for this machine only", r"-m(?:arch|tune)=native"),
)


def tracked_files() -> list[str]:
    if not (PROJECT / ".git").exists():
        pytest.skip("not a git checkout: there is no list of tracked files")
    command = ["git", "-C", str(PROJECT), "ls-files", "-z"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [name for name in listing.split("\0") if name and (PROJECT / name).is_file()]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.why.replace(" ", "-"))
def test_no_tracked_file_holds(rule):
    found = []
    for name in tracked_files():
        if name == THIS_FILE or name.startswith(rule.except_in):
            continue
        text = (PROJECT / name).read_bytes().decode("utf-8", errors="replace")
        found += [
            f"{name}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(text.splitlines(), 1)
            if re.search(rule.pattern, line)
        ]
    assert found == [], rule.why


def test_no_tracked_file_is_large():
    sizes = {name: (PROJECT / name).stat().st_size for name in tracked_files()}
    assert {name: size for name, size in sizes.items() if size > LARGEST_FILE_BYTES} == {}


def test_the_build_group_repeats_the_build_system():
    text = (PROJECT / "pyproject.toml").read_text()
    (requires,) = re.findall(r"^requires = (\[.*?\])", text, re.MULTILINE)
    (repeated,) = re.findall(r"^build = (\[.*?\])", text, re.MULTILINE)
    assert repeated == requires
