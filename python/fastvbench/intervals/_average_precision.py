"""Average precision of moment retrieval: scored predictions against the moments of a query."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fastvbench import _core
from fastvbench.intervals._column import Intervals, is_array
from fastvbench.intervals._inputs import as_columns, as_thresholds, rows_with_gold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["average_precision", "row_average_precisions"]

_QVHIGHLIGHTS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))


def average_precision(
    pred: object,
    scores: object,
    gold: object,
    *,
    thresholds: Sequence[float] | float = _QVHIGHLIGHTS,
    threads: int = 0,
) -> dict[float, float]:
    """Return the mean average precision per IoU threshold, one query per row.

    As QVHighlights computes it: predictions in score order each take the free gold moment that
    they overlap most, if that IoU reaches the threshold; precision is interpolated as in PASCAL
    VOC; a query's average precision is the mean of it over its gold moments. Equal scores keep
    their listed order and equal overlaps go to the moment listed first (the public script leaves
    both to its sort). The mean is over the rows with gold; a query without predictions counts 0
    (the public script drops it, and looks at the first ten predictions only: cut ``pred`` to do the
    same).

    Args:
        pred: Intervals, Arrow lists of pairs, [n, 2] arrays or lists of rows; seconds.
        scores: one per prediction, higher is better: a flat array in the order of the predictions,
            or one list per row. float32 and integers convert; never NaN.
        gold: as ``pred``, same number of rows.
        thresholds: IoUs above 0, up to 1; by default 0.5 to 0.95 in steps of 0.05. The usual "mAP"
            is the mean of the values returned for these.
        threads: 0 uses every core.

    Returns:
        Mean average precision as a fraction per threshold, in the order given.

    Raises:
        ValueError: an interval that is not finite or ends before it starts, counts that differ, a
            NaN score, a threshold outside (0, 1], or no gold at all.
        TypeError: input of another kind.

    Source:
        Lei et al., QVHighlights, NeurIPS 2021, and its standalone evaluation script.

    Example:
        >>> average_precision([[(0, 4), (5, 9)]], [[0.2, 0.9]], [[(0, 4)]], thresholds=0.5)
        {0.5: 0.5}
    """
    levels = as_thresholds(thresholds, zero_allowed=False)
    pred_column, gold_column = as_columns(pred, gold)
    has_gold = rows_with_gold(gold_column)
    flat_scores = _flat_scores(scores, pred_column)
    per_row = row_average_precisions(pred_column, flat_scores, gold_column, levels, threads=threads)
    return {
        level: _core.mean_in_blocks(row_values[has_gold])
        for level, row_values in zip(levels, per_row, strict=True)
    }


def row_average_precisions(
    pred: Intervals,
    scores: NDArray[np.float64],
    gold: Intervals,
    thresholds: Sequence[float],
    *,
    threads: int = 0,
) -> NDArray[np.float64]:
    """Compute float64 [thresholds, rows]: the average precision of each row at each threshold.

    Args:
        pred: predictions.
        scores: float64, one per prediction, never NaN.
        gold: moments, same number of rows; the values of rows without any mean nothing.
        thresholds: IoUs above 0, up to 1.
        threads: 0 uses every core.
    """
    return _core.average_precision(
        pred.values,
        pred.offsets,
        scores,
        gold.values,
        gold.offsets,
        np.array(thresholds, np.float64),
        threads,
    )


def _flat_scores(scores: object, pred: Intervals) -> NDArray[np.float64]:
    if is_array(scores):
        flat = np.asarray(scores if hasattr(scores, "__array__") else np.from_dlpack(scores))  # type: ignore[arg-type]
    elif isinstance(scores, (list, tuple)):
        flat = np.array(_joined_rows(scores, pred))
    else:
        raise TypeError(f"scores is {type(scores).__name__}; expected an array or a list per row")
    if flat.size == 0:
        flat = np.empty(0)
    if flat.dtype.kind not in "fiu":
        raise TypeError(f"scores has dtype {flat.dtype}; expected float64")
    if flat.ndim != 1 or len(flat) != len(pred.values):
        raise ValueError(
            f"scores has shape {list(flat.shape)}; expected [{len(pred.values)}], "
            "one per prediction"
        )
    if np.isnan(flat).any():
        place = int(np.argmax(np.isnan(flat)))
        row = int(np.searchsorted(pred.offsets, place, "right")) - 1
        raise ValueError(
            f"scores row {row}: score {place - int(pred.offsets[row])} is nan; expected a number"
        )
    return np.ascontiguousarray(flat, np.float64)


def _joined_rows(scores: Sequence[object], pred: Intervals) -> list[object]:
    """Join one list per row; a list of plain numbers is flat already."""
    if not any(hasattr(row, "__len__") for row in scores):
        return list(scores)
    counts = np.diff(pred.offsets)
    if len(scores) != len(pred):
        raise ValueError(f"scores has {len(scores)} rows and pred has {len(pred)}")
    for index, row in enumerate(scores):
        if not hasattr(row, "__len__") or len(row) != counts[index]:
            raise ValueError(
                f"scores[{index}] is {row!r}; expected {counts[index]} numbers, one per prediction"
            )
    return list(chain.from_iterable(scores))  # type: ignore[arg-type]
