"""Things that are closed at the end of a ``with`` block."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self  # of typing since Python 3.11

__all__ = ["Closing"]


class Closing:
    """Base of generators and embedders: a context manager that closes itself."""

    def close(self) -> None:
        """Let go of what is held; nothing here."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
