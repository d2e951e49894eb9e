"""Checks that the functions of this room share: two columns, thresholds, conventions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fastvbench.intervals._column import Intervals, as_intervals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["as_columns", "as_thresholds", "rows_with_gold"]


def as_columns(pred: object, gold: object) -> tuple[Intervals, Intervals]:
    """Take both sides as columns of the same length.

    Raises:
        ValueError: the lengths differ, or one side cannot be read (see ``as_intervals``).
    """
    pred_column, gold_column = as_intervals(pred, "pred"), as_intervals(gold, "gold")
    if len(pred_column) != len(gold_column):
        raise ValueError(
            f"pred has {len(pred_column)} rows and gold has {len(gold_column)}; "
            "expected the same number"
        )
    return pred_column, gold_column


def rows_with_gold(gold: Intervals) -> NDArray[np.bool_]:
    """Tell which rows count: those with at least one gold interval.

    Raises:
        ValueError: none has one, so there is nothing to average.
    """
    has_gold: NDArray[np.bool_] = gold.offsets[1:] > gold.offsets[:-1]
    if not has_gold.any():
        raise ValueError(
            f"gold has no interval in any of its {len(gold)} rows; expected at least one"
        )
    return has_gold


def as_thresholds(thresholds: object, *, zero_allowed: bool) -> list[float]:
    """Take one number or several as the IoU thresholds of a metric.

    Raises:
        TypeError: not numbers.
        ValueError: none, a threshold outside [0, 1] (or 0 where that would count misses as hits).
    """
    listed = list(thresholds) if isinstance(thresholds, Iterable) else [thresholds]
    values = []
    for place, threshold in enumerate(listed):
        try:
            value = float(threshold)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise TypeError(f"thresholds[{place}] is {threshold!r}; expected a number") from error
        if math.isnan(value) or not 0.0 <= value <= 1.0 or (value == 0.0 and not zero_allowed):
            lowest = "from 0" if zero_allowed else "above 0, up"
            raise ValueError(f"thresholds[{place}]={value}; expected an IoU {lowest} to 1")
        values.append(value)
    if not values:
        raise ValueError("thresholds is empty; expected at least one IoU")
    return values
