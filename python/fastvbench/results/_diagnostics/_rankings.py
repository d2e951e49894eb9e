"""Do rankings find more than chance, and is it scores or their ties that decide?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.results._confidence import ratio_intervals
from fastvbench.results._diagnostics._entry import Entry, entry

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RankingColumns", "ranking_diagnostics"]

MOST_TIED_SHARE = 0.01
MOST_ABSENT_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class RankingColumns:
    """The q queries of one direction.

    Attributes:
        name: of the direction.
        cut: the k of `found`.
        found: float64[q] recall at `cut` of the main rule set, NaN where a query does not count.
        clusters: int64[q], the video of each query, numbered from 0.
        gallery_size: rows that were ranked; None where only lists of the best are known.
        tied: bool[q], a relevant item shares its score with items on either side of the cut.
        absent: bool[q], no relevant item has a place.
    """

    name: str
    cut: int
    found: npt.NDArray[np.float64]
    clusters: npt.NDArray[np.int64]
    gallery_size: int | None
    tied: npt.NDArray[np.bool_]
    absent: npt.NDArray[np.bool_]


def ranking_diagnostics(columns: RankingColumns) -> Iterator[Entry]:
    """Chance, ties at the cut, and queries with nothing to find."""
    counted = ~np.isnan(columns.found)
    rows = int(counted.sum())
    if not rows:
        return
    if columns.gallery_size:
        yield from _near_chance(columns, counted)
    tied = float(columns.tied[counted].mean())
    yield entry(
        f"ties_at_the_cut.{columns.name}",
        tied,
        f"Share of the queries whose relevant item shares its score with others on both sides of "
        f"place {columns.cut}, so that the order of equal scores decides. Alarm: more than "
        f"{MOST_TIED_SHARE:.0%}.",
        alarm=tied > MOST_TIED_SHARE,
        says=f"ties decide {int(columns.tied[counted].sum()):,} of {rows:,} queries",
        rows=rows,
    )
    absent = float(columns.absent.mean())
    yield entry(
        f"nothing_to_find.{columns.name}",
        absent,
        "Share of the expected queries that were not run, or whose relevant items have no place. "
        f"Alarm: more than {MOST_ABSENT_SHARE:.0%}.",
        alarm=absent > MOST_ABSENT_SHARE,
        says=f"{int(columns.absent.sum()):,} of {len(columns.absent):,} expected queries have "
        "nothing that they could find",
        rows=len(columns.absent),
    )


def _near_chance(columns: RankingColumns, counted: npt.NDArray[np.bool_]) -> Iterator[Entry]:
    assert columns.gallery_size is not None
    chance = min(1.0, columns.cut / columns.gallery_size)
    _, numbers = np.unique(columns.clusters[counted], return_inverse=True)
    found = columns.found[counted]
    sums = np.bincount(numbers, weights=found)[:, None].astype(np.float64)
    counts = np.bincount(numbers)[:, None].astype(np.float64)
    low = float(ratio_intervals(sums, counts)[0][0, 0])
    if np.isnan(low):
        return
    recall = float(found.mean())
    yield entry(
        f"near_chance.{columns.name}",
        recall - chance,
        f"Recall at {columns.cut} minus that of a gallery in random order ({columns.cut} / rows). "
        "Alarm: chance lies in the 95 % interval of the recall or above it.",
        alarm=low <= chance,
        says=f"recall@{columns.cut} {recall:.1%}, from {low:.1%}; chance would reach {chance:.1%}",
        rows=int(counted.sum()),
        chance=chance,
    )
