"""A queue between a decoding thread and its reader, bounded in bytes."""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, TypeVar

__all__ = ["Abandoned", "Channel"]

T = TypeVar("T")


class Abandoned(Exception):  # noqa: N818 - a signal between threads, never seen by a user
    """The reader went away; the writer has nothing left to do."""


class Channel(Generic[T]):
    """One writer, one reader. A writer waits while the queue holds more than its bytes.

    Args:
        most_bytes: of queued items; an item that is larger passes when the queue is empty.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._items: deque[tuple[T, int]] = deque()
        self._queued_bytes = 0
        self._finished = self._abandoned = False
        self._changed = threading.Condition()
        self.peak_bytes = 0

    def put(self, item: T, size_bytes: int) -> None:
        """Add an item, waiting for room.

        Raises:
            Abandoned: the reader wants no more.
        """
        with self._changed:
            while not self._abandoned and self._items and self._is_full(size_bytes):
                self._changed.wait()
            if self._abandoned:
                raise Abandoned
            self._items.append((item, size_bytes))
            self._queued_bytes += size_bytes
            self.peak_bytes = max(self.peak_bytes, self._queued_bytes)
            self._changed.notify_all()

    def get(self) -> T | None:
        """The next item, waiting for it; None when there will be no more."""
        with self._changed:
            while not self._items and not self._finished:
                self._changed.wait()
            if not self._items:
                return None
            item, size_bytes = self._items.popleft()
            self._queued_bytes -= size_bytes
            self._changed.notify_all()
            return item

    def finish(self) -> None:
        """The writer has written everything; also called when it failed."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def abandon(self) -> None:
        """The reader goes away: what is queued is dropped and the writer is told."""
        with self._changed:
            self._abandoned = True
            self._items.clear()
            self._queued_bytes = 0
            self._changed.notify_all()

    def _is_full(self, more_bytes: int) -> bool:
        return self._queued_bytes + more_bytes > self._most_bytes
