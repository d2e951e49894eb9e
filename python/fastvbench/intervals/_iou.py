"""Overlap of predicted with gold intervals: one pair per row, whole sets, means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from fastvbench import _core
from fastvbench.intervals import _on_device
from fastvbench.intervals._column import Intervals, as_pairs
from fastvbench.intervals._inputs import as_columns, rows_with_gold
from fastvbench.intervals._matching import match_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Convention",
    "convention_number",
    "interval_set_iou",
    "mean_iou",
    "row_ious",
    "temporal_iou",
]

Convention = Literal["first", "best", "union", "one_to_one"]

ROW_CONVENTIONS = {"union": 0, "first": 1, "best": 2}


def temporal_iou(
    pred: object, gold: object, *, out: NDArray[np.float64] | None = None, threads: int = 0
) -> NDArray[np.float64]:
    """Return the IoU of one predicted and one gold interval per row.

    ``|intersection| / |union|`` in float64, with ``union = length + length - intersection``.
    Intervals that touch or lie apart have 0, and so have two of zero length, even equal ones. (Some
    public scorers divide by the hull, from the first start to the last end; for intervals that
    overlap that is the same number, up to rounding.)

    Args:
        pred: [n, 2] start and end in seconds (numpy, torch on the CPU, anything with ``__array__``
            or DLPack; float32 and integers convert), or a column or list with one interval per row.
            On a CUDA device (torch, cupy, jax): float64, C-contiguous.
        gold: the same, same length.
        out: float64 [n], C-contiguous, to write into instead of a new array.
        threads: 0 uses every core.

    Returns:
        float64 [n]; ``out`` where given. Of device input an array of its library on its device.

    Raises:
        ValueError: an interval that is not finite or ends before it starts, a row without exactly
            one interval, lengths that differ; argument, row and value are named.
        TypeError: input or ``out`` of another kind.

    Example:
        >>> temporal_iou([(0, 10)], [(5, 10)])
        array([0.5])
    """
    if _on_device.holds_device_arrays(pred, gold):
        return _on_device.temporal_iou(pred, gold, out)
    return _core.temporal_iou(as_pairs(pred, "pred"), as_pairs(gold, "gold"), out, threads)


def interval_set_iou(
    pred: object, gold: object, *, out: NDArray[np.float64] | None = None, threads: int = 0
) -> NDArray[np.float64]:
    """Return the IoU of all predicted with all gold time, per row.

    Each side is merged first (overlapping and touching intervals become one), so repeating an
    interval gains nothing and no value exceeds 1. A row with an empty side has 0.

    Args:
        pred: Intervals, Arrow lists of pairs, [n, 2] arrays or lists of rows; seconds. On a CUDA
            device: DeviceIntervals or [n, 2] float64 arrays, up to 4,096 intervals a side.
        gold: the same, same number of rows.
        out: float64 [n], C-contiguous, to write into instead of a new array.
        threads: 0 uses every core.

    Returns:
        float64 [n]; ``out`` where given. Of device input an array of its library on its device.

    Raises:
        ValueError: an interval that is not finite or ends before it starts, or row counts that
            differ; argument, row and value are named.
        TypeError: input or ``out`` of another kind.

    Example:
        >>> interval_set_iou([[(0, 2), (1, 4)]], [[(0, 8)]])
        array([0.5])
    """
    if _on_device.holds_device_arrays(pred, gold):
        return _on_device.row_ious("interval_set_iou", pred, gold, ROW_CONVENTIONS["union"], out)
    pred_column, gold_column = as_columns(pred, gold)
    return row_ious(pred_column, gold_column, "union", out=out, threads=threads)


def mean_iou(
    pred: object, gold: object, *, convention: Convention = "union", threads: int = 0
) -> float:
    """Return the mean IoU over the rows that have gold; a row without prediction counts 0.

    Args:
        pred: Intervals, Arrow lists of pairs, [n, 2] arrays or lists of rows; seconds.
        gold: the same, same number of rows.
        convention: what the IoU of a row with several intervals is. ``union``: set IoU. ``first``:
            the first prediction against the gold interval that it overlaps most (QVHighlights).
            ``best``: the best of all pairs; an oracle, no main metric. ``one_to_one``: the mean
            over the row's gold of the IoU in the optimal matching, 0 where unmatched.
        threads: 0 uses every core.

    Raises:
        ValueError: as :func:`interval_set_iou`, an unknown convention, or no gold at all.

    Example:
        >>> mean_iou([[(0, 4)], []], [[(0, 8)], [(3, 4)]])
        0.25
    """
    pred_column, gold_column = as_columns(pred, gold)
    has_gold = rows_with_gold(gold_column)
    if convention == "one_to_one":
        matches = match_columns(pred_column, gold_column, "optimal", 0.0, threads)
        pair_rows = np.repeat(np.arange(len(gold_column)), np.diff(matches.offsets))
        # bincount adds in the order of the pairs.
        sums = np.bincount(pair_rows, weights=matches.iou, minlength=len(gold_column))
        ious = sums[has_gold] / np.diff(gold_column.offsets)[has_gold]
    else:
        ious = row_ious(pred_column, gold_column, convention, threads=threads)
        ious = ious if has_gold.all() else ious[has_gold]
    return _core.mean_in_blocks(np.ascontiguousarray(ious))


def row_ious(
    pred: Intervals,
    gold: Intervals,
    convention: str,
    *,
    out: NDArray[np.float64] | None = None,
    threads: int = 0,
) -> NDArray[np.float64]:
    """Compute one IoU per row by a convention that gives one.

    Raises:
        ValueError: another convention.
    """
    return _core.row_iou(
        pred.values,
        pred.offsets,
        gold.values,
        gold.offsets,
        convention_number(convention),
        out,
        threads,
    )


def convention_number(convention: str) -> int:
    """Return the kernels' number of a convention that gives one IoU per row.

    Raises:
        ValueError: another convention.
    """
    if convention not in ROW_CONVENTIONS:
        raise ValueError(
            f"convention={convention!r}; expected one of first, best, union, one_to_one"
        )
    return ROW_CONVENTIONS[convention]
