"""Recall at IoU thresholds: R@1 of temporal grounding and its relatives for several intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastvbench import _core
from fastvbench.intervals import _on_device
from fastvbench.intervals._inputs import as_columns, as_thresholds, rows_with_gold
from fastvbench.intervals._iou import convention_number, row_ious
from fastvbench.intervals._matching import match_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.intervals._iou import Convention

__all__ = ["recall_at_iou"]


def recall_at_iou(
    pred: object,
    gold: object,
    *,
    thresholds: Sequence[float] | float = (0.3, 0.5, 0.7),
    convention: Convention = "first",
    strict: bool = False,
    threads: int = 0,
) -> dict[float, float]:
    """Return the share of rows whose prediction reaches each IoU threshold.

    The denominator is the rows with gold. A row without prediction never reaches a threshold, not
    even 0.

    Args:
        pred: Intervals, Arrow lists of pairs, [n, 2] arrays or lists of rows; seconds. On a CUDA
            device: DeviceIntervals or [n, 2] float64 arrays, counted there.
        gold: the same, same number of rows.
        thresholds: IoUs from 0 to 1.
        convention: what is compared with the threshold. ``first``: the IoU of the first prediction
            with the gold interval that it overlaps most, the community's R@1. ``union``: set IoU.
            ``best``: the best of all pairs, an oracle. ``one_to_one``: not a yes or no per row but
            the share of its gold intervals that the optimal matching finds, where only pairs that
            reach the threshold may match.
        strict: compare with ``>`` instead of ``>=``.
        threads: 0 uses every core.

    Returns:
        Recall as a fraction per threshold, in the order given.

    Raises:
        ValueError: an interval that is not finite or ends before it starts, row counts that differ,
            a threshold outside [0, 1], an unknown convention, or no gold at all.

    Example:
        >>> recall_at_iou([[(0, 4)], []], [[(0, 8)], [(3, 4)]], thresholds=(0.5, 0.7))
        {0.5: 0.5, 0.7: 0.0}
    """
    levels = as_thresholds(thresholds, zero_allowed=True)
    if _on_device.holds_device_arrays(pred, gold):
        return _recall_on_device(pred, gold, levels, convention, strict=strict)
    pred_column, gold_column = as_columns(pred, gold)
    has_gold = rows_with_gold(gold_column)
    recalls = {}
    if convention == "one_to_one":
        gold_counts = np.diff(gold_column.offsets)[has_gold]
        for level in levels:
            least = _least_iou(level, strict=strict)
            matches = match_columns(pred_column, gold_column, "optimal", least, threads)
            shares = np.diff(matches.offsets)[has_gold] / gold_counts
            recalls[level] = _core.mean_in_blocks(shares)
        return recalls
    ious = row_ious(pred_column, gold_column, convention, threads=threads)
    counted = ious[has_gold & (pred_column.offsets[1:] > pred_column.offsets[:-1])]
    row_count = int(np.count_nonzero(has_gold))
    for level in levels:
        reached = counted > level if strict else counted >= level
        recalls[level] = int(np.count_nonzero(reached)) / row_count
    return recalls


def _recall_on_device(
    pred: object, gold: object, levels: list[float], convention: str, *, strict: bool
) -> dict[float, float]:
    if convention == "one_to_one":
        least_ious = [_least_iou(level, strict=strict) for level in levels]
        gold_counts, matched = _on_device.matched_shares(pred, gold, least_ious)
        has_gold = gold_counts > 0
        _require_gold(int(np.count_nonzero(has_gold)), len(gold_counts))
        return {
            level: _core.mean_in_blocks(counts[has_gold] / gold_counts[has_gold])
            for level, counts in zip(levels, matched, strict=True)
        }
    number = convention_number(convention)
    rows, reached = _on_device.count_reached(pred, gold, number, levels, strict=strict)
    _require_gold(rows, None)
    return {level: count / rows for level, count in zip(levels, reached, strict=True)}


def _require_gold(rows_with_gold: int, row_count: int | None) -> None:
    if rows_with_gold == 0:
        rows = "rows" if row_count is None else f"{row_count} rows"
        raise ValueError(f"gold has no interval in any of its {rows}; expected at least one")


def _least_iou(level: float, *, strict: bool) -> float:
    """The least IoU that reaches a threshold."""
    return math.nextafter(level, math.inf) if strict else level
