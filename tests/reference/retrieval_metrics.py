"""What retrieval metrics mean under ties, in plain Python: every order of the tied rows is tried.

A query is the keys of the gallery's rows and the set of its relevant rows. An order lists all rows,
best first; rows with equal keys may stand in any order among themselves.
"""

from __future__ import annotations

import itertools
import math
import statistics
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Query(NamedTuple):
    keys: Sequence[float]
    relevant: frozenset[int]


# ---- one query, one order -----------------------------------------------------------------------


def found(order: Sequence[int], relevant: frozenset[int], k: int) -> int:
    return len(relevant.intersection(order[:k]))


def recall(order: Sequence[int], relevant: frozenset[int], k: int) -> Fraction:
    return Fraction(found(order, relevant, k), len(relevant))


def hit(order: Sequence[int], relevant: frozenset[int], k: int) -> Fraction:
    return Fraction(found(order, relevant, k) > 0)


def first_rank(order: Sequence[int], relevant: frozenset[int]) -> Fraction:
    return Fraction(min(order.index(row) for row in relevant) + 1)


def reciprocal_rank(order: Sequence[int], relevant: frozenset[int], k: int) -> Fraction:
    rank = first_rank(order, relevant)
    return 1 / rank if rank <= k else Fraction(0)


def ndcg(order: Sequence[int], relevant: frozenset[int], k: int) -> float:
    gain = sum(1 / math.log2(p + 2) for p, row in enumerate(order[:k]) if row in relevant)
    ideal = sum(1 / math.log2(p + 2) for p in range(min(k, len(relevant))))
    return gain / ideal


# ---- orders -------------------------------------------------------------------------------------


def every_order(keys: Sequence[float]) -> Iterator[list[int]]:
    groups = [
        [row for row in range(len(keys)) if keys[row] == key]
        for key in sorted(set(keys), reverse=True)
    ]
    for arranged in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield list(itertools.chain.from_iterable(arranged))


def named_order(keys: Sequence[float], ids: Sequence[str], ties: str) -> list[int]:
    rows = list(range(len(keys)))
    if ties == "trec":
        rows.sort(key=lambda row: ids[row], reverse=True)
    rows.sort(key=lambda row: -keys[row])  # a stable sort: tied rows stay as they are
    return rows


def per_query(
    measure: Callable[[Sequence[int], frozenset[int]], Fraction | float],
    query: Query,
    ids: Sequence[str],
    ties: str,
    larger_is_better: bool = True,
) -> Fraction | float:
    """The measure of one query under a rule for ties."""
    if ties in ("lowest_id", "trec"):
        return measure(named_order(query.keys, ids, ties), query.relevant)
    values = [measure(order, query.relevant) for order in every_order(query.keys)]
    if ties == "expected":
        return sum(values) / len(values)
    best, worst = (max, min) if larger_is_better else (min, max)
    return best(values) if ties == "optimistic" else worst(values)


# ---- all queries --------------------------------------------------------------------------------


def recall_at_k(queries: Sequence[Query], ids: Sequence[str], k: int, ties: str) -> float:
    return _mean(lambda o, r: recall(o, r, k), queries, ids, ties)


def hit_rate_at_k(queries: Sequence[Query], ids: Sequence[str], k: int, ties: str) -> float:
    return _mean(lambda o, r: hit(o, r, k), queries, ids, ties)


def ndcg_at_k(queries: Sequence[Query], ids: Sequence[str], k: int, ties: str) -> float:
    return _mean(lambda o, r: ndcg(o, r, k), queries, ids, ties)


def mean_reciprocal_rank(queries: Sequence[Query], ids: Sequence[str], k: int, ties: str) -> float:
    return _mean(lambda o, r: reciprocal_rank(o, r, k), queries, ids, ties)


def median_rank(queries: Sequence[Query], ids: Sequence[str], ties: str) -> float:
    ranks = [per_query(first_rank, query, ids, ties, larger_is_better=False) for query in queries]
    return float(statistics.median(ranks))


def _mean(measure, queries: Sequence[Query], ids: Sequence[str], ties: str) -> float:
    values = [per_query(measure, query, ids, ties) for query in queries]
    return float(sum(values) / len(values))
