"""Reading JSON Lines with orjson and doing nothing else: the least that any scorer must do."""

from __future__ import annotations

from pathlib import Path


def read_lines(*paths: Path) -> int:
    """Parse every line; returns how many there were."""
    import orjson

    loads, count = orjson.loads, 0
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                loads(line)
                count += 1
    return count
