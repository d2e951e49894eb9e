"""The lock file: what each protocol version means, so that no score moves unannounced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastvbench.core._errors import InputError
from fastvbench.protocols._registry import get_protocol, list_protocols

__all__ = ["LOCK_PATH", "current_lock", "read_lock", "update_lock"]

LOCK_PATH = Path(__file__).with_name("protocols.lock.json")


def current_lock() -> dict[str, Any]:
    """Version and fingerprint of every protocol as the code declares it."""
    return {
        name: {"version": protocol.version, "fingerprint": protocol.fingerprint()}
        for name in list_protocols()
        for protocol in (get_protocol(name),)
    }


def read_lock(path: Path = LOCK_PATH) -> dict[str, Any]:
    """The lock file's content."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def update_lock(path: Path = LOCK_PATH) -> None:
    """Write the lock file anew.

    Raises:
        InputError: a protocol's declaration moved while its version did not.
    """
    known = read_lock(path) if path.exists() else {}
    current = current_lock()
    for name, entry in current.items():
        before = known.get(name, entry)
        moved = before["fingerprint"] != entry["fingerprint"]
        if moved and before["version"] == entry["version"]:
            raise InputError(
                f"{name}: its declaration moved, its version did not",
                field="version",
                value=entry["version"],
                expected="a higher version and a line in CHANGELOG.md",
            )
    path.write_text(json.dumps(current, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    import sys

    update_lock(Path(sys.argv[1]))
