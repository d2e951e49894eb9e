"""What a metric is: the mean or median of one per-row column, with the unit it is shown in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ACCURACY", "ANSWERED_ACCURACY", "Metric", "iou_metrics"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A mean or median over rows; rows whose score is NaN are not in the denominator.

    A median takes +infinity for a row whose number is beyond all that was looked at.

    Attributes:
        key: name in result files, for example ``recall@0.5``.
        title: name in tables.
        unit: what the value is: ``fraction`` (of rows), ``iou`` or ``rank``.
        scale: factor applied for display only (100 shows percent).
        decimals: decimals shown.
        statistic: what stands for all rows.
    """

    key: str
    title: str
    unit: str = "fraction"
    scale: float = 100.0
    decimals: int = 2
    statistic: Literal["mean", "median"] = "mean"

    def shown(self, value: float | None) -> str:
        """The value as tables print it; ``-`` where there is none."""
        return "-" if value is None else f"{value * self.scale:.{self.decimals}f}"


ACCURACY = Metric("accuracy", "acc %")
ANSWERED_ACCURACY = Metric("answered_accuracy", "acc of read %")


def iou_metrics(thresholds: tuple[float, ...]) -> tuple[Metric, ...]:
    """``mean_iou`` and ``recall@t`` for each IoU threshold."""
    return (
        Metric("mean_iou", "mIoU %", unit="iou"),
        *(Metric(f"recall@{t:g}", f"R1@{t:g} %") for t in thresholds),
    )
