"""Where the relevant items of each query stand, from embeddings or from finished rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.retrieval._metrics import (
    first_rank_per_query,
    hit_rate_per_query,
    recall_per_query,
    reciprocal_rank_per_query,
)
from fastvbench.retrieval._ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from fastvbench.protocols._retrieval_pairs import Pairs
    from fastvbench.protocols._retrieval_rule import RetrievalRule
    from fastvbench.retrieval import Gallery
    from fastvbench.retrieval._tie_groups import Ties

__all__ = ["Places", "places_in_gallery", "places_in_lists"]

FloatArray = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(slots=True)
class Places:
    """The places of the m relevant items of q queries; see Pairs for who owns which.

    Attributes:
        pairs: the queries and their items.
        ran: bool[q], the query was run and its row could be ranked.
        found: bool[m], the item has a place: it is in the gallery, or in the list.
        above: int64[m], rows that score strictly higher; 0 where there is no place.
        tied: int64[m], rows of the same score, the item included; 1 where there is no place.
        tied_before: int64[m], those of a lower row number.
        tied_before_trec: int64[m], those that trec_eval lists first.
        gallery_size: rows that were ranked, or the length of the longest list.
        all_tied: queries for which all rows of the gallery score the same.
    """

    pairs: Pairs
    ran: npt.NDArray[np.bool_]
    found: npt.NDArray[np.bool_]
    above: Indices
    tied: Indices
    tied_before: Indices
    tied_before_trec: Indices
    gallery_size: int
    all_tied: int = 0

    @classmethod
    def none_found(cls, pairs: Pairs, ran: npt.NDArray[np.bool_], gallery_size: int) -> Places:
        """Places to be filled in."""
        count = len(pairs.item_ids)
        zeros = np.zeros((3, count), dtype=np.int64)
        return cls(
            pairs=pairs,
            ran=ran,
            found=np.zeros(count, dtype=np.bool_),
            above=zeros[0],
            tied=np.ones(count, dtype=np.int64),
            tied_before=zeros[1],
            tied_before_trec=zeros[2],
            gallery_size=gallery_size,
        )

    @property
    def query_of_item(self) -> Indices:
        """int64[m], the query that each item belongs to."""
        counts = np.diff(self.pairs.offsets)
        return np.repeat(np.arange(len(counts), dtype=np.int64), counts)

    def has_item(self) -> npt.NDArray[np.bool_]:
        """bool[q]: at least one relevant item has a place."""
        found = np.zeros(len(self.pairs), dtype=np.bool_)
        found[self.query_of_item[self.found]] = True
        return found

    def ranks(self, *, deepest: int) -> Ranks:
        """The places as Ranks, with items that have none behind everything else.

        Args:
            deepest: the largest k that will be asked for; absent items stand behind it, too.
        """
        behind = max(self.gallery_size, deepest)
        absent = np.flatnonzero(~self.found)
        above = self.above.copy()
        # Each absent item of a query gets a place of its own: one place would be one item.
        above[absent] = behind + absent - self.pairs.offsets[self.query_of_item[absent]]
        most = int(np.diff(self.pairs.offsets).max(initial=0))
        return Ranks(
            above=above,
            tied=self.tied,
            offsets=self.pairs.offsets,
            tied_before=self.tied_before,
            tied_before_trec=self.tied_before_trec,
            gallery_size=behind + most,
        )

    def first_id_places(self) -> FloatArray:
        """float64[q]: 0-based place of the best row of the id that the truth names first.

        Equal scores are in the order of rows; infinity where the id has no place.
        """
        place = np.where(self.found, (self.above + self.tied_before).astype(np.float64), np.inf)
        place[~self.pairs.first_of_query] = np.inf
        best: FloatArray = np.minimum.reduceat(place, self.pairs.offsets[:-1])
        return best

    def scores(
        self, rule: RetrievalRule, cuts: Sequence[int], ties: Ties, caption_rows: int | None
    ) -> dict[str, FloatArray]:
        """float64[q] per metric of a rule set; NaN where a query is not in its denominator.

        Args:
            rule: the rule set.
            cuts: the k of recall at k.
            ties: order of equal scores, for rules that leave it open.
            caption_rows: captions that are searched, None where they are the queries.
        """
        if not len(self.pairs):
            return {metric.key: np.zeros(0) for metric in rule.metrics_at(cuts)}
        if rule.relevant == "first":
            place = self.first_id_places()
            columns = {f"recall@{k}": (place < k).astype(np.float64) for k in cuts}
        else:
            columns = self._graded(cuts, rule.ties or ties)
        counted = self.ran if rule.missing == "dropped" else np.ones(len(self.pairs), np.bool_)
        factor = 1.0
        if rule.divides_by == "captions" and caption_rows:
            factor = np.count_nonzero(counted) / caption_rows  # so that the mean is hits / captions
        return {key: np.where(counted, c * factor, np.nan) for key, c in columns.items()}

    def _graded(self, cuts: Sequence[int], ties: Ties) -> dict[str, FloatArray]:
        ranks = self.ranks(deepest=max(cuts))
        columns = {f"recall@{k}": recall_per_query(ranks, k, ties=ties) for k in cuts}
        columns |= {f"hit_rate@{k}": hit_rate_per_query(ranks, k, ties=ties) for k in cuts}
        found = self.has_item()
        first = first_rank_per_query(ranks, ties=ties)
        columns["median_rank"] = np.where(found, first, np.inf)
        reciprocal = reciprocal_rank_per_query(ranks, ties=ties)
        columns["mean_reciprocal_rank"] = np.where(found, reciprocal, 0.0)
        return columns


def places_in_gallery(
    pairs: Pairs,
    queries: Any,
    gallery: Gallery,
    bad_queries: Indices,
    bad_rows: Indices,
    *,
    threads: int = 0,
) -> Places:
    """Rank every relevant row in one pass.

    An item with several rows stands where the best of them does.

    Args:
        pairs: the queries and their items.
        queries: [n, d] embeddings that ``pairs.rows`` points into.
        gallery: what is searched.
        bad_queries: query rows that cannot be ranked.
        bad_rows: gallery rows that are left out.
        threads: 0 for all.
    """
    ran = (pairs.rows >= 0) & ~np.isin(pairs.rows, bad_queries)
    places = Places.none_found(pairs, ran, gallery.size - len(bad_rows))
    counts = np.diff(pairs.row_offsets)
    item_of_row = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    usable = ran[places.query_of_item[item_of_row]] & ~np.isin(pairs.item_rows, bad_rows)
    values, item_of_row = pairs.item_rows[usable], item_of_row[usable]
    if not len(values):
        return places
    asked = np.unique(places.query_of_item[item_of_row])
    sizes = np.bincount(places.query_of_item[item_of_row], minlength=len(pairs))[asked]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = pairs.rows[asked]
    in_order = len(rows) == len(queries) and bool((rows == np.arange(len(queries))).all())
    ranked = gallery.ranks(
        queries if in_order else queries[rows], (values, offsets), threads=threads
    )
    _keep_best_rows(places, ranked, item_of_row)
    if ranked.gallery_size > 1:  # a lone row ties with nobody
        places.all_tied = int((ranked.tied[ranked.offsets[:-1]] == ranked.gallery_size).sum())
    return places


def _keep_best_rows(places: Places, ranked: Ranks, item_of_row: Indices) -> None:
    order = np.lexsort((ranked.tied_before, ranked.above, item_of_row))
    items, first = np.unique(item_of_row[order], return_index=True)
    best = order[first]
    places.found[items] = True
    places.above[items] = ranked.above[best]
    places.tied[items] = ranked.tied[best]
    places.tied_before[items] = ranked.tied_before[best]
    places.tied_before_trec[items] = ranked.tied_before_trec[best]


def places_in_lists(pairs: Pairs, lists: Sequence[Sequence[str]]) -> Places:
    """Look the relevant items up in finished rankings.

    The n-th caption of an item stands where its id does for the n-th time; every other item stands
    where its id does first. Places are as listed: an id that is listed twice takes two.

    Args:
        pairs: the queries and their items.
        lists: item ids, best first, of each row that ``pairs.rows`` points to.
    """
    longest = max((len(listed) for listed in lists), default=0)
    places = Places.none_found(pairs, pairs.rows >= 0, longest)
    offsets = pairs.offsets.tolist()
    copies = pairs.item_copies.tolist()
    for query, row in enumerate(pairs.rows.tolist()):
        if row < 0:
            continue
        wanted = range(offsets[query], offsets[query + 1])
        place_of = _places_by_id(lists[row], {pairs.item_ids[item] for item in wanted})
        for item in wanted:
            listed = place_of.get(pairs.item_ids[item], [])
            if copies[item] < len(listed):
                places.found[item] = True
                places.above[item] = listed[copies[item]]
    return places


def _places_by_id(listed: Sequence[str], wanted: set[str]) -> Mapping[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, ident in enumerate(listed):
        if ident in wanted:
            places.setdefault(ident, []).append(place)
    return places
