"""A finished score: the data of result.json, and the rows behind it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import orjson

from fastvbench.formats import write_atomic

if TYPE_CHECKING:
    import os

    from fastvbench.results._metrics import Metric

__all__ = ["Result", "strict_json"]

SampleRows = Callable[[], Iterable[dict[str, Any]]]


def strict_json(data: object) -> bytes:
    """JSON with two-space indent; NaN and infinities, which it cannot hold, become null."""
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY) + b"\n"


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

    def value(self, metric: str | None = None, rule: str | None = None) -> float | None:
        """Overall value of a metric (the main one) under a rule set (the main one)."""
        main = self.data["main"]
        entry = self.data["rules"][rule or main["rule"]]["overall"][metric or main["metric"]]
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
            if any(len({scores[key] for scores in outcomes}) > 1 for key in shared):
                yield row

    def write(self, path: str | os.PathLike[str]) -> list[Path]:
        """Write result.json, and result.samples.jsonl.gz beside it where rows were kept.

        Both appear whole or not at all.

        Returns:
            The files written.
        """
        target = Path(path)
        written = [target]
        if self._rows is not None:
            stem = target.name.removesuffix(".json")
            samples = target.with_name(f"{stem}.samples.jsonl.gz")
            write_atomic(samples, self._write_samples)
            written.append(samples)
        write_atomic(target, strict_json(self.data))
        return written

    def _write_samples(self, file: BinaryIO) -> None:
        # mtime 0: the same rows give the same bytes.
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0) as packed:
            for row in self.samples():
                packed.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
