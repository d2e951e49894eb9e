"""A gallery of embeddings, prepared once and searched exactly."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np

from fastvbench import _core
from fastvbench.core._device import is_on_device
from fastvbench.retrieval._device_gallery import DEFAULT_WORKSPACE_BYTES, DeviceGallery
from fastvbench.retrieval._intake import as_count, as_embeddings, as_relevant
from fastvbench.retrieval._memory import available_bytes, prepared_bytes
from fastvbench.retrieval._ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastvbench import _cuda

__all__ = ["Gallery", "Metric", "TopK"]

Metric = Literal["cosine", "dot"]

_UNPREPARED, _FAULTS_ONLY, _CODES = 0, 1, 2
_AUTO = 0
_MOST_OF_MEMORY = 0.7  # a larger int8 copy is not made: searches go over the rows instead
_PATH_NAMES = ("auto", "stream", "wide", "coded", "float")


class TopK(NamedTuple):
    """The best rows of each query, best first.

    Numpy arrays; for embeddings on a CUDA device arrays of the caller's library, on that device.

    Attributes:
        indices: int64 [q, k], row numbers of the gallery as it was given.
        scores: float64 [q, k], dot products or cosines.
    """

    indices: NDArray[np.int64]
    scores: NDArray[np.float64]


class Gallery:
    """Embeddings prepared for exact search by cosine or dot product.

    The answers are those of float64 sums over every row, in one fixed order: key descending, then
    row ascending. They don't depend on the batch, the number of threads or the CPU level. An int8
    copy (a quarter of float32's size) makes search fast; the rows themselves are borrowed and must
    stay as they are. Where that copy would not fit into memory, each search goes over the rows,
    memory-mapped say, a tile at a time.

    Embeddings on a CUDA device stay there, and so does everything else: searches run on the
    caller's current stream and return arrays of the same library on the same device, bit for bit
    the host's. ``Gallery()`` itself waits for the device, because it looks for rows that cannot be
    ranked; after that nothing waits but ``check=True`` and the first ``ranks``, which takes the
    order of the ids along.

    Args:
        embeddings: [n, d], float32, float16 or bfloat16; numpy (memory-mapped too), torch, or any
            DLPack library, in host memory or on a CUDA device.
        metric: "cosine" (rows need not be normalised) or "dot".
        ids: names of the rows, for your own use and for ``ties="trec"``; n of them.
        invalid: what to do about rows with NaN or infinity, and for cosine all zeros: "raise", or
            "drop" to leave them out of every answer (see ``dropped``).
        threads: 0 for all; of no use on a device.

    Raises:
        DeviceError: on a CUDA device that cannot be used here.
        TypeError: another element type; float64 is refused because products of float64 values are
            not exact.
        ValueError: wrong shapes or names, rows that cannot be ranked (with their numbers).

    Example:
        >>> import numpy as np
        >>> clips = np.eye(3, dtype=np.float32)
        >>> Gallery(clips).search(clips[1:2], k=1).indices.tolist()
        [[1]]
    """

    def __init__(
        self,
        embeddings: object,
        *,
        metric: Metric = "cosine",
        ids: Sequence[str] | None = None,
        invalid: Literal["raise", "drop"] = "raise",
        threads: int = 0,
    ) -> None:
        if invalid not in ("raise", "drop"):
            raise ValueError(f"invalid={invalid!r}; expected 'raise' or 'drop'")
        self._invalid = invalid
        self._start(embeddings, metric, ids, None, threads)
        self._judge_faults()

    def _judge_faults(self) -> None:
        if self._invalid == "raise":
            self._core.raise_for_faults()
        elif self._core.fault_count == self.size:
            raise ValueError(f"embeddings: none of the {self.size} rows can be ranked")

    @classmethod
    def _unprepared(cls, embeddings: object, metric: Metric, threads: int) -> Gallery:
        """For one call: nothing is read before it."""
        gallery = cls.__new__(cls)
        gallery._start(embeddings, metric, None, _UNPREPARED, threads)
        return gallery

    def _start(
        self,
        embeddings: object,
        metric: Metric,
        ids: Sequence[str] | None,
        preparation: int | None,
        threads: int,
    ) -> None:
        if metric not in ("cosine", "dot"):
            raise ValueError(f"metric={metric!r}; expected 'cosine' or 'dot'")
        self._metric: Metric = metric
        self._ids = ids
        self._trec_order: NDArray[np.int64] | None = None
        self._on_device: DeviceGallery | None = None
        self._core: _core.Gallery | _cuda.Gallery
        if is_on_device(embeddings):
            self._start_on_device(embeddings, ids, with_codes=preparation is None)
            return
        rows = as_embeddings(embeddings, "embeddings")
        self._check_ids(ids, len(rows.values))
        self._shape: tuple[int, ...] = rows.values.shape
        if preparation is None:
            memory = available_bytes()
            wanted = prepared_bytes(*rows.values.shape)
            fits = memory is None or wanted <= _MOST_OF_MEMORY * memory
            preparation = _CODES if fits else _FAULTS_ONLY
        is_cosine = metric == "cosine"
        self._on_host = _core.Gallery(
            rows.values, rows.element_type, is_cosine, preparation, threads
        )
        self._core = self._on_host
        self._is_filled = True

    def _start_on_device(
        self, embeddings: object, ids: Sequence[str] | None, *, with_codes: bool
    ) -> None:
        is_cosine = self._metric == "cosine"
        gallery = DeviceGallery(embeddings, is_cosine=is_cosine, with_codes=with_codes)
        self._check_ids(ids, gallery.shape[0])
        self._shape = gallery.shape
        self._on_device, self._core = gallery, gallery.core
        self._is_filled = True

    def replace(
        self, embeddings: object, *, ids: Sequence[str] | None = None, threads: int = 0
    ) -> None:
        """Prepare other rows in this gallery's memory, say those of the next checkpoint.

        Faster than a new gallery by what fresh memory costs. Arguments that are refused as they
        stand leave the gallery as it was; after rows that cannot be ranked, or any later error, it
        holds nothing that can be searched: replace again.

        Args:
            embeddings: [n, d] of any shape, of the same kinds as before; borrowed.
            ids: names of the rows.
            threads: 0 for all.

        Raises:
            TypeError: another element type.
            ValueError: as for a new gallery.
        """
        if is_on_device(embeddings) != (self._on_device is not None):
            raise TypeError("replace: expected embeddings where those before were: host or device")
        if self._on_device is None:
            rows = as_embeddings(embeddings, "embeddings")
            self._check_ids(ids, len(rows.values))
            self._is_filled = False
            self._on_host.replace(rows.values, rows.element_type, threads)
            self._shape = rows.values.shape
        else:
            self._is_filled = False
            self._start_on_device(embeddings, ids, with_codes=True)
            self._is_filled = False
        self._ids, self._trec_order = ids, None
        self._judge_faults()
        self._is_filled = True

    @staticmethod
    def _check_ids(ids: Sequence[str] | None, row_count: int) -> None:
        if ids is not None and len(ids) != row_count:
            raise ValueError(f"ids has {len(ids)} names; expected {row_count}, one per row")

    @property
    def size(self) -> int:
        """Rows, those left out included."""
        return int(self._shape[0])

    @property
    def dimension(self) -> int:
        """Values per row."""
        return int(self._shape[1])

    @property
    def metric(self) -> Metric:
        """What rows are ranked by."""
        return self._metric

    @property
    def ids(self) -> Sequence[str] | None:
        """The names given."""
        return self._ids

    @property
    def dropped(self) -> NDArray[np.int64]:
        """Rows that cannot be ranked and are left out of every answer."""
        return self._core.faulty_rows()

    @property
    def memory_bytes(self) -> int:
        """What was prepared, the rows themselves not included."""
        return self._core.memory_bytes

    def search(
        self,
        queries: object,
        k: int = 10,
        *,
        threads: int = 0,
        check: bool = False,
        workspace_bytes: int = DEFAULT_WORKSPACE_BYTES,
    ) -> TopK:
        """The ``k`` best rows of each query.

        Args:
            queries: [q, d], of the same kinds as the embeddings and in the same memory.
            k: rows wanted; more than the gallery has are clamped, with a warning.
            threads: 0 for all.
            check: on a device, wait and raise where a query cannot be compared. Without it its
                indices are -1 and its scores NaN. In host memory queries are always checked.
            workspace_bytes: device memory for work in progress; queries are split to fit.

        Returns:
            Row numbers and scores, best first; equal keys by row number.

        Raises:
            TypeError: another element type.
            ValueError: wrong shapes, a query that cannot be compared, k below 1.
        """
        return self._search(queries, k, threads, check, workspace_bytes)

    def ranks(
        self,
        queries: object,
        relevant: object,
        *,
        threads: int = 0,
        check: bool = False,
        workspace_bytes: int = DEFAULT_WORKSPACE_BYTES,
    ) -> Ranks:
        """Where the relevant rows stand among all rows, without sorting them.

        Args:
            queries: [q, d], of the same kinds as the embeddings and in the same memory.
            relevant: row numbers: one per query, a list of lists, or (values, offsets) arrays. For
                a gallery on a device also int64 values there, which are not checked.
            threads: 0 for all.
            check: on a device, wait and raise where a query cannot be compared; see ``search``.
            workspace_bytes: device memory for work in progress; queries are split to fit.

        Returns:
            For each relevant row, how many rows score higher and how many the same: exact
            Recall@K for every K at once. For a gallery on a device the columns stay there; metrics
            take them as they are, and ``to_host()`` fetches them.

        Raises:
            TypeError: another element type, rows that are not whole numbers.
            ValueError: wrong shapes, a query without a relevant row, a row outside the gallery or
                dropped.
        """
        self._require_rows()
        if self._on_device is not None:
            found = self._on_device.ranks(
                queries, relevant, self._order_of_ids, workspace_bytes, check
            )
            return cast("Ranks", found)  # types here name the host's arrays
        rows = as_embeddings(queries, "queries")
        wanted = as_relevant(relevant, len(rows.values))
        above, tied, before, before_trec = self._on_host.ranks(
            rows.values,
            rows.element_type,
            wanted.values,
            wanted.offsets,
            self._order_of_ids(),
            _AUTO,
            threads,
        )
        ranked = self.size - self._core.fault_count
        return Ranks(above, tied, wanted.offsets, before, before_trec, ranked)

    def explain(self, query_count: int = 1, k: int = 10) -> str:
        """Which way a search of this size takes over the gallery, and why."""
        if self._on_device is not None:
            return self._explain_on_device(self._on_device, query_count, k)
        path, reason, tile_rows, query_rows = self._plan(query_count, k)
        return (
            f"{query_count} queries, k={k}, {self.size} x {self.dimension} rows: "
            f"{_PATH_NAMES[path]} path, because {reason}; {tile_rows} rows and {query_rows} "
            f"queries at a time; {self.memory_bytes / 2**20:.1f} MiB prepared"
        )

    def _search(
        self, queries: object, k: int, threads: int, check: bool, workspace_bytes: int
    ) -> TopK:
        if self._on_device is not None:
            k = self._clamped(k)
            return TopK(*self._on_device.search(queries, k, workspace_bytes, check))
        rows = as_embeddings(queries, "queries")
        k = self._clamped(k)
        return TopK(*self._on_host.search(rows.values, rows.element_type, k, _AUTO, threads))

    def _plan(self, query_count: int, k: int) -> tuple[int, str, int, int]:
        return self._on_host.plan(as_count(query_count, "query_count"), self._clamped(k), _AUTO)

    def _explain_on_device(self, gallery: DeviceGallery, query_count: int, k: int) -> str:
        return gallery.explain(as_count(query_count, "query_count"), self._clamped(k))

    def _require_rows(self) -> None:
        if not self._is_filled:
            raise ValueError("the gallery is empty since replace failed; expected another replace")

    def _clamped(self, k: int) -> int:
        self._require_rows()
        k = as_count(k, "k")
        rankable = self.size - self._core.fault_count
        if k > rankable:
            warnings.warn(
                f"k={k} is more than the gallery's {rankable} rows; {rankable} are returned",
                stacklevel=4,  # the caller of search or explain
            )
            return rankable
        return k

    def _order_of_ids(self) -> NDArray[np.int64]:
        """Position of each row when ids are listed in descending order, as trec_eval does."""
        if self._trec_order is None:
            order = _descending_decimals(self.size)
            if self._ids is not None:
                named = sorted(range(self.size), key=self._ids.__getitem__, reverse=True)
                order = np.array(named, np.int64)
            positions = np.empty(self.size, np.int64)
            positions[order] = np.arange(self.size)
            self._trec_order = positions
        return self._trec_order


def _descending_decimals(count: int) -> NDArray[np.int64]:
    """0 to count - 1 by their decimal digits as text, descending."""
    numbers = np.arange(count, dtype=np.int64)
    powers = 10 ** np.arange(1, len(str(count)) + 1, dtype=np.int64)
    lengths = np.searchsorted(powers, numbers, side="right") + 1
    padded = numbers * 10 ** (len(powers) - lengths)  # as if zeros followed
    return np.lexsort((lengths, padded))[::-1]
