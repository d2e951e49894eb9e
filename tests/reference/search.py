"""What exact search and exact ranks mean, in plain Python.

Rows and queries are lists of numbers that are float32, float16 or bfloat16 values. The product of
two such numbers is exact in float64, so whether a kernel fuses the multiplication into the addition
makes no difference; the order of the additions does, and is fixed here.

Everything here is finite, and with ``metric="cosine"`` no row and no query is all zeros.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    Vector = Sequence[float]

LANES = 16


class Found(NamedTuple):
    """The best rows of one query."""

    indices: list[int]
    scores: list[float]


class Rank(NamedTuple):
    """Where one relevant row stands for one query."""

    above: int
    """Rows whose key is larger."""
    tied: int
    """Rows whose key is the same number, the relevant row included."""
    tied_before: int
    """Tied rows with a lower row number."""
    tied_before_in_order: int
    """Tied rows that come earlier in the other order that was given."""


def dot64(a: Vector, b: Vector) -> float:
    """The dot product in float64, added up in one fixed order.

    Lane j of 16 takes the products j, j + 16, j + 32, ... in that order; then the upper half of
    the lanes is added to the lower half, four times.
    """
    lanes = [0.0] * LANES
    for d, (x, y) in enumerate(zip(a, b, strict=True)):
        lanes[d % LANES] += float(x) * float(y)
    for width in (8, 4, 2, 1):
        for j in range(width):
            lanes[j] += lanes[j + width]
    return lanes[0] + 0.0  # -0 would be +0: both are one key


def key(query: Vector, row: Vector, metric: str) -> float:
    """What rows are ordered by. The norm of the query changes no order and is left out."""
    if metric == "dot":
        return dot64(query, row)
    return dot64(query, row) / math.sqrt(dot64(row, row))


def score(query: Vector, row_key: float, metric: str) -> float:
    """What is reported for a row with that key."""
    if metric == "dot":
        return row_key
    return row_key / math.sqrt(dot64(query, query))


def search_twin(
    queries: Sequence[Vector], gallery: Sequence[Vector], k: int, metric: str
) -> list[Found]:
    """The k best rows (all where there are fewer): key descending, then row number ascending."""
    found = []
    for query in queries:
        keys = [key(query, row, metric) for row in gallery]
        best = sorted(range(len(gallery)), key=lambda row, keys=keys: (-keys[row], row))[:k]
        found.append(Found(best, [score(query, keys[row], metric) for row in best]))
    return found


def ranks_twin(
    queries: Sequence[Vector],
    gallery: Sequence[Vector],
    relevant: Sequence[Sequence[int]],
    metric: str,
    order: Sequence[int] | None = None,
) -> list[list[Rank]]:
    """The rank of each relevant row of each query.

    ``order`` gives every row its place in another order of the gallery, say that of its id; row
    numbers stand in where it is missing.
    """
    places = range(len(gallery)) if order is None else order
    ranks = []
    for query, wanted_rows in zip(queries, relevant, strict=True):
        keys = [key(query, row, metric) for row in gallery]
        of_query = []
        for wanted in wanted_rows:
            ties = [row for row in range(len(gallery)) if keys[row] == keys[wanted]]
            of_query.append(
                Rank(
                    above=sum(other > keys[wanted] for other in keys),
                    tied=len(ties),
                    tied_before=sum(row < wanted for row in ties),
                    tied_before_in_order=sum(places[row] < places[wanted] for row in ties),
                )
            )
        ranks.append(of_query)
    return ranks
