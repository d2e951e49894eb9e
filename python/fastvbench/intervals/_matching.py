"""One-to-one matching of predicted to gold intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from fastvbench import _core
from fastvbench.intervals import _on_device
from fastvbench.intervals._inputs import as_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fastvbench.intervals._column import Intervals

__all__ = ["Matches", "match_columns", "match_intervals"]


class Matches(NamedTuple):
    """Matched pairs of all rows; row i owns ``offsets[i]:offsets[i + 1]`` of the other arrays.

    Attributes:
        pred_index: int64 [p], place of the prediction within its row, ascending within a row.
        gold_index: int64 [p], place of the gold interval within its row.
        iou: float64 [p], IoU of the pair, always above 0.
        offsets: int64 [n + 1].
    """

    pred_index: NDArray[np.int64]
    gold_index: NDArray[np.int64]
    iou: NDArray[np.float64]
    offsets: NDArray[np.int64]


def match_intervals(
    pred: object,
    gold: object,
    *,
    method: Literal["optimal", "greedy"] = "optimal",
    min_iou: float = 0.0,
    threads: int = 0,
) -> Matches:
    """Match each prediction to at most one gold interval of its row, and the other way round.

    Pairs with IoU 0 or below ``min_iou`` never match. ``optimal`` maximises the sum of the integers
    ``llround(IoU * 2**40)``; among equal sums it takes the matching whose sequence of gold indices
    (unmatched last) comes first, so the answer is the same everywhere. ``greedy`` takes pairs by
    IoU descending, ties by prediction then gold index.

    Args:
        pred: Intervals, Arrow lists of pairs, [n, 2] arrays or lists of rows; seconds. On a CUDA
            device: DeviceIntervals or [n, 2] float64 arrays, up to 64 intervals a side; the pairs
            are then arrays of their library on their device.
        gold: the same, same number of rows.
        method: ``optimal`` or ``greedy``.
        min_iou: least IoU of a matched pair.
        threads: 0 uses every core.

    Returns:
        The pairs, by row and then by prediction.

    Raises:
        ValueError: an interval that is not finite or ends before it starts, row counts that differ,
            an unknown method, a ``min_iou`` that is NaN.
        MemoryError: a row of n by m intervals takes memory in proportion to n * m.

    Example:
        >>> match_intervals([[(0, 4), (3, 8)]], [[(4, 8), (0, 4)]]).gold_index
        array([1, 0])
    """
    if _on_device.holds_device_arrays(pred, gold):
        _check_options(method, min_iou)
        return Matches(*_on_device.match_columns(pred, gold, method, min_iou))
    pred_column, gold_column = as_columns(pred, gold)
    return match_columns(pred_column, gold_column, method, min_iou, threads)


def match_columns(
    pred: Intervals, gold: Intervals, method: str, min_iou: float, threads: int
) -> Matches:
    """Match two columns of the same length; see :func:`match_intervals`."""
    _check_options(method, min_iou)
    return Matches(
        *_core.match_intervals(
            pred.values,
            pred.offsets,
            gold.values,
            gold.offsets,
            method == "greedy",
            min_iou,
            threads,
        )
    )


def _check_options(method: str, min_iou: float) -> None:
    if method not in ("optimal", "greedy"):
        raise ValueError(f"method={method!r}; expected 'optimal' or 'greedy'")
    if math.isnan(min_iou):
        raise ValueError("min_iou=nan; expected an IoU from 0 to 1")
