"""How tables call models and benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastvbench.core import InputError
from fastvbench.formats import read_json

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["NameMap", "read_names"]


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
