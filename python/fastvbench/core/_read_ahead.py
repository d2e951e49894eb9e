"""Making the next item of an iterator while the one before is used."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["read_ahead"]

_Item = TypeVar("_Item")
_LOOK_SECONDS = 0.2  # how soon an abandoned maker notices


def read_ahead(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield the items in order, each made in another thread while the one before is in use.

    Pays where using an item spends its time outside Python (in a kernel that releases the GIL).
    At most one finished item waits. What the iterable raises is raised here, after the items before
    it. The thread ends with the iteration, also where that is abandoned, and never keeps
    the process alive.
    """
    ready: queue.Queue[tuple[_Item | None, BaseException | None, bool]] = queue.Queue(maxsize=1)
    abandoned = threading.Event()

    def offer(item: _Item | None, error: BaseException | None, is_last: bool) -> None:
        while not abandoned.is_set():
            try:
                ready.put((item, error, is_last), timeout=_LOOK_SECONDS)
            except queue.Full:
                continue
            return

    def make() -> None:
        try:
            for item in items:
                offer(item, None, False)
                if abandoned.is_set():
                    return
        except BaseException as error:  # noqa: BLE001  handed over, raised where the items are used
            offer(None, error, True)
            return
        offer(None, None, True)

    threading.Thread(target=make, name="read-ahead", daemon=True).start()
    try:
        while True:
            item, error, is_last = ready.get()
            if error is not None:
                raise error
            if is_last:
                return
            yield item  # type: ignore[misc]  # only the last entry has none
    finally:
        abandoned.set()
