"""What a metric is: the mean of one per-row column, with the unit it is shown in."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ACCURACY", "ANSWERED_ACCURACY", "Metric", "iou_metrics"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A mean over rows; rows whose score is NaN are not in the denominator.

    Attributes:
        key: name in result files, for example ``recall@0.5``.
        title: name in tables.
        unit: what the value is: ``fraction`` (of rows) or ``iou``.
        scale: factor applied for display only (100 shows percent).
        decimals: decimals shown.
    """

    key: str
    title: str
    unit: str = "fraction"
    scale: float = 100.0
    decimals: int = 2

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
