"""Runs an engine's process: starts it, listens, and ends it when it is done, silent or unwanted."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

__all__ = ["Outcome", "run_job"]

LONGEST_WAIT_SECONDS = 3600.0  # systems refuse to wait for weeks at once
COMMAND = (sys.executable, "-m", "fastvbench.retrieval.timing.worker")


class AnyJob(Protocol):
    """A job that a `worker` knows."""

    def to_line(self) -> bytes:
        """The job as one line of JSON."""

    def environment(self) -> dict[str, str]:
        """Variables of its process."""


class Outcome(NamedTuple):
    """How a job ended.

    Attributes:
        status: ``ok``, ``refused``, ``died`` or ``timed_out``.
        reason: why, where it is not ``ok``; else empty.
        settings: the engine's, as far as it got.
        result: what was measured; empty where it is not ``ok``.
    """

    status: str
    reason: str
    settings: dict[str, Any]
    result: dict[str, Any]


def run_job(
    job: AnyJob,
    *,
    time_limit_seconds: float,
    say: Callable[[str], None],
    command: Sequence[str] = COMMAND,
) -> Outcome:
    """Measure a job in a process of its own.

    Whatever happens here, Ctrl-C too, the process has ended when this returns or raises.

    Args:
        job: what to measure.
        time_limit_seconds: after so long it is ended.
        say: called with what the process is at.
        command: the process to start.
    """
    # Modules in the current folder are not ours.
    environment = job.environment() | {"PYTHONSAFEPATH": "1"}
    with tempfile.TemporaryFile() as errors, _process(command, environment, errors) as process:
        deadline = time.monotonic() + time_limit_seconds
        settings: dict[str, Any] = {}
        try:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # what it died of comes below
                process.stdin.write(job.to_line())
                process.stdin.flush()
            for event in _events(process, deadline):
                if event["event"] == "ready":
                    settings = event["settings"]
                elif event["event"] == "progress":
                    say(event["what"])
                elif event["event"] == "refused":
                    return Outcome("refused", event["reason"], settings, {})
                elif event["event"] == "done":
                    return Outcome("ok", "", settings, event["result"])
        except TimeoutError:
            reason = f"not done within {time_limit_seconds:g} s"
            return Outcome("timed_out", reason, settings, {})
        return Outcome("died", _last_words(process, errors), settings, {})


@contextlib.contextmanager
def _process(
    command: Sequence[str], environment: dict[str, str], errors: BinaryIO
) -> Iterator[subprocess.Popen[bytes]]:
    # A session of its own: Ctrl-C reaches this process alone, which then ends that one.
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
        start_new_session=True,
        bufsize=0,
    ) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _events(process: subprocess.Popen[bytes], deadline: float) -> Iterator[dict[str, Any]]:
    """Events as they come, until the process closes its output."""
    assert process.stdout is not None
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if not selector.select(min(left, LONGEST_WAIT_SECONDS)):
                continue
            block = os.read(process.stdout.fileno(), 1 << 16)
            if not block:
                return
            *lines, pending = (pending + block).split(b"\n")
            yield from map(json.loads, lines)


def _last_words(process: subprocess.Popen[bytes], errors: BinaryIO) -> str:
    """Why a process ended: its signal, or the last line that it printed as an error."""
    code = process.wait()
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return last or f"ended with exit code {code}"
