"""Who takes part in a comparison: a call in this process, or a rival in a process of its own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Call = Callable[[], object]

SLOWEST_ROUND_SECONDS = 600.0


class RivalError(RuntimeError):
    """A rival in its own process ended or went silent."""


class Contender(Protocol):
    """Whoever takes part in a comparison, in this process or in its own."""

    def answer(self) -> object:
        """What the call returns."""

    def seconds(self, calls: int) -> float:
        """Time that `calls` calls in a row take."""


@dataclass(frozen=True)
class Isolated:
    """A rival that runs in its own process, because its thread pool would disturb the others.

    Args:
        prepare: a function at the top of a module (it is imported by name over there) that makes
            the data and returns the call to time.
        arguments: its keyword arguments; small ones, such as a row count and a seed.
        environment: variables for that process only, such as the rival's best settings.
    """

    prepare: Callable[..., Call]
    arguments: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Here:
    """A call in this process."""

    call: Call

    def answer(self) -> object:
        return self.call()

    def seconds(self, calls: int) -> float:
        started = time.perf_counter()
        for _ in range(calls):
            self.call()
        return time.perf_counter() - started


@dataclass(frozen=True)
class There:
    """The near end of a rival in its own process: one question, one reply."""

    connection: Connection

    def answer(self) -> object:
        return self._ask(None)

    def seconds(self, calls: int) -> float:
        seconds: float = self._ask(calls)
        return seconds

    def _ask(self, calls: int | None) -> Any:
        try:
            self.connection.send(calls)
            if not self.connection.poll(SLOWEST_ROUND_SECONDS):
                raise RivalError(f"no reply within {SLOWEST_ROUND_SECONDS:.0f} s")
            return self.connection.recv()
        except (EOFError, ConnectionError):
            raise RivalError("its process ended; what it raised is on standard error") from None


@contextlib.contextmanager
def own_process(rival: Isolated) -> Iterator[There]:
    """Starts the rival's process, and ends it with the block."""
    near, far = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(far, rival.prepare, dict(rival.arguments)), daemon=True
    )
    with _variables(rival.environment):
        process.start()  # a spawned process takes its variables from here
    far.close()
    try:
        yield There(near)
    finally:
        near.close()
        process.join(timeout=5)
        if process.is_alive():
            process.kill()
            process.join()


@contextlib.contextmanager
def _variables(wanted: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _serve(
    connection: Connection, prepare: Callable[..., Call], arguments: Mapping[str, object]
) -> None:
    """The far end: None asks for the answer, a number for the time of so many calls.

    What the rival raises ends this process, with its traceback on standard error.
    """
    here = Here(prepare(**arguments))
    while True:
        try:
            calls = connection.recv()
        except EOFError:
            return
        connection.send(here.answer() if calls is None else here.seconds(calls))
