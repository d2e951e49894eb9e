"""The one door to the compiled core: intake of columns, statuses, errors."""

from __future__ import annotations

from fastvbench.core._errors import FastvbenchError, InputError, MissingExtraError
from fastvbench.core._info import info
from fastvbench.core._status import STATUS_NAMES, Flag, Status

__all__ = [
    "STATUS_NAMES",
    "FastvbenchError",
    "Flag",
    "InputError",
    "MissingExtraError",
    "Status",
    "info",
]
