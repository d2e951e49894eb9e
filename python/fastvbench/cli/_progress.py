"""Progress of long input on standard error: a live line on a terminal, rare lines in a log."""

from __future__ import annotations

import sys
import time

__all__ = ["RowProgress"]

_FIRST_SECONDS = 1.0
_LIVE_SECONDS = 0.2
_LOG_SECONDS = 30.0


class RowProgress:
    """Called with the number of rows read so far; silent for the first second."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begin = time.monotonic()
        self._live = sys.stderr.isatty()
        self._next = self._begin + (_FIRST_SECONDS if self._live else _LOG_SECONDS)
        self._shown = False

    def __call__(self, rows: int) -> None:
        """Say how far it is, where it is time to."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_LIVE_SECONDS if self._live else _LOG_SECONDS)
        rate = rows / max(now - self._begin, 1e-9)
        text = f"{self._what}: {rows:,} rows, {rate:,.0f} a second"
        end = "" if self._live else "\n"
        print(f"\r{text}" if self._live else text, end=end, file=sys.stderr, flush=True)
        self._shown = True

    def close(self) -> None:
        """Remove the live line."""
        if self._shown and self._live:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
