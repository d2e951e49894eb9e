"""Progress of long input on standard error: a live line on a terminal, rare lines in a log."""

from __future__ import annotations

import sys
import time

__all__ = ["LiveLine", "RowProgress"]

_FIRST_SECONDS = 1.0
_LIVE_SECONDS = 0.2
_LOG_SECONDS = 30.0


class LiveLine:
    """A line on standard error that says how far something is; silent for the first second."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._live = sys.stderr.isatty()
        self._next = self._begin + (_FIRST_SECONDS if self._live else _LOG_SECONDS)
        self._shown = False

    @property
    def seconds(self) -> float:
        """Since it began; never 0."""
        return max(time.monotonic() - self._begin, 1e-9)

    def is_due(self) -> bool:
        """Whether it is time to say something."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + (_LIVE_SECONDS if self._live else _LOG_SECONDS)
        return True

    def show(self, text: str) -> None:
        """Put the text in place of the last one, or below it in a log."""
        end = "" if self._live else "\n"
        print(f"\r\x1b[2K{text}" if self._live else text, end=end, file=sys.stderr, flush=True)
        self._shown = True

    def close(self) -> None:
        """Remove the live line."""
        if self._shown and self._live:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


class RowProgress(LiveLine):
    """Called with the number of rows read so far."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def __call__(self, rows: int) -> None:
        """Say how far it is, where it is time to."""
        if self.is_due():
            self.show(f"{self._what}: {rows:,} rows, {rows / self.seconds:,.0f} a second")


class ShareProgress(LiveLine):
    """Called with how many of a known number are done: a bar, the pace and the time left.

    Args:
        what: is being done.
        unit: what is counted.
        total: how many there will be.
    """

    _BAR_CELLS = 20

    def __init__(self, what: str, unit: str, total: int) -> None:
        super().__init__()
        self._what, self._unit, self._total = what, unit, total

    def __call__(self, done: int) -> None:
        """Say how far it is, where it is time to."""
        if not self.is_due():
            return
        filled = self._BAR_CELLS * done // max(self._total, 1)
        bar = "#" * filled + "." * (self._BAR_CELLS - filled)
        pace = done / self.seconds
        left = f", {(self._total - done) / pace:,.0f} s left" if done else ""
        self.show(
            f"{self._what} [{bar}] {done:,} of {self._total:,} {self._unit}, "
            f"{pace:,.1f} a second{left}"
        )
