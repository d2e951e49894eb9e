"""Which model a result is of, and how tables call models and benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError
from fastvbench.formats import read_json

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["NameMap", "model_of", "read_names"]

_PLAIN_NAMES = {"result", "results", "score"}
_SEPARATORS = "-_. "


@dataclass(frozen=True, slots=True)
class NameMap:
    """Names that tables show in place of those that files have.

    Attributes:
        names: by the name of a model, or of a benchmark's protocol.
    """

    names: Mapping[str, str] = field(default_factory=dict)

    def shown(self, name: str, otherwise: str | None = None) -> str:
        """The name to show; `otherwise` (or the name itself) where the map has none."""
        return self.names.get(name, otherwise or name)


def read_names(path: str | os.PathLike[str] | None) -> NameMap:
    """Read a name map: one JSON object, ``{"qwen2_5_vl_7b": "Qwen2.5-VL-7B", "lvbench": "LVB"}``.

    Raises:
        InputError: no such file, or no object of texts.
    """
    if path is None:
        return NameMap()
    held = read_json(path)
    if not isinstance(held, dict) or not all(isinstance(name, str) for name in held.values()):
        raise InputError(
            "not a map of names", path=path, value=held, expected='{"name": "shown name", ...}'
        )
    return NameMap(held)


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
