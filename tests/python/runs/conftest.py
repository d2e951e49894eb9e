"""What tests of runs share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


class Worker:
    """A process that forks one run after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.python.runs.worker"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONWARNINGS": "ignore"},
            text=True,
        )

    def start(self, **order: object) -> int:
        """Begin a run; returns its process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def ended(self) -> int:
        """Wait for it; returns its exit code, negative for a signal."""
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def run(self, **order: object) -> int:
        self.start(**order)
        return self.ended()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=60)


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    process = Worker()
    yield process
    process.close()


@pytest.fixture
def second_worker() -> Iterator[Worker]:
    process = Worker()
    yield process
    process.close()


@pytest.fixture(scope="session")
def rows_of() -> Callable[[Path], list[dict[str, object]]]:
    """Rows of a run folder without the times, which differ between equal runs."""

    def rows(folder: Path) -> list[dict[str, object]]:
        lines = (folder / "responses.jsonl").read_bytes().split(b"\n")
        assert lines[-1] == b""
        held = [json.loads(line) for line in lines[:-1]]
        for row in held:
            del row["latency_seconds"]
        return held

    return rows
