"""What a metric is: a mean, median or macro mean of one per-row column, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ACCURACY",
    "ANSWERED_ACCURACY",
    "CIRCULAR_ACCURACY",
    "Metric",
    "iou_metrics",
    "macro_accuracy",
    "macro_mean",
    "metrics_of",
]

_MACRO = "macro_"


@dataclass(frozen=True, slots=True)
class Metric:
    """A number for many rows; rows whose score is NaN are not in the denominator.

    A median takes +infinity for a row whose number is beyond all that was looked at. A macro mean
    is the mean of the means of a stratum's categories that have rows, so each of them weighs the
    same however many rows it has.

    Attributes:
        key: name in result files, for example ``recall@0.5``.
        title: name in tables.
        unit: what the value is: ``fraction`` (of rows), ``iou`` or ``rank``.
        scale: factor applied for display only (100 shows percent).
        decimals: decimals shown.
        statistic: what stands for all rows.
        over: the stratum whose categories a macro mean weighs alike; None for other statistics.
        in_tables: whether tables show it; result files hold every metric.
    """

    key: str
    title: str
    unit: str = "fraction"
    scale: float = 100.0
    decimals: int = 2
    statistic: Literal["mean", "median", "macro"] = "mean"
    over: str | None = None
    in_tables: bool = True

    def __post_init__(self) -> None:
        """Refuse a macro mean over nothing, and any other statistic over something.

        Raises:
            ValueError: `over` and `statistic` do not fit.
        """
        if (self.statistic == "macro") != (self.over is not None):
            raise ValueError(f"{self.key}: statistic {self.statistic!r} with over={self.over!r}")

    @property
    def base(self) -> str:
        """Key of the metric whose column this one takes its numbers from; its own, or another's.

        A macro mean averages the column of the metric it is named after, and circular accuracy
        asks whether a question is right in every order.
        """
        if self.key == "circular_accuracy":
            return "accuracy"
        return self.key.removeprefix(_MACRO) if self.statistic == "macro" else self.key

    def shown(self, value: float | None) -> str:
        """The value as tables print it; ``-`` where there is none."""
        return "-" if value is None else f"{value * self.scale:.{self.decimals}f}"


ACCURACY = Metric("accuracy", "acc %")
ANSWERED_ACCURACY = Metric("answered_accuracy", "acc of read %")
CIRCULAR_ACCURACY = Metric("circular_accuracy", "circular acc %")


def macro_mean(metric: Metric, over: str) -> Metric:
    """The mean of a metric's means over the categories of a stratum: ``macro_<key>``.

    Its column is that of the metric itself; a rule set declares both.
    """
    return replace(
        metric,
        key=f"{_MACRO}{metric.key}",
        title=f"macro {metric.title}",
        statistic="macro",
        over=over,
    )


def macro_accuracy(over: str) -> Metric:
    """The mean of the accuracies of a stratum's categories."""
    return macro_mean(ACCURACY, over)


def iou_metrics(thresholds: tuple[float, ...]) -> tuple[Metric, ...]:
    """``mean_iou`` and ``recall@t`` for each IoU threshold."""
    return (
        Metric("mean_iou", "mIoU %", unit="iou"),
        *(Metric(f"recall@{t:g}", f"R1@{t:g} %") for t in thresholds),
    )


def metrics_of(data: Mapping[str, Any], rule: str) -> dict[str, Metric]:
    """The metrics that a rule set reports, from the content of result.json, by key.

    Args:
        data: a result of kind ``score``.
        rule: name of one of its rule sets.
    """
    metrics = {}
    for key in data["rules"][rule]["overall"]:
        entry = data["metrics"][key]
        over = entry.get("over")
        metrics[key] = Metric(
            key,
            entry["title"],
            unit=entry["unit"],
            scale=entry["scale"],
            decimals=entry["decimals"],
            statistic="macro" if over is not None else entry.get("statistic", "mean"),
            over=over,
        )
    return metrics
