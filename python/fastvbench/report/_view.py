"""A result as the parts of a report ask for it: values as they are shown, and rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.results._metrics import Metric
from fastvbench.results._summary import Clusters, RuleScores, summarize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.report.charts._chart import Axis
    from fastvbench.results._samples import SampleTable
    from fastvbench.results._strata import Stratum

__all__ = ["ResultView", "Shown", "groups_words", "range_words"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shown:
    """One value on a metric's display scale.

    Attributes:
        value: None where nothing counts.
        low: lower end of the 95 % interval, None where there is none.
        high: its upper end.
        count: rows behind it.
        upper: the value if every row that waits for a judge were right, None where none waits.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class ResultView:
    """One scored benchmark.

    Attributes:
        label: how the report calls it.
        data: the content of result.json, kind ``score``.
        rows: the rows behind its values, those of the main input setting; None where the samples
            file is not there.
        every_row: the rows of every setting, where there are several.
    """

    label: str
    data: dict[str, Any]
    rows: SampleTable | None = None
    every_row: SampleTable | None = None

    @property
    def main_rule(self) -> str:
        """The rule set that headlines it."""
        return str(self.data["main"]["rule"])

    @property
    def main_metric(self) -> str:
        """The metric that headlines it."""
        return str(self.data["main"]["metric"])

    @property
    def title(self) -> str:
        """The benchmark's name."""
        protocol = self.data["protocol"]
        return str(protocol.get("title", protocol["name"]))

    @property
    def is_retrieval(self) -> bool:
        """Whether queries were ranked against a gallery."""
        return "gallery_rows" in self.data["coverage"] or any(
            "direction" in entry["strata"] for entry in self.data["rules"].values()
        )

    def metric(self, key: str) -> Metric:
        """How a metric is shown."""
        look = self.data["metrics"].get(key, {})
        return Metric(
            key,
            look.get("title", key),
            unit=look.get("unit", "fraction"),
            scale=look.get("scale", 1.0),
            decimals=look.get("decimals", 2),
        )

    def shown(self, entry: Mapping[str, Any], key: str) -> Shown:
        """An entry of result.json on the metric's display scale."""
        scale = self.metric(key).scale

        def scaled(value: float | None) -> float | None:
            return None if value is None else value * scale

        low, high = entry.get("interval") or (None, None)
        return Shown(
            scaled(entry["value"]),
            scaled(low),
            scaled(high),
            int(entry["n"]),
            scaled(entry.get("value_if_all_right")),
        )

    def overall(self, rule: str, key: str) -> Shown | None:
        """A rule set's overall value; None where it does not report the metric."""
        entry = self.data["rules"][rule]["overall"].get(key)
        return None if entry is None else self.shown(entry, key)

    def headline(self) -> Shown:
        """The main metric under the main rule set."""
        shown = self.overall(self.main_rule, self.main_metric)
        assert shown is not None
        return shown

    def published_rule(self) -> str | None:
        """The rule set to show beside the main one: the public scorer's, else the next one."""
        others: list[str] = [rule for rule in self.data["rules"] if rule != self.main_rule]
        for rule in ("official", *others):
            if rule in others and self.overall(rule, self.main_metric) is not None:
                return rule
        return None

    def axis(self, key: str) -> Axis:
        """The axis of a metric: percent from 0, ranks as they come."""
        from fastvbench.report.charts._chart import Axis  # noqa: PLC0415

        metric = self.metric(key)
        if metric.unit in {"fraction", "iou"}:
            most = max(
                (
                    high
                    for rule in self.data["rules"]
                    if (shown := self.overall(rule, key)) is not None
                    and (high := shown.high if shown.high is not None else shown.value) is not None
                ),
                default=0.0,
            )
            # Some public rules pass 1.0: the axis then ends where the values do.
            high_end = metric.scale if most <= metric.scale else None
            return Axis(metric.title, low=0, high=high_end, decimals=metric.decimals)
        return Axis(metric.title, decimals=metric.decimals)

    def summarized(
        self, columns: Mapping[str, FloatArray], metric: Metric, strata: Mapping[str, Stratum]
    ) -> dict[str, Any]:
        """Values with intervals clustered by video, of columns that the result does not have.

        Args:
            columns: float64[n] by a name of the caller's choice, NaN where a row does not count.
            metric: how each is shown.
            strata: groups to break them down by.

        Returns:
            ``overall`` and ``strata`` as result.json holds them, by the columns' names.
        """
        assert self.rows is not None
        metrics = tuple(
            Metric(name, metric.title, metric.unit, metric.scale, metric.decimals)
            for name in columns
        )
        by_rule, _ = summarize(
            {"": RuleScores(metrics, columns)}, strata, Clusters.of(self.rows.clusters), seed=0
        )
        summary: dict[str, Any] = by_rule[""]
        return summary


def groups_words(count: int) -> str:
    """A number of groups in words."""
    return "1 group" if count == 1 else f"{count:,} groups"


def range_words(names: Sequence[str], values: Sequence[float | None], axis: Axis) -> str:
    """Which of some values is the highest and which the lowest, as a sentence."""
    known = [(value, name) for name, value in zip(names, values, strict=True) if value is not None]
    if not known:
        return "No value is known."
    high, low = max(known), min(known)
    if len(known) == 1:
        return f"{high[1]}: {axis.shown(high[0])}."
    if high[0] == low[0]:
        return f"All are {axis.shown(high[0])}."
    return f"Highest: {high[1]}, {axis.shown(high[0])}; lowest: {low[1]}, {axis.shown(low[0])}."
