"""The best rows of each query as a rankings file, for other tools and for scoring again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fastvbench.formats import write_rankings

if TYPE_CHECKING:
    from fastvbench.protocols._retrieval_pairs import Pairs
    from fastvbench.retrieval import Gallery

__all__ = ["TopRankings", "rankings_paths", "top_rankings", "write_top_rankings"]

TREC_ENDINGS = (".trec", ".run")


@dataclass(frozen=True, slots=True)
class TopRankings:
    """The best ids of each query that was run."""

    query_ids: list[str]
    lists: list[list[str]]
    scores: list[list[float]]


def top_rankings(
    pairs: Pairs,
    ran: Sequence[bool],
    queries: Any,
    gallery: Gallery,
    top: int,
    *,
    threads: int = 0,
) -> TopRankings:
    """Search for every query that was run; the n-th gallery row of an id is named ``id#n``.

    Args:
        pairs: the expected queries.
        ran: whether each was run.
        queries: [n, d] embeddings that ``pairs.rows`` points into.
        gallery: what is searched, with the id of each row.
        top: ids a query.
        threads: 0 for all.
    """
    asked = [i for i, was_run in enumerate(ran) if was_run]
    if not asked:
        return TopRankings([], [], [])
    names = _numbered(gallery.ids or ())
    size = min(top, gallery.size - len(gallery.dropped))
    found = gallery.search(queries[pairs.rows[asked]], size, threads=threads)
    return TopRankings(
        [pairs.names[i] for i in asked],
        [[names[row] for row in rows] for rows in found.indices.tolist()],
        found.scores.tolist(),
    )


def _numbered(ids: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for ident in ids:
        seen[ident] += 1
        names.append(ident if seen[ident] == 1 else f"{ident}#{seen[ident]}")
    return names


def rankings_paths(path: str | os.PathLike[str], directions: Sequence[str]) -> list[Path]:
    """Where the rankings of each direction go: ``x.text_to_clip.jsonl`` where there are several."""
    target = Path(path)
    if len(directions) == 1:
        return [target]
    name, packed = (target.name[:-3], ".gz") if target.suffix == ".gz" else (target.name, "")
    stem, ending = os.path.splitext(name)
    return [target.with_name(f"{stem}.{direction}{ending}{packed}") for direction in directions]


def write_top_rankings(
    path: str | os.PathLike[str], directions: Sequence[str], tops: Sequence[TopRankings]
) -> list[Path]:
    """Write one file a direction, JSON Lines or TREC by the name's ending.

    Returns:
        The files written.
    """
    paths = rankings_paths(path, directions)
    ending = os.path.splitext(str(path).removesuffix(".gz"))[1].lower()
    kind: Literal["jsonl", "trec"] = "trec" if ending in TREC_ENDINGS else "jsonl"
    for target, top in zip(paths, tops, strict=True):
        write_rankings(target, top.query_ids, top.lists, top.scores, format=kind)
    return paths
