"""Galleries in the memory of a CUDA device: what ``Gallery`` does for rows that lie there.

Everything runs on the caller's current stream and stays on the device; results are arrays of the
caller's own library. Nothing waits but what says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastvbench.core._device import device_of, take_device_arrays
from fastvbench.retrieval._intake import as_relevant
from fastvbench.retrieval._ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fastvbench import _cuda

__all__ = ["DEFAULT_WORKSPACE_BYTES", "DeviceGallery", "DeviceRanks", "DeviceTopK"]

DEFAULT_WORKSPACE_BYTES = 512 << 20
_AUTO = 0
_PATH_NAMES = {1: "stream", 3: "coded"}


class DeviceTopK(NamedTuple):
    """Arrays of the caller's library, on the device."""

    indices: Any
    scores: Any


@dataclass(frozen=True, slots=True, eq=False)
class DeviceRanks:
    """Ranks whose columns are still on the device; see ``Ranks`` for what they hold.

    Metrics take it as it is, and then wait for the device. A relevant row that cannot be ranked,
    or of a query that cannot be compared, has -1 in every column.

    Attributes:
        above: int64 [m], an array of the caller's library, as are the other columns.
        tied: int64 [m].
        offsets: int64 [q + 1], numpy.
        tied_before: int64 [m].
        tied_before_trec: int64 [m].
        gallery_size: rows of the gallery; those known not to be rankable are left out.
    """

    above: Any
    tied: Any
    offsets: NDArray[np.int64]
    tied_before: Any
    tied_before_trec: Any
    gallery_size: int

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.offsets) - 1

    def to_host(self) -> Ranks:
        """Wait, and copy the columns to numpy arrays.

        Raises:
            InputError: a relevant row, or a query, that cannot be ranked.
        """
        columns = (self.above, self.tied, self.tied_before, self.tied_before_trec)
        above, tied, before, before_trec = (_as_host_array(column) for column in columns)
        return Ranks(above, tied, self.offsets, before, before_trec, self.gallery_size)


class DeviceGallery:
    """Rows on a device, prepared for one call or for many.

    Args:
        embeddings: [n, d] on a CUDA device; borrowed.
        is_cosine: whether rows are ranked by cosine.
        with_codes: makes the int8 copy and looks for rows that cannot be ranked; this waits.
    """

    def __init__(self, embeddings: object, *, is_cosine: bool, with_codes: bool) -> None:
        call = take_device_arrays("Gallery", embeddings=embeddings)
        self.core: _cuda.Gallery = call.cuda.Gallery(
            call.arrays[0], is_cosine, with_codes, call.stream
        )
        self.device = call.device
        size, dimension = call.arrays[0].shape
        self.shape = (size, dimension)

    def search(self, queries: object, k: int, workspace_bytes: int, check: bool) -> DeviceTopK:
        """The ``k`` best rows of each query."""
        self._require_same_device("search", queries)
        call = take_device_arrays("search", queries=queries)
        found = self.core.search(call.arrays[0], k, _AUTO, workspace_bytes, check, call.stream)
        return DeviceTopK(*(call.give_back(column) for column in found))

    def ranks(
        self,
        queries: object,
        relevant: object,
        order: Callable[[], NDArray[np.int64]],
        workspace_bytes: int,
        check: bool,
    ) -> DeviceRanks:
        """Where relevant rows stand; ``order`` gives the position of each row by its id.

        Relevant rows on the device are one int64 per query, or (values, offsets) with offsets of
        the host. Those of the host are checked and copied.
        """
        self._require_same_device("ranks", queries)
        if not self.core.has_order:
            self.core.set_order(order())
        offsets: NDArray[np.int64] | None = None
        values = relevant
        if (
            isinstance(relevant, tuple)
            and len(relevant) == 2
            and device_of(relevant[0]) is not None
        ):
            values, offsets = relevant[0], np.ascontiguousarray(relevant[1], np.int64)
        if device_of(values) is not None:
            call = take_device_arrays("ranks", queries=queries, relevant=values)
            rows, wanted = call.arrays
        else:
            call = take_device_arrays("ranks", queries=queries)
            (rows,) = call.arrays
            checked = as_relevant(relevant, rows.shape[0])
            self._require_rankable(checked.values)
            wanted, offsets = checked.values, checked.offsets  # type: ignore[assignment]
        columns = self.core.ranks(rows, wanted, offsets, _AUTO, workspace_bytes, check, call.stream)
        above, tied, before, before_trec = (call.give_back(column) for column in columns)
        if offsets is None:
            offsets = np.arange(rows.shape[0] + 1, dtype=np.int64)
        ranked = self.shape[0] - self.core.fault_count
        return DeviceRanks(above, tied, offsets, before, before_trec, ranked)

    def explain(self, query_count: int, k: int) -> str:
        """Which way a search of this size takes over the gallery, and why."""
        path, reason = self.core.plan(query_count, k, _AUTO)
        size, dimension = self.shape
        return (
            f"{query_count} queries, k={k}, {size} x {dimension} rows on CUDA device "
            f"{self.device}: {_PATH_NAMES[path]} path, because {reason}; "
            f"{self.core.memory_bytes / 2**20:.1f} MiB prepared"
        )

    def _require_same_device(self, function: str, queries: object) -> None:
        device = device_of(queries)
        if device == self.device:
            return
        where = f"on CUDA device {device}"
        if device is None:
            where = f"{type(queries).__name__} in host memory"
        raise TypeError(
            f"{function}: the gallery is on CUDA device {self.device} and queries is {where}; "
            "expected all on one device"
        )

    def _require_rankable(self, rows: NDArray[np.int64]) -> None:
        size = self.shape[0]
        outside = np.flatnonzero((rows < 0) | (rows >= size))
        if len(outside):
            place = outside[0]
            raise ValueError(
                f"relevant[{place}]={rows[place]}; expected a row of the gallery, 0 to {size - 1}"
            )
        if self.core.fault_count == 0:
            return
        dropped = np.flatnonzero(np.isin(rows, self.core.faulty_rows()))
        if len(dropped):
            place = dropped[0]
            raise ValueError(
                f"relevant[{place}]={rows[place]} is a row that cannot be ranked and was dropped"
            )


def _as_host_array(column: Any) -> NDArray[np.int64]:
    if hasattr(column, "cpu"):  # torch
        column = column.cpu()
    elif hasattr(column, "get"):  # cupy
        column = column.get()
    return np.asarray(column, dtype=np.int64)
