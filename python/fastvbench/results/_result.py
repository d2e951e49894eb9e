"""A finished score: the data of result.json, and the rows behind it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from fastvbench.core._errors import InputError
from fastvbench.formats import write_atomic
from fastvbench.results._strict_json import json_line, strict_json

if TYPE_CHECKING:
    import os

    from fastvbench.results._metrics import Metric

__all__ = ["Result", "check_target", "samples_path"]

SampleRows = Callable[[], Iterable[dict[str, Any]]]

SCORE_TOLERANCE = 1e-9  # formulas of one value round differently in the last bits


def samples_path(result_path: str | os.PathLike[str]) -> Path:
    """Where the rows behind a result file go: ``x.samples.jsonl.gz`` beside ``x.json``."""
    target = Path(result_path)
    return target.with_name(f"{target.name.removesuffix('.json')}.samples.jsonl.gz")


def check_target(path: Path) -> None:
    """Refuse a place that no result file can take, before any of its files is written.

    Raises:
        InputError: a folder, a pipe, a device, or a file in no folder.
    """
    if not path.name or path.is_dir():
        raise InputError("is a folder", path=path, expected="a file to write")
    if path.exists() and not path.is_file():
        raise InputError("is a pipe or a device", path=path, expected="a file to write")
    if not path.parent.is_dir():
        raise InputError("no such folder", path=path.parent, expected="an existing folder")


def _differ(scores: list[float | None]) -> bool:
    first = scores[0]
    return any(
        score is not first
        if score is None or first is None
        else abs(score - first) > SCORE_TOLERANCE
        for score in scores
    )


class Result:
    """What `score` returns.

    Attributes:
        data: the content of result.json (schema 1), plain JSON values.

    Args:
        data: see above.
        metrics: the metrics of each rule set, in order.
        rows: makes the rows of the samples file; None where they were not kept.
    """

    def __init__(
        self,
        data: dict[str, Any],
        *,
        metrics: Mapping[str, tuple[Metric, ...]],
        rows: SampleRows | None = None,
    ) -> None:
        self.data = data
        self.metrics = metrics
        self._rows = rows

    def value(
        self, metric: str | None = None, rule: str | None = None, setting: str | None = None
    ) -> float | None:
        """Overall value of a metric (the main one) under a rule set (the main one).

        Args:
            metric: its key.
            rule: name of the rule set.
            setting: of a result with several input settings, which one (the main one).
        """
        main = self.data["main"]
        of_setting = setting is None or setting == self.data.get("setting")
        rules = self.data["rules"] if of_setting else self.data["settings"][setting]["rules"]
        entry = rules[rule or main["rule"]]["overall"][metric or main["metric"]]
        return cast("float | None", entry["value"])

    @property
    def has_samples(self) -> bool:
        """Whether rows can be listed and written."""
        return self._rows is not None

    def samples(self) -> Iterable[dict[str, Any]]:
        """Rows in annotation order: id, strata, what each rule set read and gave, an excerpt.

        Raises:
            ValueError: the score was made with ``samples=False``.
        """
        if self._rows is None:
            raise ValueError("rows were not kept; score with samples=True")
        return self._rows()

    def differing(self) -> Iterable[dict[str, Any]]:
        """Rows that score differently under two rule sets, in any metric that all of them have."""
        shared = set.intersection(*({m.key for m in metrics} for metrics in self.metrics.values()))
        for row in self.samples():
            outcomes = [entry["scores"] for entry in row["rules"].values()]
            if any(_differ([scores[key] for scores in outcomes]) for key in shared):
                yield row

    def write(self, path: str | os.PathLike[str]) -> list[Path]:
        """Write result.json, and result.samples.jsonl.gz beside it where rows were kept.

        Each appears whole or not at all.

        Returns:
            The files written.

        Raises:
            InputError: `path` is a folder, a pipe or a device, or its own folder does not exist.
        """
        target = Path(path)
        check_target(target)
        written = [target]
        if self._rows is not None:
            samples = samples_path(target)
            write_atomic(samples, self._write_samples)
            written.append(samples)
        write_atomic(target, strict_json(self.data))
        return written

    def _write_samples(self, file: BinaryIO) -> None:
        # mtime 0: the same rows give the same bytes.
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0) as packed:
            for row in self.samples():
                packed.write(json_line(row))
