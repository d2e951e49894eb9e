"""Intervals out of Arrow memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench import _core
from fastvbench.core._status import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["intervals_from_arrow"]


def intervals_from_arrow(
    obj: object, name: str
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.uint8] | None]:
    """Read any object with the Arrow PyCapsule interface as values, offsets and statuses.

    One chunk of fixed-size lists of two doubles without nulls is used in place; everything else is
    copied. A null row gets the status ``MISSING``.

    Raises:
        TypeError: no Arrow data, or of another type.
        ValueError: a null or an incomplete pair; the row is named.
    """
    values, offsets, is_null = _core.intervals_from_arrow(obj, name)
    if is_null is None or not is_null.any():
        return values, offsets, None
    status = np.where(offsets[1:] > offsets[:-1], Status.OK, Status.NO_ANSWER)
    return values, offsets, np.where(is_null, Status.MISSING, status).astype(np.uint8)
