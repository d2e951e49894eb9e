"""The one door to the compiled core: intake of columns, statuses, errors."""

from __future__ import annotations

from fastvbench.core._errors import (
    DeviceError,
    FastvbenchError,
    InputError,
    MissingExtraError,
)
from fastvbench.core._info import VERSION, info
from fastvbench.core._status import STATUS_NAMES, Flag, Status

__all__ = [
    "STATUS_NAMES",
    "VERSION",
    "DeviceError",
    "FastvbenchError",
    "Flag",
    "InputError",
    "MissingExtraError",
    "Status",
    "info",
]
