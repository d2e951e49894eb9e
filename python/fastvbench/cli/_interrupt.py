"""Signals that end a long command in order."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["TerminationAsInterrupt"]


class TerminationAsInterrupt:
    """SIGTERM, as clusters send it before they kill, ends what is inside as Ctrl-C does."""

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGTERM, self._interrupt)

    def __exit__(self, *exception: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    @staticmethod
    def _interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt
