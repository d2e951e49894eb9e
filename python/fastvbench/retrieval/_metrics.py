"""Retrieval metrics from exact ranks, with a named rule for ties.

Every public metric is the mean (or median) over queries of a column with one number per query; the
``*_per_query`` functions return that column. A query's relevant items form a set: a row named twice
counts once. Queries without relevant items are refused, because leaving them out is a decision
about the denominator.

Ties. Rows with exactly the same key have no order, and a metric must say which one it takes:

- ``expected``: the exact mean over all orders of the tied rows, each as likely as any other. It
  depends on nothing but the scores.
- ``optimistic``, ``pessimistic``: the relevant items before, or after, all rows they are tied with;
  the two ends of what an unspecified sort may report.
- ``lowest_id``: lower row numbers first, as ``search`` lists them.
- ``trec``: larger id strings first, as trec_eval sorts its runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench import _core
from fastvbench.retrieval._intake import as_count
from fastvbench.retrieval._tie_groups import TieGroups, Ties, check_ties, tie_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from fastvbench.retrieval._ranks import Ranks

    Column = Callable[[TieGroups, int, Ties], NDArray[np.float64]]

__all__ = [
    "first_rank_per_query",
    "hit_rate_at_k",
    "hit_rate_per_query",
    "mean_reciprocal_rank",
    "median_rank",
    "ndcg_at_k",
    "ndcg_per_query",
    "recall_at_k",
    "recall_per_query",
    "reciprocal_rank_per_query",
]


def recall_at_k(
    ranks: Ranks, k: Iterable[int] | int = (1, 5, 10), *, ties: Ties = "expected"
) -> dict[int, float]:
    """Return the mean over queries of the share of relevant items among the k best rows.

    Per query found / relevant, then the mean: a query weighs the same however many items it has.
    With one relevant item per query this is the R@k of text-video retrieval. It is not the share of
    queries with *any* relevant item among the k best, which many scripts print under this name:
    that is ``hit_rate_at_k``.

    Args:
        ranks: what ``ranks()`` returns.
        k: how many rows are looked at, one number or several; it may exceed the gallery.
        ties: see the module. ``expected``: an item counts clip((k - above) / tied, 0, 1).

    Returns:
        Recall as a fraction per k, in the order given.

    Raises:
        ValueError: k below 1, an unknown ``ties``, a query without relevant items (named), or no
            query at all.
        TypeError: k that is no integer.

    Example:
        >>> gallery = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
        >>> recall_at_k(fastvbench.ranks(gallery[:1], gallery, [1]), k=(1, 2))
        {1: 0.5, 2: 1.0}
    """
    return _mean_at_each_k(ranks, k, ties, _recall)


def hit_rate_at_k(
    ranks: Ranks, k: Iterable[int] | int = (1, 5, 10), *, ties: Ties = "expected"
) -> dict[int, float]:
    """Return the share of queries with at least one relevant item among the k best rows.

    Also called success@k, and Recall@k in metric learning (Jégou et al., TPAMI 2011; Song et al.,
    CVPR 2016). Never below ``recall_at_k``, and equal to it where every query has one item.

    Args:
        ranks: what ``ranks()`` returns.
        k: how many rows are looked at, one number or several.
        ties: see the module. ``expected``: of r items in a group of t tied rows, of which s are
            among the k best, none is found with probability C(t - s, r) / C(t, r).

    Returns:
        Hit rate as a fraction per k, in the order given.

    Raises:
        ValueError: as ``recall_at_k``.
        TypeError: k that is no integer.
    """
    return _mean_at_each_k(ranks, k, ties, _hit_rate)


def ndcg_at_k(
    ranks: Ranks, k: Iterable[int] | int = (1, 5, 10), *, ties: Ties = "expected"
) -> dict[int, float]:
    """Return the mean normalised discounted cumulative gain of the k best rows.

    Binary relevance: an item at rank p gains 1 / log2(p + 1), and the sum is divided by what the
    best order would gain, all relevant items first (Järvelin and Kekäläinen, TOIS 2002; with ties
    averaged: McSherry and Najork, ECIR 2008).

    Args:
        ranks: what ``ranks()`` returns.
        k: how many rows are looked at, one number or several.
        ties: see the module. ``expected``: an item gains the mean over the ranks of its tied rows,
            where those beyond k gain 0.

    Returns:
        nDCG as a fraction per k, in the order given.

    Raises:
        ValueError: as ``recall_at_k``.
        TypeError: k that is no integer.
    """
    return _mean_at_each_k(ranks, k, ties, _ndcg)


def mean_reciprocal_rank(ranks: Ranks, k: int | None = None, *, ties: Ties = "expected") -> float:
    """Return the mean over queries of 1 / rank of the first relevant item.

    Args:
        ranks: what ``ranks()`` returns.
        k: MRR@k: queries whose first relevant item stands below rank k count 0. None: no limit.
        ties: see the module. ``expected`` is the mean of the reciprocal, which is above the
            reciprocal of the mean rank.

    Returns:
        The mean reciprocal rank, in (0, 1]; with k it may be 0.

    Raises:
        ValueError: as ``recall_at_k``.
        TypeError: k that is no integer.
    """
    return _core.mean_in_blocks(reciprocal_rank_per_query(ranks, k, ties=ties))


def median_rank(ranks: Ranks, *, ties: Ties = "expected") -> float:
    """Return the median over queries of the 1-based rank of the first relevant item.

    An even number of queries gives the mean of the middle two, as the MedR of text-video retrieval.

    Args:
        ranks: what ``ranks()`` returns.
        ties: see the module. ``expected``: the median of each query's expected rank,
            above + (tied + 1) / (relevant + 1).

    Returns:
        The median rank, at least 1.

    Raises:
        ValueError: as ``recall_at_k``.
    """
    return float(np.median(first_rank_per_query(ranks, ties=ties)))


def recall_per_query(ranks: Ranks, k: int, *, ties: Ties = "expected") -> NDArray[np.float64]:
    """Return the column whose mean is ``recall_at_k``: float64 [q]; arguments as there."""
    return _column_at_k(ranks, k, ties, _recall)


def hit_rate_per_query(ranks: Ranks, k: int, *, ties: Ties = "expected") -> NDArray[np.float64]:
    """Return the column whose mean is ``hit_rate_at_k``: float64 [q]; arguments as there."""
    return _column_at_k(ranks, k, ties, _hit_rate)


def ndcg_per_query(ranks: Ranks, k: int, *, ties: Ties = "expected") -> NDArray[np.float64]:
    """Return the column whose mean is ``ndcg_at_k``: float64 [q]; arguments as there."""
    return _column_at_k(ranks, k, ties, _ndcg)


def reciprocal_rank_per_query(
    ranks: Ranks, k: int | None = None, *, ties: Ties = "expected"
) -> NDArray[np.float64]:
    """Return the column whose mean is ``mean_reciprocal_rank``: float64 [q]; arguments as there."""
    check_ties(ties)
    limit = ranks.gallery_size if k is None else min(as_count(k, "k"), ranks.gallery_size)
    groups = tie_groups(ranks)
    if ties != "expected":
        first = _first_position(groups, ties)
        return np.where(first <= limit, 1.0 / first, 0.0)
    # Only the best group of a query matters: all of it ranks before the next one.
    best = groups.query_starts
    above, tied, relevant = groups.above[best], groups.tied[best], groups.relevant[best]
    values = np.where(above < limit, 1.0 / (above + 1), 0.0)
    open_ties = np.flatnonzero(tied > relevant)
    cases = np.stack((above, tied, relevant), axis=1)[open_ties]
    distinct, inverse = np.unique(cases, axis=0, return_inverse=True)
    means = [_expected_reciprocal(*case, limit=limit) for case in distinct.tolist()]
    values[open_ties] = np.array(means)[inverse.reshape(-1)]
    return values


def first_rank_per_query(ranks: Ranks, *, ties: Ties = "expected") -> NDArray[np.float64]:
    """Return the rank whose median is ``median_rank``: float64 [q]; arguments as there."""
    check_ties(ties)
    groups = tie_groups(ranks)
    if ties != "expected":
        return _first_position(groups, ties).astype(np.float64)
    best = groups.query_starts
    return groups.above[best] + (groups.tied[best] + 1) / (groups.relevant[best] + 1)


def _mean_at_each_k(
    ranks: Ranks, k: Iterable[int] | int, ties: Ties, column: Column
) -> dict[int, float]:
    check_ties(ties)
    cuts = _as_cuts(k)
    groups = tie_groups(ranks)
    last = ranks.gallery_size
    return {cut: _core.mean_in_blocks(column(groups, min(cut, last), ties)) for cut in cuts}


def _column_at_k(ranks: Ranks, k: int, ties: Ties, column: Column) -> NDArray[np.float64]:
    check_ties(ties)
    cut = as_count(k, "k")
    return column(tie_groups(ranks), min(cut, ranks.gallery_size), ties)


def _as_cuts(k: Iterable[int] | int) -> tuple[int, ...]:
    if isinstance(k, (str, bytes)) or not hasattr(k, "__iter__"):
        return (as_count(k, "k"),)
    cuts = tuple(as_count(cut, f"k[{place}]") for place, cut in enumerate(k))
    if not cuts:
        raise ValueError("k is empty; expected at least one number")
    return cuts


def _sum_per_query(groups: TieGroups, per_item: NDArray[np.generic]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.add.reduceat(
        per_item, groups.query_item_starts, dtype=np.float64
    )
    return total


def _recall(groups: TieGroups, k: int, ties: Ties) -> NDArray[np.float64]:
    if ties == "expected":
        found = np.clip((k - groups.above) / groups.tied, 0.0, 1.0)[groups.item_group]
    else:
        found = (groups.positions(ties) <= k).astype(np.float64)
    return _sum_per_query(groups, found) / groups.query_relevant


def _hit_rate(groups: TieGroups, k: int, ties: Ties) -> NDArray[np.float64]:
    if ties != "expected":
        return (_first_position(groups, ties) <= k).astype(np.float64)
    # The chance that no item of a group is found: with s of its t rows among the k best, the i-th
    # item falls among the t - s others that the i before it left with (t - s - i) / (t - i).
    found_rows = np.clip(k - groups.above, 0, groups.tied)
    others = (groups.tied - found_rows)[groups.item_group] - groups.place_in_group
    left = groups.tied[groups.item_group] - groups.place_in_group
    missed = np.multiply.reduceat(np.maximum(others, 0) / left, groups.query_item_starts)
    lone_found = (found_rows / groups.tied)[groups.query_starts]
    hit: NDArray[np.float64] = np.where(groups.query_relevant == 1, lone_found, 1.0 - missed)
    return hit


def _ndcg(groups: TieGroups, k: int, ties: Ties) -> NDArray[np.float64]:
    gains = np.zeros(k + 1)
    gains[1:] = 1.0 / np.log2(np.arange(2, k + 2))
    sums = np.cumsum(gains)
    if ties == "expected":
        last = np.minimum(groups.above + groups.tied, k)
        group_gain = (sums[last] - sums[np.minimum(groups.above, k)]) / groups.tied
        alone = (groups.tied == 1) & (groups.above < k)
        group_gain[alone] = gains[groups.above[alone] + 1]  # without the difference of two sums
        gain = group_gain[groups.item_group]
    else:
        position = groups.positions(ties)
        gain = np.where(position <= k, gains[np.minimum(position, k)], 0.0)
    ideal = sums[np.minimum(groups.query_relevant, k)]
    return _sum_per_query(groups, gain) / ideal


def _first_position(groups: TieGroups, ties: Ties) -> NDArray[np.int64]:
    first: NDArray[np.int64] = np.minimum.reduceat(groups.positions(ties), groups.query_item_starts)
    return first


def _expected_reciprocal(above: int, tied: int, relevant: int, *, limit: int) -> float:
    """Mean of 1 / (above + x), or 0 beyond ``limit``, over the random first place x.

    x is the first of ``relevant`` different places, drawn from 1 to ``tied``.
    """
    last = min(tied - relevant + 1, limit - above)
    if last < 1:
        return 0.0
    place = np.arange(1, last + 1)
    # No item before place x: the product over i < x - 1 of (tied - relevant - i) / (tied - i).
    none_before = np.ones(last)
    np.cumprod((tied - relevant - place[:-1] + 1) / (tied - place[:-1] + 1), out=none_before[1:])
    first_here = none_before * (relevant / (tied - place + 1))
    return float(np.sum(first_here / (above + place)))
