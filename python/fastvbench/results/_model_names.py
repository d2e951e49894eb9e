"""Which model a result is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["model_of"]

_PLAIN_NAMES = {"result", "results", "score"}
_SEPARATORS = "-_. "


def model_of(path: Path, data: Mapping[str, Any]) -> str:
    """The model that a result is of: as its run says, else by the names of file and folders.

    ``model/lvbench/result.json``, ``model/lvbench.json``, ``model_lvbench.json`` and
    ``model/result.json`` are all of ``model``.
    """
    said = data.get("run", {}).get("model")
    if isinstance(said, dict):
        said = said.get("name")
    if isinstance(said, str) and said:
        return said
    protocol = str(data["protocol"]["name"])
    whole = path.resolve()
    parts = [whole.stem, *(parent.name for parent in whole.parents if parent.name)]
    for part in parts:
        bare = _without(part, protocol)
        if bare and bare not in _PLAIN_NAMES:
            return bare
    return whole.stem


def _without(name: str, protocol: str) -> str:
    """A name without the benchmark's name at its beginning or end."""
    for sign in _SEPARATORS:
        name = name.removeprefix(protocol + sign).removesuffix(sign + protocol)
    return "" if name == protocol else name
