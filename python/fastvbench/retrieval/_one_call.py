"""Search and ranks in one call, for rows that are searched once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.retrieval._device_gallery import DEFAULT_WORKSPACE_BYTES
from fastvbench.retrieval._gallery import Gallery, Metric, TopK

if TYPE_CHECKING:
    from fastvbench.retrieval._ranks import Ranks

__all__ = ["ranks", "search"]


def search(
    queries: object,
    gallery: object,
    k: int = 10,
    *,
    metric: Metric = "cosine",
    threads: int = 0,
    check: bool = False,
    workspace_bytes: int = DEFAULT_WORKSPACE_BYTES,
) -> TopK:
    """The ``k`` best rows of a gallery for each query, exactly, in one call.

    Prepare a ``Gallery`` instead where the same rows are searched more than once.

    Args:
        queries: [q, d], float32, float16 or bfloat16.
        gallery: [n, d], likewise; may be memory-mapped and larger than memory. Both may be on a
            CUDA device; then nothing waits, and rows that cannot be ranked are left out: places
            that no row can fill hold -1 and NaN.
        k: rows wanted; more than the gallery has are clamped, with a warning.
        metric: "cosine" or "dot".
        threads: 0 for all.
        check: on a device, wait and raise where a query cannot be compared.
        workspace_bytes: device memory for work in progress; queries are split to fit.

    Returns:
        Row numbers and scores, best first; equal keys by row number. On a CUDA device arrays of the
        caller's library.

    Raises:
        TypeError: another element type.
        ValueError: wrong shapes, rows that cannot be ranked (with their numbers), k below 1.

    Example:
        >>> import numpy as np
        >>> rows = np.array([[1, 0], [1, 1]], np.float32)
        >>> search(rows[:1], rows, k=2).scores.round(3).tolist()
        [[1.0, 0.707]]
    """
    unprepared = Gallery._unprepared(gallery, metric, threads)
    return unprepared._search(queries, k, threads, check, workspace_bytes)


def ranks(
    queries: object,
    gallery: object,
    relevant: object,
    *,
    metric: Metric = "cosine",
    threads: int = 0,
    check: bool = False,
    workspace_bytes: int = DEFAULT_WORKSPACE_BYTES,
) -> Ranks:
    """Where the relevant rows of each query stand, exactly, in one call.

    Args:
        queries: [q, d], float32, float16 or bfloat16.
        gallery: [n, d], likewise.
        relevant: row numbers: one per query, a list of lists, or (values, offsets) arrays.
        metric: "cosine" or "dot".
        threads: 0 for all.
        check: on a device, wait and raise where a query cannot be compared.
        workspace_bytes: device memory for work in progress; queries are split to fit.

    Returns:
        Rows above and tied with each relevant row; see ``recall_at_k``. On a CUDA device the
        columns stay there, as for ``Gallery.ranks``.

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
    return unprepared.ranks(
        queries, relevant, threads=threads, check=check, workspace_bytes=workspace_bytes
    )
