"""One direction of a retrieval score: pair, rank, look for what commonly goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from fastvbench.core._errors import InputError
from fastvbench.core._status import Status
from fastvbench.protocols._retrieval_checks import (
    BadRows,
    Findings,
    bad_rows,
    check_captions,
    check_gallery,
    check_ids,
    check_lists,
    check_scores,
    check_vectors,
    refuse_bad_rows,
    row_digests,
)
from fastvbench.protocols._retrieval_output import TopRankings, top_rankings
from fastvbench.protocols._retrieval_pairs import CaptionTexts, QuerySide, pair
from fastvbench.protocols._retrieval_places import places_in_gallery, places_in_lists
from fastvbench.protocols._retrieval_report import DirectionRun
from fastvbench.protocols._retrieval_sources import ListedRankings, Side, id_names
from fastvbench.retrieval import Gallery

if TYPE_CHECKING:
    import numpy.typing as npt

    from fastvbench.protocols._retrieval_places import Places
    from fastvbench.protocols._retrieval_rule import Direction, RetrievalProtocol
    from fastvbench.retrieval import Metric

__all__ = ["Search", "Settings", "run_lists", "run_search"]


@dataclass(slots=True)
class Search:
    """One direction to be run: queries, and what they search, in embeddings."""

    direction: Direction | None
    queries: Side
    gallery: Side


@dataclass(slots=True)
class Settings:
    """What is the same for all directions of one call."""

    protocol: RetrievalProtocol
    truth: Mapping[str, Sequence[str]] | None
    captions: Mapping[str, CaptionTexts]
    metric: Metric
    invalid: Literal["raise", "drop"]
    cuts: tuple[int, ...]
    threads: int
    # By identity, because a side serves two directions.
    bad: dict[int, BadRows] = field(default_factory=dict)
    digests: dict[int, list[bytes]] = field(default_factory=dict)

    def captions_of(self, direction: Direction | None) -> CaptionTexts | None:
        """The captions of what a direction is about; the only ones where it is not said."""
        if direction is None:
            return next(iter(self.captions.values())) if len(self.captions) == 1 else None
        return self.captions.get(direction.items)

    def digests_of(self, side: Side) -> list[bytes]:
        """What stands for each row of a side."""
        if id(side) not in self.digests:
            self.digests[id(side)] = row_digests(side.embeddings)
        return self.digests[id(side)]

    def bad_rows(self, side: Side) -> BadRows:
        """Rows of a side that cannot be ranked.

        Raises:
            InputError: there are any, and they are not to be dropped.
        """
        if id(side) not in self.bad:
            self.bad[id(side)] = bad_rows(side.embeddings, self.metric)
        found = self.bad[id(side)]
        if self.invalid == "raise":
            refuse_bad_rows(side, found)
        elif len(found.rows) == len(side):
            raise InputError(
                "none of the rows can be ranked", path=side.name, expected="finite embeddings"
            )
        return found


def run_lists(
    settings: Settings, direction: Direction | None, rankings: ListedRankings
) -> DirectionRun:
    """One direction by finished rankings."""
    name_of = _names(settings, direction, rankings.query_ids, rankings.copies)
    captions = _named_captions(settings.captions_of(direction), name_of)
    lists = [[name_of(item) for item in listed] for listed in rankings.lists]
    copies = {name_of(item): rows for item, rows in rankings.copies.items()}
    side = QuerySide([name_of(query) for query in rankings.query_ids])
    pairs = pair(side, None, direction, _named_truth(settings, name_of), captions, copies=copies)
    places = places_in_lists(pairs, lists)
    title = "rankings" if direction is None else direction.name
    found = Findings()
    check_lists(lists, max(settings.cuts), title, found)
    searched = direction is not None and not direction.from_text
    if searched and captions is None:
        found.warnings.append(
            f"{title}: how many captions were searched is not known, so official divides by the "
            "queries; it needs the caption file"
        )
    status = np.where(places.ran, Status.OK, Status.MISSING).astype(np.uint8)
    rows = len(captions.ids) if searched and captions is not None else None
    return DirectionRun(
        direction,
        places,
        status,
        rows,
        found.numbers,
        found.warnings,
        video_of_item=_videos_by_id(captions),
    )


def run_search(
    settings: Settings, search: Search, top: int | None, tops: list[TopRankings]
) -> DirectionRun:
    """One direction by embeddings; its rankings are appended to `tops` where `top` is given."""
    direction, asking, searched = search.direction, search.queries, search.gallery
    if asking.dimension != searched.dimension:
        raise InputError(
            f"embeddings of {asking.dimension} dimensions ask {searched.name}, "
            f"which has {searched.dimension}",
            path=asking.name,
            expected="queries and gallery of one model",
        )
    title = "retrieval" if direction is None else direction.name
    captions = settings.captions_of(direction)
    found = Findings()
    _complete_ids(search, captions, title, found)
    name_of = _names(settings, direction, asking.ids, searched.ids)
    gallery_ids = [name_of(ident) for ident in searched.ids]
    query_ids = [name_of(ident) for ident in asking.ids]
    named_captions = _named_captions(captions, name_of)
    pairs = pair(
        QuerySide(query_ids, asking.texts, asking.token_counts),
        gallery_ids,
        direction,
        _named_truth(settings, name_of),
        named_captions,
    )
    bad_queries, bad_gallery = settings.bad_rows(asking), settings.bad_rows(searched)
    gallery = Gallery(
        searched.embeddings,
        metric=settings.metric,
        ids=gallery_ids,
        invalid=settings.invalid,
        threads=settings.threads,
    )
    places = places_in_gallery(
        pairs,
        asking.embeddings,
        gallery,
        bad_queries.rows,
        np.union1d(bad_gallery.rows, gallery.dropped),
        threads=settings.threads,
    )
    found.numbers["repeated_query_ids"] = len(asking.ids) - len(set(asking.ids))
    from_text = direction is None or direction.from_text
    for side, bad, name in ((asking, bad_queries, "queries"), (searched, bad_gallery, "gallery")):
        part = Findings(warnings=found.warnings)
        check_vectors(side, bad, settings.metric, f"{title}, {name}", part)
        are_captions = (side is asking) == from_text
        check_ids(side.ids, f"{title}, {name}", part, are_captions=are_captions)
        if side is searched:
            check_gallery(gallery_ids, direction, pairs, title, part)
        found.numbers[name] = part.numbers
    if max(settings.cuts) > places.gallery_size:
        found.warnings.append(
            f"{title}: k={max(settings.cuts)} exceeds the {places.gallery_size:,} rows of the "
            "gallery; the public script would stop"
        )
    check_scores(places, settings.digests_of(asking), settings.digests_of(searched), title, found)
    check_captions(pairs.token_counts, title, found)
    if top is not None:
        ran = places.ran.tolist()
        tops.append(
            top_rankings(pairs, ran, asking.embeddings, gallery, top, threads=settings.threads)
        )
    return DirectionRun(
        direction,
        places,
        _status(places, bad_queries),
        None if from_text else len(searched),
        found.numbers,
        found.warnings,
        {"queries": len(bad_queries.rows), "gallery": len(bad_gallery.rows)},
        _videos_by_id(
            CaptionTexts(query_ids, videos=asking.videos),
            CaptionTexts(gallery_ids, videos=searched.videos),
            named_captions,
        ),
    )


def _complete_ids(
    search: Search, captions: CaptionTexts | None, title: str, found: Findings
) -> None:
    """Give ids to sides that have none: those of the captions, else row numbers on both sides.

    Raises:
        InputError: one side has ids and the other cannot be given any.
    """
    direction, sides = search.direction, (search.queries, search.gallery)
    captioned = sides[0] if direction is None or direction.from_text else sides[1]
    if not captioned.ids and captions is not None:
        if len(captions.ids) != len(captioned):
            raise InputError(
                f"{len(captioned):,} embeddings without ids, and {len(captions.ids):,} captions",
                path=captioned.name,
                expected="one embedding a caption, or ids",
            )
        captioned.ids = list(captions.ids)
    without = [side for side in sides if not side.ids]
    if not without:
        return
    if len(without) == 1 or len(sides[0]) != len(sides[1]):
        raise InputError(
            "embeddings without ids",
            path=without[0].name,
            expected="ids in the file or in one of their own (one a line), so that it is known "
            "what belongs to what",
        )
    for side in without:
        side.ids = [str(row) for row in range(len(side))]
    found.warnings.append(
        f"{title}: no ids; row i of the queries is taken to belong to row i of the gallery"
    )


def _names(
    settings: Settings, direction: Direction | None, *columns: Iterable[str]
) -> Callable[[str], str]:
    """How ids of this direction are compared."""
    captions, truth = settings.captions_of(direction), settings.truth
    known = [[] if captions is None else captions.ids]
    if truth is not None:
        known += [list(truth), [item for items in truth.values() for item in items]]
    return id_names(settings.protocol, *columns, *known)


def _named_truth(settings: Settings, name_of: Callable[[str], str]) -> dict[str, list[str]] | None:
    if settings.truth is None:
        return None
    return {
        name_of(query): [name_of(item) for item in items] for query, items in settings.truth.items()
    }


def _named_captions(
    captions: CaptionTexts | None, name_of: Callable[[str], str]
) -> CaptionTexts | None:
    if captions is None:
        return None
    ids = [name_of(ident) for ident in captions.ids]
    return CaptionTexts(ids, captions.texts, captions.videos)


def _videos_by_id(*columns: CaptionTexts | None) -> dict[str, str]:
    """The video of each item, as far as any side says."""
    videos: dict[str, str] = {}
    for column in columns:
        if column is not None and column.videos is not None:
            videos.update(zip(column.ids, column.videos, strict=True))
    return videos


def _status(places: Places, bad_queries: BadRows) -> npt.NDArray[np.uint8]:
    """Ok where a query was run and at least one of its items could be found."""
    rows = places.pairs.rows
    status = np.where(places.ran & places.has_item(), Status.OK, Status.MISSING)
    status[np.isin(rows, bad_queries.not_finite)] = Status.NOT_FINITE
    status[np.isin(rows, bad_queries.zero)] = Status.EMPTY
    return status.astype(np.uint8)
