"""A checker of exact search for galleries too large for the plain twin, in numpy.

It shares no code with the kernels and proves answers instead of trusting them: a float64 matrix
product says which rows could matter at all, and every row that could is scored by the twin's own
sum (``dot64_many`` is ``search.dot64``, row by row).

**Bound of the filter.** Let u = 2**-53. A float64 sum of D exact products, in any order and with or
without fused additions, is off by at most D*u/(1 - D*u) times the sum of their magnitudes, which is
at most |q| |y|. Nothing under- or overflows: products of float32 numbers lie between 2**-298 and
2**256. So the matrix product and dot64 are at most 2*D*u/(1 - D*u) * |q| |y| apart; dividing both
by the same norm adds a few u of the key itself. ``4 * (D + 8) * u * |q| |y|`` is above all that,
the rounding of |q| |y| included, for every D below 2**40.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

LANES = 16
_ROUNDING = 2.0**-53
_BLOCK_NUMBERS = 4 << 20  # float64 numbers held at once by each of a few temporaries: 32 MiB


class WrongAnswerError(AssertionError):
    """An answer that is not the exact one; the message names query, rows and keys."""


class TopRows(NamedTuple):
    """The best rows of one query, best first."""

    rows: NDArray[np.int64]
    keys: NDArray[np.float64]
    scores: NDArray[np.float64]


def dot64_many(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float64]:
    """Row by row dot64 of two [n, D] arrays; one of them may have a single row."""
    row_count, dimension = max(len(a), len(b)), b.shape[1]
    result = np.empty(row_count)
    step = max(1, _BLOCK_NUMBERS // max(dimension, 1))
    for start in range(0, row_count, step):
        rows = slice(start, start + step)
        left = a if len(a) == 1 else a[rows]
        right = b if len(b) == 1 else b[rows]
        products = left.astype(np.float64) * right.astype(np.float64)
        lanes = np.zeros((len(products), LANES))
        for d in range(0, dimension, LANES):
            part = products[:, d : d + LANES]
            lanes[:, : part.shape[1]] += part
        for width in (8, 4, 2, 1):
            lanes = lanes[:, :width] + lanes[:, width : 2 * width]
        result[rows] = lanes[:, 0] + 0.0
    return result


class Checker:
    """Checks answers about one gallery.

    Args:
        gallery: float32 [n, d] (16-bit floats converted, which is exact); valid rows only.
        metric: ``dot`` or ``cosine``.
    """

    def __init__(self, gallery: NDArray[np.float32], metric: str) -> None:
        self.gallery, self.metric = gallery, metric
        self._norms = np.sqrt(dot64_many(gallery, gallery))

    def keys(self, query: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The keys of some rows for one query, as the twin has them."""
        keys = np.empty(len(rows))
        step = max(1, _BLOCK_NUMBERS // self.gallery.shape[1])
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            dots = dot64_many(query[None], self.gallery[part])
            keys[start : start + step] = dots if self.metric == "dot" else dots / self._norms[part]
        return keys

    def top_k(self, queries: NDArray[np.float32], k: int) -> list[TopRows]:
        """The k best rows of each query."""
        k = min(k, len(self.gallery))
        found = []
        for query, (about, bound) in zip(queries, self._approximate(queries), strict=True):
            least = about - bound
            threshold = np.partition(least, len(least) - k)[len(least) - k]
            # k rows have keys of at least the threshold, so a row that cannot reach it is not one
            # of the k best, ties included.
            rows = np.flatnonzero(about + bound >= threshold)
            keys = self.keys(query, rows)
            best = np.lexsort((rows, -keys))[:k]
            found.append(TopRows(rows[best], keys[best], self._scores(query, keys[best])))
        return found

    def check_top_k(
        self,
        queries: NDArray[np.float32],
        k: int,
        indices: NDArray[np.int64],
        scores: NDArray[np.float64],
        *,
        expected: Sequence[TopRows] | None = None,
    ) -> None:
        """Raises where a row, its place or a bit of its score is not the exact one.

        ``expected`` is what ``top_k`` gave for these queries, where several answers are compared.
        """
        shape = (len(queries), min(k, len(self.gallery)))
        if np.shape(indices) != shape or np.shape(scores) != shape:
            raise WrongAnswerError(f"shapes {np.shape(indices)}, {np.shape(scores)}, not {shape}")
        for number, best in enumerate(self.top_k(queries, k) if expected is None else expected):
            if not np.array_equal(indices[number], best.rows):
                place = int(np.argmax(indices[number] != best.rows))
                got = int(indices[number][place])
                got_key = "is no row"
                if 0 <= got < len(self.gallery):
                    got_key = self.keys(queries[number], np.array([got]))[0].hex()
                raise WrongAnswerError(
                    f"query {number}, place {place}: row {got} (key {got_key}) instead of row "
                    f"{best.rows[place]} (key {best.keys[place].hex()})"
                )
            given = np.ascontiguousarray(scores[number], np.float64).view(np.int64)
            if not np.array_equal(given, best.scores.view(np.int64)):
                place = int(np.argmax(given != best.scores.view(np.int64)))
                raise WrongAnswerError(
                    f"query {number}, place {place}, row {best.rows[place]}: score "
                    f"{float(scores[number][place]).hex()} instead of {best.scores[place].hex()}"
                )

    def ranks(
        self,
        queries: NDArray[np.float32],
        relevant: Sequence[Sequence[int]],
        order: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """One row of (above, tied, tied before, tied before in order) per relevant item."""
        places = np.arange(len(self.gallery)) if order is None else order
        found = []
        for number, (about, bound) in enumerate(self._approximate(queries)):
            wanted_rows = np.array(relevant[number], np.int64)
            wanted_keys = self.keys(queries[number], wanted_rows)
            undecided = np.zeros(len(about), np.bool_)
            for key in set(wanted_keys.tolist()):
                undecided |= (about - bound <= key) & (about + bound >= key)
            near = np.flatnonzero(undecided)
            near_keys = self.keys(queries[number], near)
            about[near] = np.nan  # counted by their exact keys
            for wanted, key in zip(wanted_rows, wanted_keys, strict=True):
                ties = near[near_keys == key]
                found.append(
                    (
                        int(np.count_nonzero(about > key) + np.count_nonzero(near_keys > key)),
                        len(ties),
                        int(np.count_nonzero(ties < wanted)),
                        int(np.count_nonzero(places[ties] < places[wanted])),
                    )
                )
        return np.array(found, np.int64).reshape(-1, 4)

    def check_ranks(
        self,
        queries: NDArray[np.float32],
        relevant: Sequence[Sequence[int]],
        above: NDArray[np.int64],
        tied: NDArray[np.int64],
        tied_before: NDArray[np.int64],
        *,
        order: NDArray[np.int64] | None = None,
        tied_before_in_order: NDArray[np.int64] | None = None,
        expected: NDArray[np.int64] | None = None,
    ) -> None:
        """Raises where a count is not the exact one; items lie query by query.

        ``expected`` is what ``ranks`` gave for these queries, where several answers are compared.
        """
        if expected is None:
            expected = self.ranks(queries, relevant, order)
        items = [(q, row) for q, rows in enumerate(relevant) for row in rows]
        counts = {"above": above, "tied": tied, "tied_before": tied_before}
        if tied_before_in_order is not None:
            counts["tied_before_in_order"] = tied_before_in_order
        for column, (name, given) in enumerate(counts.items()):
            if np.shape(given) != (len(items),):
                raise WrongAnswerError(f"{name} has shape {np.shape(given)}, not ({len(items)},)")
            if not np.array_equal(given, expected[:, column]):
                place = int(np.argmax(given != expected[:, column]))
                query, row = items[place]
                row_key = self.keys(queries[query], np.array([row]))[0]
                raise WrongAnswerError(
                    f"query {query}, relevant row {row} (key {row_key.hex()}): {name} is "
                    f"{given[place]} instead of {expected[place, column]}"
                )

    def _scores(self, query: NDArray[np.float32], keys: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.metric == "dot":
            return keys
        return keys / np.sqrt(dot64_many(query[None], query[None]))

    def _approximate(
        self, queries: NDArray[np.float32]
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For each query: keys of every row by a matrix product, and how far off they may be."""
        row_count, dimension = self.gallery.shape
        at_once = max(1, _BLOCK_NUMBERS * 4 // row_count)
        step = max(1, _BLOCK_NUMBERS // dimension)
        sizes = self._norms if self.metric == "dot" else np.ones(row_count)
        for first in range(0, len(queries), at_once):
            block = queries[first : first + at_once].astype(np.float64)
            about = np.empty((len(block), row_count))
            for start in range(0, row_count, step):
                rows = slice(start, start + step)
                about[:, rows] = block @ self.gallery[rows].astype(np.float64).T
            if self.metric == "cosine":
                about /= self._norms
            query_norms = np.sqrt(np.einsum("ij,ij->i", block, block))
            relative = 4 * (dimension + 8) * _ROUNDING
            for about_keys, query_norm in zip(about, query_norms, strict=True):
                yield about_keys, relative * query_norm * sizes


def check_top_k(  # noqa: PLR0917 - the problem, then the answer
    queries: NDArray[np.float32],
    gallery: NDArray[np.float32],
    k: int,
    metric: str,
    indices: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Raises ``WrongAnswerError`` unless these are the exact k best rows, scores to the bit."""
    Checker(gallery, metric).check_top_k(queries, k, indices, scores)


def check_ranks(  # noqa: PLR0917
    queries: NDArray[np.float32],
    gallery: NDArray[np.float32],
    relevant: Sequence[Sequence[int]],
    metric: str,
    above: NDArray[np.int64],
    tied: NDArray[np.int64],
    tied_before: NDArray[np.int64],
) -> None:
    """Raises ``WrongAnswerError`` unless these are the exact ranks of the relevant rows."""
    Checker(gallery, metric).check_ranks(queries, relevant, above, tied, tied_before)
