"""From a retrieval run to the columns that diagnostics of rankings look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.results._diagnostics import RankingColumns, ranking_diagnostics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.protocols._retrieval_report import DirectionRun, RetrievalRun
    from fastvbench.results._diagnostics import Entry
    from fastvbench.results._summary import Clusters

__all__ = ["retrieval_diagnostics"]


def retrieval_diagnostics(run: RetrievalRun, clusters: Clusters) -> dict[str, Entry]:
    """Diagnostics of each direction's rankings, by name.

    Args:
        run: what was scored.
        clusters: the video of each query.
    """
    found = {}
    for columns in _columns(run, clusters):
        found.update({entry["name"]: entry for entry in ranking_diagnostics(columns)})
    return found


def _columns(run: RetrievalRun, clusters: Clusters) -> Iterator[RankingColumns]:
    cut = run.cuts[0]
    recall = run.columns[run.rules[0].name][f"recall@{cut}"]
    first = 0
    for direction in run.directions:
        rows = slice(first, first + len(direction))
        first += len(direction)
        yield RankingColumns(
            name=direction.title,
            cut=cut,
            found=recall[rows],
            clusters=clusters.numbers[rows],
            gallery_size=None if "lists" in direction.checks else direction.places.gallery_size,
            **_by_query(direction, cut),
        )


def _by_query(direction: DirectionRun, cut: int) -> dict[str, np.ndarray]:
    """bool[q] columns: an item is tied across the cut, no item has a place."""
    places = direction.places
    across = places.found & (places.above < cut) & (places.above + places.tied > cut)
    tied = np.zeros(len(direction), dtype=np.bool_)
    tied[places.query_of_item[across]] = True
    has_place = np.zeros(len(direction), dtype=np.bool_)
    has_place[places.query_of_item[places.found]] = True
    return {"tied": tied, "absent": ~(has_place & places.ran)}
