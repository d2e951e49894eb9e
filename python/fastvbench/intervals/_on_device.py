"""The functions of this room for columns in the memory of a CUDA device.

Types here name the host's arrays; what comes back is the caller's library's own kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastvbench.core._device import device_of, is_on_device, take_device_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastvbench import _cuda
    from fastvbench.core._device import DeviceArguments

__all__ = [
    "DeviceIntervals",
    "count_reached",
    "holds_device_arrays",
    "match_columns",
    "matched_shares",
    "row_ious",
    "temporal_iou",
]


class DeviceIntervals:
    """Rows of time intervals in the memory of one CUDA device.

    Row i owns ``values[offsets[i]:offsets[i + 1]]``, as in :class:`Intervals`. The arrays are those
    of the caller's library (torch, cupy, jax), untouched; functions that take the column check them
    on the device and name the row that is wrong.

    Args:
        values: float64 [m, 2], start and end in seconds.
        offsets: int64 [n + 1], ascending from 0 to m. By default one interval per row.

    Raises:
        TypeError: an array that is not on a CUDA device.

    Example:
        >>> import torch  # doctest: +SKIP
        >>> values = torch.tensor([[1.0, 4.0], [6.0, 7.5]], dtype=torch.float64, device="cuda")
        >>> offsets = torch.tensor([0, 2, 2], device="cuda")
        >>> interval_set_iou(DeviceIntervals(values, offsets), gold)  # doctest: +SKIP
    """

    __slots__ = ("offsets", "values")

    def __init__(self, values: object, offsets: object | None = None) -> None:
        for name, array in (("values", values), ("offsets", offsets)):
            if array is not None and device_of(array) is None:
                raise TypeError(
                    f"{name} is {type(array).__name__} in host memory; expected an array on a CUDA "
                    "device (host arrays make an Intervals)"
                )
        self.values, self.offsets = values, offsets


def holds_device_arrays(pred: object, gold: object) -> bool:
    """Tell whether one of the two is a column on a device."""
    return any(isinstance(side, DeviceIntervals) or is_on_device(side) for side in (pred, gold))


def temporal_iou(pred: object, gold: object, out: object) -> NDArray[np.float64]:
    """Compute :func:`fastvbench.temporal_iou` where the pairs are."""
    _refuse_out(out)
    sides = {
        name: _single(side, name) if isinstance(side, DeviceIntervals) else side
        for name, side in (("pred", pred), ("gold", gold))
    }
    call = take_device_arrays("temporal_iou", **sides)
    ious: NDArray[np.float64] = call.give_back(call.cuda.temporal_iou(*call.arrays, call.stream))
    return ious


def row_ious(
    function: str, pred: object, gold: object, convention: int, out: object
) -> NDArray[np.float64]:
    """Compute one IoU per row by a convention's number (see ``_core.row_iou``)."""
    _refuse_out(out)
    call, columns = _take_columns(function, pred, gold)
    ious: NDArray[np.float64] = call.give_back(call.cuda.row_iou(*columns, convention, call.stream))
    return ious


def count_reached(
    pred: object, gold: object, convention: int, thresholds: Sequence[float], *, strict: bool
) -> tuple[int, list[int]]:
    """Count rows with gold, and those of them whose IoU reaches each threshold."""
    call, columns = _take_columns("recall_at_iou", pred, gold)
    ious = call.cuda.row_iou(*columns, convention, call.stream)
    rows, reached = call.cuda.count_reached(ious, *columns, list(thresholds), strict, call.stream)
    return rows, reached


def match_columns(
    pred: object, gold: object, method: str, min_iou: float
) -> tuple[Any, Any, Any, Any]:
    """Match two columns of the same length: indices, IoUs and row offsets of the pairs."""
    call, columns = _take_columns("match_intervals", pred, gold)
    pairs = call.cuda.match_intervals(*columns, method == "greedy", min_iou, call.stream)
    pred_index, gold_index, iou, offsets = map(call.give_back, pairs)
    return pred_index, gold_index, iou, offsets


def matched_shares(
    pred: object, gold: object, least_ious: Sequence[float]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Count the gold intervals of each row, and those that are matched at each least IoU.

    Matching runs on the device; the counts, int64 [n], are on the host.
    """
    call, columns = _take_columns("recall_at_iou", pred, gold)
    matched = []
    for least in least_ious:
        offsets = call.cuda.match_intervals(*columns, False, least, call.stream)[3]
        matched.append(np.diff(offsets.to_host(call.stream)))
    gold_values, gold_offsets = columns[2], columns[3]
    if gold_offsets is None:
        return np.ones(gold_values.shape[0], np.int64), matched
    return np.diff(gold_offsets.to_host(call.stream)), matched


_Columns = tuple[
    "_cuda.DeviceArray", "_cuda.DeviceArray | None", "_cuda.DeviceArray", "_cuda.DeviceArray | None"
]


def _take_columns(function: str, pred: object, gold: object) -> tuple[DeviceArguments, _Columns]:
    arrays: dict[str, object] = {}
    for name, side in (("pred", pred), ("gold", gold)):
        if not isinstance(side, DeviceIntervals):
            arrays[name] = side
            continue
        arrays[name] = side.values
        if side.offsets is not None:
            arrays[f"{name}.offsets"] = side.offsets
    call = take_device_arrays(function, **arrays)
    taken = dict(zip(arrays, call.arrays, strict=True))
    return call, (
        taken["pred"],
        taken.get("pred.offsets"),
        taken["gold"],
        taken.get("gold.offsets"),
    )


def _single(column: DeviceIntervals, name: str) -> object:
    if column.offsets is not None:
        raise TypeError(
            f"{name} is a DeviceIntervals with offsets; expected one interval per row: an [n, 2] "
            "array (interval_set_iou takes any number)"
        )
    return column.values


def _refuse_out(out: object) -> None:
    if out is not None:
        raise TypeError("out is for host arrays; the result of device arrays is a new device array")
