"""Numbers of files as float64."""

from __future__ import annotations

import math

__all__ = ["as_float"]


def as_float(number: float) -> float:
    """A number as float64, infinite where it is beyond.

    Example:
        >>> as_float(-(10**400))
        -inf
    """
    try:
        return float(number)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf if number > 0 else -math.inf
