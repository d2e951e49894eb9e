"""Are an engine's answers right? Compared with neighbours in float64, with and without ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastvbench.core import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]
    Keys = npt.NDArray[np.float64]
    Indices = npt.NDArray[np.int64]

__all__ = ["ExactNeighbours", "exact_neighbours", "recall"]

_BLOCK_ROWS = 8192
# Engines add in float32: keys this close, as a share of the product of the lengths, are a tie.
# Errors of a sum grow with the root of its length where they are random, as here.
_TIE_SHARE = 2.0**-22


def tie_share(dimension: int) -> float:
    """Keys this close, as a share of |query||row|, are the same to float32."""
    return _TIE_SHARE * max(4.0, float(np.sqrt(dimension)))


class ExactNeighbours(NamedTuple):
    """The right answer for some queries.

    Attributes:
        indices: int64 [q, k]; key descending, then row ascending.
        tie_keys: float64 [q]; a row whose key reaches this one is as good as the last of the k.
        metric: ``cosine`` or ``dot``.
    """

    indices: Indices
    tie_keys: Keys
    metric: str


class Recall(NamedTuple):
    """Shares of the k best rows that an engine found, means over queries.

    Attributes:
        strict: of the exact rows themselves.
        with_ties: where a row that float32 cannot tell from the last one counts too.
    """

    strict: float
    with_ties: float


def exact_neighbours(queries: Rows, gallery: Rows, k: int, metric: str) -> ExactNeighbours:
    """Neighbours by float64 keys, block by block.

    Args:
        queries: float32 [q, d].
        gallery: float32 [n, d]; may be a memory map.
        k: at most n.
        metric: ``cosine`` or ``dot``.

    Raises:
        InputError: a row that no engine can rank: NaN, infinity, or for cosine all zeros.
    """
    wide = np.asarray(queries, np.float64)
    query_lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    _require_rankable("queries", query_lengths, 0, metric)
    keys = np.empty((len(queries), 0))
    indices = np.empty((len(queries), 0), np.int64)
    longest = 0.0
    for begin in range(0, len(gallery), _BLOCK_ROWS):
        block = np.asarray(gallery[begin : begin + _BLOCK_ROWS], np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        _require_rankable("gallery", lengths, begin, metric)
        longest = max(longest, float(lengths.max()))
        block_keys = wide @ block.T
        if metric == "cosine":
            block_keys /= lengths
        rows = np.broadcast_to(np.arange(begin, begin + len(block)), block_keys.shape)
        keys = np.concatenate([keys, block_keys], axis=1)
        indices = np.concatenate([indices, rows], axis=1)
        # Stable, and rows only grow: lower rows stay first among equals.
        order = np.argsort(-keys, axis=1, kind="stable")[:, :k]
        keys = np.take_along_axis(keys, order, axis=1)
        indices = np.take_along_axis(indices, order, axis=1)
    tie = tie_share(wide.shape[1]) * query_lengths * (1.0 if metric == "cosine" else longest)
    return ExactNeighbours(indices, keys[:, -1] - tie, metric)


def _require_rankable(side: str, lengths: Keys, first_row: int, metric: str) -> None:
    fine = np.isfinite(lengths)
    if metric == "cosine":
        fine &= lengths > 0
    if not fine.all():
        row = int(np.argmin(fine))
        raise InputError(
            f"{side} row {first_row + row} cannot be ranked",
            value=float(lengths[row]),
            expected="a finite length" + (" above 0" if metric == "cosine" else ""),
        )


def recall(found: Indices, exact: ExactNeighbours, queries: Rows, gallery: Rows) -> Recall:
    """How much of the exact answer an engine found.

    A row counts once however often it was returned; a number that is no row counts nothing.

    Args:
        found: int64 [q, k], an engine's answer to the queries.
        exact: the right answer to them.
        queries: float32 [q, d].
        gallery: float32 [n, d].
    """
    k = exact.indices.shape[1]
    strict = with_ties = 0
    for query, rows in enumerate(found):
        valid = np.unique(rows[(rows >= 0) & (rows < len(gallery))])
        strict += int(np.isin(valid, exact.indices[query]).sum())
        vectors = np.asarray(gallery[valid], np.float64)
        keys = vectors @ queries[query].astype(np.float64)
        if exact.metric == "cosine":
            keys /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        with_ties += min(k, int((keys >= exact.tie_keys[query]).sum()))
    return Recall(strict / (k * len(found)), with_ties / (k * len(found)))
