"""What the rule modules share: the interval they return and the one exception they raise."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Interval", "PublicScriptAborts"]

Interval: TypeAlias = tuple[float, float]
"""``(start, end)`` in seconds unless a rule says otherwise; a rule may leave it reversed."""


class PublicScriptAborts(Exception):  # noqa: N818 - it states what a script does, it is no fault
    """The public script stops with an exception on this row, so it has no score for it.

    Args:
        reason: one line of plain ASCII: the exception that the script raises, and why.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    @property
    def shown(self) -> str:
        """What stands where a result shows what was read."""
        return f"public script aborts: {self.reason}"
