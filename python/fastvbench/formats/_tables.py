"""Tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def iter_table(
    path: object, *, kind: str, ledger: object = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    yield from ()
