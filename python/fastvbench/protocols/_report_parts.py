"""Parts of result.json that every kind of protocol fills in alike."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench import _core
from fastvbench.core import VERSION
from fastvbench.core._status import STATUS_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastvbench.protocols._protocol import Protocol
    from fastvbench.results._metrics import Metric
    from fastvbench.results._strata import Stratum

__all__ = [
    "SCHEMA",
    "StatusCounts",
    "environment_entry",
    "metric_entries",
    "protocol_entry",
    "status_by_category",
    "status_counts",
]

SCHEMA = 1

StatusCounts = dict[str, int]


def protocol_entry(protocol: Protocol) -> dict[str, Any]:
    """Which protocol, and exactly which declaration of it."""
    return {
        "name": protocol.name,
        "title": protocol.title,
        "version": protocol.version,
        "fingerprint": protocol.fingerprint(),
        "published_size": protocol.published_size,
    }


def metric_entries(metrics: Iterable[Metric]) -> dict[str, Any]:
    """How each metric is shown, by key."""
    return {
        m.key: {"title": m.title, "unit": m.unit, "scale": m.scale, "decimals": m.decimals}
        | ({"over": m.over} if m.over is not None else {})
        | ({"statistic": m.statistic} if m.statistic == "median" else {})
        for m in metrics
    }


def environment_entry() -> dict[str, Any]:
    """Versions and CPU level."""
    return {
        "fastvbench": VERSION,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": sys.platform,
        "cpu_level": _core.cpu_level(),
    }


def status_by_category(
    status: npt.NDArray[np.uint8], stratum: Stratum, active: npt.NDArray[np.bool_]
) -> dict[str, StatusCounts]:
    """How many rows of each category have each status.

    Args:
        status: uint8[runs, n].
        stratum: memberships of the n rows.
        active: bool[n], rows that count.
    """
    member = active[stratum.rows]
    rows, category = stratum.rows[member], stratum.category[member]
    key = category * len(STATUS_NAMES) + status[:, rows]
    counts = np.bincount(key.ravel(), minlength=len(stratum.categories) * len(STATUS_NAMES))
    table = counts.reshape(len(stratum.categories), len(STATUS_NAMES)).tolist()
    return {
        name: {s: n for s, n in zip(STATUS_NAMES, row, strict=True) if n}
        for name, row in zip(stratum.categories, table, strict=True)
    }


def status_counts(status: npt.NDArray[np.uint8]) -> StatusCounts:
    """How many rows have each status."""
    counts = np.bincount(status.ravel(), minlength=len(STATUS_NAMES)).tolist()
    return {name: n for name, n in zip(STATUS_NAMES, counts, strict=True) if n}
