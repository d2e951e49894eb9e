"""The functions of this room for columns in the memory of a CUDA device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.core._device import take_device_arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["temporal_iou"]


def temporal_iou(pred: object, gold: object, out: object) -> NDArray[np.float64]:
    """Compute :func:`fastvbench.temporal_iou` where the pairs are.

    Types here name the host's arrays; what comes back is the caller's library's own kind.
    """
    refuse_out(out)
    call = take_device_arrays("temporal_iou", pred=pred, gold=gold)
    ious: NDArray[np.float64] = call.give_back(call.cuda.temporal_iou(*call.arrays, call.stream))
    return ious


def refuse_out(out: object) -> None:
    """Refuse a host array for a result on a device.

    Raises:
        TypeError: ``out`` was given.
    """
    if out is not None:
        raise TypeError("out is for host arrays; the result of device arrays is a new device array")
