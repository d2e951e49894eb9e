"""A finished comparison of models: the data of its file, and what follows in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.formats import write_atomic
from fastvbench.results._comparison_words import group_words, spread_words
from fastvbench.results._result import check_target
from fastvbench.results._strict_json import strict_json

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from fastvbench.results._metrics import Metric

__all__ = ["Comparison"]


class Comparison:
    """What `compare` returns.

    Attributes:
        data: the content of the file that ``fastvbench compare -o`` writes (kind ``comparison``).
        metrics: the metrics compared, by key.
    """

    def __init__(self, data: dict[str, Any], metrics: Mapping[str, Metric]) -> None:
        self.data = data
        self.metrics = metrics

    @property
    def metric(self) -> Metric:
        """The metric that decides."""
        return self.metrics[self.data["metric"]]

    def pair(self, a: str | None = None, b: str | None = None) -> dict[str, Any]:
        """What was found of two models; of the first pair where no names are given.

        Raises:
            KeyError: the pair was not compared.
        """
        entries: list[dict[str, Any]] = self.data["pairs"]
        if a is None:
            return entries[0]
        for entry in entries:
            if {entry["a"], entry["b"]} == {a, b}:
                return entry
        raise KeyError(f"{a} and {b} were not compared")

    @property
    def difference(self) -> float | None:
        """First minus second model, in the metric that decides."""
        value: float | None = self.pair()["metrics"][self.data["metric"]]["difference"]
        return value

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the difference."""
        held = self.pair()["metrics"][self.data["metric"]]["interval"]
        return None if held is None else (held[0], held[1])

    @property
    def tied(self) -> bool | None:
        """Whether the first two models are statistically tied; None where nothing can be said."""
        held: bool | None = self.pair()["metrics"][self.data["metric"]]["tied"]
        return held

    def words(self) -> list[str]:
        """What follows, a sentence a pair, and of three or more models how they rank."""
        sentences = [entry["words"] for entry in self.data["pairs"]]
        sentences += spread_words(self.data["models"], self.metric)
        if len(self.data["models"]) > 2 and "tie_groups" in self.data:
            sentences += group_words(self.data["tie_groups"], self.metric)
        return sentences

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the data; the file appears whole or not at all.

        Raises:
            InputError: `path` is a folder, a pipe or a device, or its own folder does not exist.
        """
        target = Path(path)
        check_target(target)
        return write_atomic(target, strict_json(self.data))
