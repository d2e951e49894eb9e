"""The relevant items of each query, gathered by what they are tied with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from fastvbench.core import InputError
from fastvbench.retrieval._device_gallery import DeviceRanks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastvbench.retrieval._ranks import Ranks

__all__ = ["TieGroups", "Ties", "check_ties", "tie_groups"]

Ties = Literal["expected", "optimistic", "pessimistic", "lowest_id", "trec"]


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """Groups of tied rows that hold at least one relevant item, best first within a query.

    A group covers the ranks ``above + 1`` to ``above + tied``, and no two groups of a query
    overlap. Every query has at least one group, every group at least one item. A row that a query
    names twice is one item here.

    Attributes:
        above: int64 [g], rows of the gallery that rank before the group.
        tied: int64 [g], rows in the group.
        relevant: int64 [g], relevant items among them.
        query_starts: int64 [q], the first group of each query.
        item_starts: int64 [g], the first item of each group.
        item_group: int64 [m], the group of each item.
        tied_before: int64 [m], rows of its group with a lower row number; ascending in a group.
        tied_before_trec: int64 [m], rows of its group that trec_eval lists first.
    """

    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    relevant: NDArray[np.int64]
    query_starts: NDArray[np.int64]
    item_starts: NDArray[np.int64]
    item_group: NDArray[np.int64]
    tied_before: NDArray[np.int64]
    tied_before_trec: NDArray[np.int64]

    @property
    def query_item_starts(self) -> NDArray[np.int64]:
        """The first item of each query, int64 [q]."""
        return self.item_starts[self.query_starts]

    @property
    def query_relevant(self) -> NDArray[np.int64]:
        """Relevant items of each query, int64 [q]."""
        return np.add.reduceat(self.relevant, self.query_starts)

    @property
    def place_in_group(self) -> NDArray[np.int64]:
        """0, 1, 2, ... over the items of each group, int64 [m]."""
        return np.arange(len(self.item_group)) - self.item_starts[self.item_group]

    def positions(self, ties: Ties) -> NDArray[np.int64]:
        """The 1-based rank of every item, int64 [m], ascending by group.

        The items of a group share its best or its worst ranks between them: never one rank twice.
        """
        first = self.above[self.item_group] + 1
        if ties == "optimistic":
            return first + self.place_in_group
        if ties == "pessimistic":
            irrelevant = self.tied - self.relevant
            return first + irrelevant[self.item_group] + self.place_in_group
        return first + (self.tied_before if ties == "lowest_id" else self.tied_before_trec)


def check_ties(ties: str) -> None:
    """Refuse an unknown way to treat ties."""
    if ties not in get_args(Ties):
        raise ValueError(f"ties={ties!r}; expected one of {', '.join(get_args(Ties))}")


def tie_groups(ranks: Ranks | DeviceRanks) -> TieGroups:
    """Gather the items of each query.

    Raises:
        InputError: no queries, a query without relevant items, or counts that contradict each
            other. The message names the query.
    """
    if isinstance(ranks, DeviceRanks):
        ranks = ranks.to_host()
    counts = ranks.item_counts
    if len(counts) == 0:
        raise InputError("ranks holds no query", expected="at least one query")
    if not counts.all():
        raise InputError(
            f"query {int(np.argmin(counts != 0))} of ranks has no relevant item",
            expected="at least one per query: leave out the others, and say how many",
        )
    query = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((ranks.tied_before, ranks.above, query))
    query, above, before = query[order], ranks.above[order], ranks.tied_before[order]
    group_changes = _changes(query, above)
    items = np.flatnonzero(group_changes | _changes(before))
    query, above, tied = query[items], above[items], ranks.tied[order][items]
    item_starts = np.flatnonzero(group_changes[items])
    relevant = np.diff(np.append(item_starts, len(items)))
    group_query, group_above, group_tied = query[item_starts], above[item_starts], tied[item_starts]
    item_group = np.repeat(np.arange(len(item_starts)), relevant)

    overlapping = (group_query[1:] == group_query[:-1]) & (
        group_above[1:] < group_above[:-1] + group_tied[:-1]
    )
    if overlapping.any():
        _contradiction(group_query[int(np.argmax(overlapping))], "groups of tied rows overlap")
    if (tied != group_tied[item_group]).any():
        place = int(np.argmax(tied != group_tied[item_group]))
        _contradiction(query[place], "items with as many rows above differ in tied")
    return TieGroups(
        above=group_above,
        tied=group_tied,
        relevant=relevant,
        query_starts=np.flatnonzero(_changes(group_query)),
        item_starts=item_starts,
        item_group=item_group,
        tied_before=before[items],
        tied_before_trec=ranks.tied_before_trec[order][items],
    )


def _changes(*columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True where a row differs from the one before it; the first row always does."""
    changed = np.ones(len(columns[0]), np.bool_)
    changed[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return changed


def _contradiction(query: np.int64, problem: str) -> None:
    raise InputError(f"query {query} of ranks: {problem}", expected="counts of one ranking")
