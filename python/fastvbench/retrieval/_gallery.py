"""A gallery of embeddings, prepared once and searched exactly."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fastvbench import _core
from fastvbench.retrieval._intake import as_count, as_embeddings, as_relevant
from fastvbench.retrieval._memory import available_bytes, prepared_bytes
from fastvbench.retrieval._ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Gallery", "Metric", "TopK", "ranks", "search"]

Metric = Literal["cosine", "dot"]

_UNPREPARED, _FAULTS_ONLY, _CODES = 0, 1, 2
_AUTO = 0
_MOST_OF_MEMORY = 0.7  # a larger int8 copy is not made: searches go over the rows instead
_PATH_NAMES = ("auto", "stream", "wide", "coded", "float")


class TopK(NamedTuple):
    """The best rows of each query, best first.

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

    Args:
        embeddings: [n, d], float32, float16 or bfloat16; numpy (memory-mapped too), torch, or any
            DLPack library, in host memory.
        metric: "cosine" (rows need not be normalised) or "dot".
        ids: names of the rows, for your own use and for ``ties="trec"``; n of them.
        invalid: what to do about rows with NaN or infinity, and for cosine all zeros: "raise", or
            "drop" to leave them out of every answer (see ``dropped``).
        threads: 0 for all.

    Raises:
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
        rows = as_embeddings(embeddings, "embeddings")
        self._check_ids(ids, len(rows.values))
        self._metric: Metric = metric
        self._shape = rows.values.shape
        self._ids = ids
        self._trec_order: NDArray[np.int64] | None = None
        if preparation is None:
            memory = available_bytes()
            wanted = prepared_bytes(*rows.values.shape)
            fits = memory is None or wanted <= _MOST_OF_MEMORY * memory
            preparation = _CODES if fits else _FAULTS_ONLY
        is_cosine = metric == "cosine"
        self._core = _core.Gallery(rows.values, rows.element_type, is_cosine, preparation, threads)
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
        rows = as_embeddings(embeddings, "embeddings")
        self._check_ids(ids, len(rows.values))
        self._is_filled = False
        self._core.replace(rows.values, rows.element_type, threads)
        self._shape, self._ids, self._trec_order = rows.values.shape, ids, None
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

    def search(self, queries: object, k: int = 10, *, threads: int = 0) -> TopK:
        """The ``k`` best rows of each query.

        Args:
            queries: [q, d], of the same kinds as the embeddings.
            k: rows wanted; more than the gallery has are clamped, with a warning.
            threads: 0 for all.

        Returns:
            Row numbers and scores, best first; equal keys by row number.

        Raises:
            TypeError: another element type.
            ValueError: wrong shapes, a query that cannot be compared, k below 1.
        """
        return self._search(queries, k, threads)

    def ranks(self, queries: object, relevant: object, *, threads: int = 0) -> Ranks:
        """Where the relevant rows stand among all rows, without sorting them.

        Args:
            queries: [q, d], of the same kinds as the embeddings.
            relevant: row numbers: one per query, a list of lists, or (values, offsets) arrays.
            threads: 0 for all.

        Returns:
            For each relevant row, how many rows score higher and how many the same: exact
            Recall@K for every K at once.

        Raises:
            TypeError: another element type, rows that are not whole numbers.
            ValueError: wrong shapes, a query without a relevant row, a row outside the gallery or
                dropped.
        """
        self._require_rows()
        rows = as_embeddings(queries, "queries")
        wanted = as_relevant(relevant, len(rows.values))
        above, tied, before, before_trec = self._core.ranks(
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
        path, reason, tile_rows, query_rows = self._plan(query_count, k)
        return (
            f"{query_count} queries, k={k}, {self.size} x {self.dimension} rows: "
            f"{_PATH_NAMES[path]} path, because {reason}; {tile_rows} rows and {query_rows} "
            f"queries at a time; {self.memory_bytes / 2**20:.1f} MiB prepared"
        )

    def _search(self, queries: object, k: int, threads: int) -> TopK:
        rows = as_embeddings(queries, "queries")
        k = self._clamped(k)
        return TopK(*self._core.search(rows.values, rows.element_type, k, _AUTO, threads))

    def _plan(self, query_count: int, k: int) -> tuple[int, str, int, int]:
        return self._core.plan(as_count(query_count, "query_count"), self._clamped(k), _AUTO)

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
            names = self._ids if self._ids is not None else [str(i) for i in range(self.size)]
            order = sorted(range(self.size), key=names.__getitem__, reverse=True)
            positions = np.empty(self.size, np.int64)
            positions[order] = np.arange(self.size)
            self._trec_order = positions
        return self._trec_order


def search(
    queries: object, gallery: object, k: int = 10, *, metric: Metric = "cosine", threads: int = 0
) -> TopK:
    """The ``k`` best rows of a gallery for each query, exactly, in one call.

    Prepare a ``Gallery`` instead where the same rows are searched more than once.

    Args:
        queries: [q, d], float32, float16 or bfloat16.
        gallery: [n, d], likewise; may be memory-mapped and larger than memory.
        k: rows wanted; more than the gallery has are clamped, with a warning.
        metric: "cosine" or "dot".
        threads: 0 for all.

    Returns:
        Row numbers and scores, best first; equal keys by row number.

    Raises:
        TypeError: another element type.
        ValueError: wrong shapes, rows that cannot be ranked (with their numbers), k below 1.

    Example:
        >>> import numpy as np
        >>> rows = np.array([[1, 0], [1, 1]], np.float32)
        >>> search(rows[:1], rows, k=2).scores.round(3).tolist()
        [[1.0, 0.707]]
    """
    return Gallery._unprepared(gallery, metric, threads)._search(queries, k, threads)


def ranks(
    queries: object,
    gallery: object,
    relevant: object,
    *,
    metric: Metric = "cosine",
    threads: int = 0,
) -> Ranks:
    """Where the relevant rows of each query stand, exactly, in one call.

    Args:
        queries: [q, d], float32, float16 or bfloat16.
        gallery: [n, d], likewise.
        relevant: row numbers: one per query, a list of lists, or (values, offsets) arrays.
        metric: "cosine" or "dot".
        threads: 0 for all.

    Returns:
        Rows above and tied with each relevant row; see ``recall_at_k``.

    Raises:
        TypeError: another element type, rows that are not whole numbers.
        ValueError: wrong shapes, rows that cannot be ranked, a query without a relevant row.

    Example:
        >>> import numpy as np
        >>> rows = np.array([[1, 0], [1, 1], [0, 1]], np.float32)
        >>> ranks(rows[:1], rows, [1]).above.tolist()
        [1]
    """
    unprepared = Gallery._unprepared(gallery, metric, threads)
    return unprepared.ranks(queries, relevant, threads=threads)
