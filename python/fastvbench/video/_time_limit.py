"""Calls into a decoder that may never come back."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from fastvbench.video._errors import DecodeTimeout

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

__all__ = ["Caller", "DirectCaller", "LimitedCaller"]

T = TypeVar("T")


class _Outcome(NamedTuple):
    value: Any
    error: BaseException | None


class Caller(Generic[T]):
    """Runs the steps of one video one after another."""

    def call(self, step: str, work: Callable[[], T]) -> T:
        """Run ``work``; ``step`` names it in messages."""
        raise NotImplementedError

    def close(self, last: Callable[[], None] | None = None) -> None:
        """Run ``last`` and take no more work."""
        raise NotImplementedError


class DirectCaller(Caller[T]):
    """Without a limit: on the caller's own thread."""

    def call(self, step: str, work: Callable[[], T]) -> T:
        """See ``Caller``."""
        return work()

    def close(self, last: Callable[[], None] | None = None) -> None:
        """See ``Caller``."""
        if last is not None:
            last()


class LimitedCaller(Caller[T]):
    """With a limit: on a thread that is left behind when a step exceeds it.

    Native code cannot be stopped from outside, but PyAV and TorchCodec give up Python's lock while
    FFmpeg works, so everybody else runs on. The thread is a daemon: it doesn't keep the process
    alive either. Should the step end after all, the thread lets go of the video and ends.

    Args:
        path: the video, for messages.
        limit_seconds: for each step.
    """

    def __init__(self, path: str | os.PathLike[str], limit_seconds: float) -> None:
        self._path, self._limit_seconds = path, limit_seconds
        self._work: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[_Outcome] = queue.SimpleQueue()
        self._abandoned: str | None = None
        threading.Thread(
            target=_serve, args=(self._work, self._outcomes), name="video decoder", daemon=True
        ).start()

    def call(self, step: str, work: Callable[[], T]) -> T:
        """See ``Caller``.

        Raises:
            DecodeTimeout: it took longer than the limit, now or in an earlier step.
        """
        if self._abandoned is not None:
            raise DecodeTimeout(self._path, self._abandoned, self._limit_seconds)
        self._work.put(work)
        try:
            outcome = self._outcomes.get(timeout=self._limit_seconds)
        except queue.Empty:
            self._abandoned = step
            self._work.put(None)
            raise DecodeTimeout(self._path, step, self._limit_seconds) from None
        except BaseException:  # Ctrl-C: nobody will fetch the answer, so no other may be asked for
            self._abandoned = step
            self._work.put(None)
            raise
        if outcome.error is not None:
            raise outcome.error
        value: T = outcome.value
        return value

    def close(self, last: Callable[[], None] | None = None) -> None:
        """See ``Caller``; ``last`` is bound by the limit too, and dropped after a timeout."""
        if self._abandoned is not None:
            return
        try:
            if last is not None:
                self.call("closing", last)  # type: ignore[arg-type]
        finally:
            self._abandoned = "closed"
            self._work.put(None)


def _serve(
    work: queue.SimpleQueue[Callable[[], Any] | None], outcomes: queue.SimpleQueue[_Outcome]
) -> None:
    while (step := work.get()) is not None:
        try:
            outcome = _Outcome(step(), None)
        except BaseException as error:  # noqa: BLE001 - raised again on the caller's thread
            outcome = _Outcome(None, error)
        outcomes.put(outcome)
        del step, outcome
