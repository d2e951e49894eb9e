"""Score retrieval: read, pair, rank, apply every rule set, summarise. No model, no GPU."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastvbench.core._errors import InputError
from fastvbench.formats import file_sha256
from fastvbench.protocols._protocol import chosen_rules
from fastvbench.protocols._registry import get_protocol
from fastvbench.protocols._retrieval_output import TopRankings, write_top_rankings
from fastvbench.protocols._retrieval_report import RetrievalRun, build_report, sample_rows
from fastvbench.protocols._retrieval_rule import Direction, RetrievalProtocol, checked_cuts
from fastvbench.protocols._retrieval_run import Search, Settings, run_lists, run_search
from fastvbench.protocols._retrieval_sources import (
    Ids,
    Paths,
    Side,
    Source,
    open_both_parts,
    open_side,
    paths_of,
    read_captions,
    read_lists,
    read_relevant,
)
from fastvbench.results._result import Result
from fastvbench.retrieval._tie_groups import Ties

if TYPE_CHECKING:
    from fastvbench.retrieval import Metric
    from fastvbench.retrieval.stores import Part

__all__ = ["SIDES", "retrieve"]

SIDES = ("text_clips", "clips", "text_videos", "videos")
_PARTS: dict[str, Part] = {"clips": "clip", "videos": "video"}
_PAIRS = (("queries", "gallery"), ("text", "video"))


def retrieve(
    protocol: str | RetrievalProtocol,
    queries: Source | None = None,
    gallery: Source | None = None,
    *,
    direction: str | Sequence[str] | None = None,
    query_ids: Ids = None,
    gallery_ids: Ids = None,
    text: Source | None = None,
    video: Source | None = None,
    sides: Mapping[str, Source] | None = None,
    side_ids: Mapping[str, Ids] | None = None,
    rankings: object = None,
    captions: Paths = None,
    truth: object = None,
    metric: Metric = "cosine",
    rules: str | Sequence[str] | None = None,
    ties: Ties = "expected",
    k: Iterable[int] | None = None,
    invalid: Literal["raise", "drop"] = "raise",
    rankings_out: str | os.PathLike[str] | None = None,
    top: int | None = None,
    seed: int = 0,
    samples: bool = True,
    threads: int = 0,
) -> Result:
    r"""Score who finds whom by embeddings, or by finished rankings.

    Exactly one of four inputs is given: `queries` and `gallery` (one direction); `text` and
    `video` (LoVR's text.pt and video.pt, told apart into clips and videos by their ids);
    `sides` (any of text_clips, clips, text_videos, videos: every direction whose two sides are
    there is scored); or `rankings`.

    Embeddings are a path, an EmbeddingStore, or [n, d] float32, float16 or bfloat16. A query's
    relevant item is the one of its own id unless `truth` says otherwise. Rows of one id are several
    captions of an item on the caption side, and one item on the other.

    Args:
        protocol: name of a retrieval benchmark, or a RetrievalProtocol.
        queries: embeddings that search.
        gallery: embeddings that are searched.
        direction: which way `queries` or `rankings` go; or, with several sides, which ways to score
            (None: all that the sides allow). A list, or one text with commas.
        query_ids: ids of `queries`, where they carry none: a file with one a line, or a list.
        gallery_ids: ids of `gallery`, likewise.
        text: caption embeddings of clips and videos.
        video: embeddings of clips and videos.
        sides: embeddings by side.
        side_ids: ids of each of `sides`, where they carry none.
        rankings: finished rankings: a file, or ``{query id: [item ids, best first]}``.
        captions: LoVR's all_clip.jsonl, all_video.jsonl, or both: every caption is an expected
            query, and its length is known.
        truth: relevant item ids by query id, from a file or memory; its queries are the expected
            ones.
        metric: ``cosine`` or ``dot``.
        rules: names of rule sets, the first being the main one; None for all.
        ties: order of equal scores, for rules that leave it open.
        k: numbers of places; None for the benchmark's.
        invalid: ``drop`` leaves rows of NaN, infinity or (cosine) zeros out, and counts them.
        rankings_out: write the best `top` ids of each query there: JSON Lines, or a TREC run where
            the name ends in .trec or .run (.gz packs either). With several directions, one file
            each: the direction goes before the ending. The n-th row of an id is named ``id#n``,
            which `rankings` understands.
        top: ids a query in `rankings_out`; None for 10, or the largest k.
        seed: of the confidence intervals.
        samples: keep each query's row for the samples file.
        threads: 0 for all.

    Returns:
        The Result; ``result.data`` is what result.json holds.

    Raises:
        InputError: a file, row or argument that cannot be used, in one line.

    Example:
        >>> import numpy as np
        >>> clips = np.eye(3, dtype=np.float32)
        >>> names = ["V-Scene-1", "V-Scene-2", "W-Scene-1"]
        >>> result = retrieve(
        ...     "lovr", clips[:2], clips, query_ids=names[:2], gallery_ids=names, k=[1]
        ... )
        >>> result.value("recall@1")
        1.0
    """
    declared = get_protocol(protocol) if isinstance(protocol, str) else protocol
    if not isinstance(declared, RetrievalProtocol):
        raise InputError(
            "scores answers, not rankings",
            field="protocol",
            value=declared.name,
            expected="a retrieval benchmark, or fastvbench.score",
        )
    chosen = chosen_rules(declared.rules, rules, declared.name)
    cuts = checked_cuts(declared.cuts if k is None else tuple(k))
    _check_choice("ties", ties, get_args(Ties))
    _check_choice("metric", metric, ("cosine", "dot"))
    _check_choice("invalid", invalid, ("raise", "drop"))
    for name in sides or {}:
        _check_choice("sides", name, SIDES)
    sources = {"queries": queries, "gallery": gallery, "text": text, "video": video}
    sources = {name: source for name, source in sources.items() if source is not None}
    sources |= sides or {}
    _refuse_mixed_input(sources, rankings)
    settings = Settings(
        declared, read_relevant(truth), read_captions(captions), metric, invalid, cuts, threads
    )
    ways = _directions(declared, direction)
    tops: list[TopRankings] = []
    if rankings is not None:
        if rankings_out is not None:
            raise InputError(
                "rankings are what was given", field="rankings_out", expected="embeddings"
            )
        lists = read_lists(rankings)
        runs, read = [run_lists(settings, _only(ways), lists)], [lists.described]
    else:
        ids = {"queries": query_ids, "gallery": gallery_ids} | dict(side_ids or {})
        searches = _searches(declared, sources, ids, ways)
        wanted = None if rankings_out is None else _list_length(top, cuts)
        runs = [run_search(settings, search, wanted, tops) for search in searches]
        used = {id(side): side for s in searches for side in (s.queries, s.gallery)}
        read = [side.described() for side in used.values()]
    scored = RetrievalRun(
        protocol=declared,
        rules=chosen,
        directions=runs,
        cuts=cuts,
        ties=ties,
        metric=None if rankings is not None else metric,
        inputs={"predictions": read, "annotations": _described_annotations(truth, captions)},
        seed=seed,
    )
    scored.finish()
    report = build_report(scored)
    if rankings_out is not None:
        write_top_rankings(rankings_out, [run.title for run in runs], tops)
    return Result(
        report,
        metrics={rule.name: rule.metrics_at(cuts) for rule in chosen},
        rows=sample_rows(scored) if samples else None,
    )


def _check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        raise InputError("no such choice", field=argument, value=value, expected=", ".join(choices))


def _refuse_mixed_input(sources: Mapping[str, Source], rankings: object) -> None:
    """Exactly one way of input, and all of it."""
    groups = [pair for pair in _PAIRS if not sources.keys().isdisjoint(pair)]
    given = [" and ".join(pair) for pair in groups]
    given += [] if sources.keys().isdisjoint(SIDES) else ["sides"]
    given += [] if rankings is None else ["rankings"]
    if len(given) != 1:
        ways = ", or ".join(" and ".join(pair) for pair in _PAIRS)
        raise InputError(
            "one kind of input is needed",
            value=" beside ".join(given) or "none",
            expected=f"{ways}, or sides ({', '.join(SIDES)}), or rankings",
        )
    if groups and not sources.keys() >= set(groups[0]):
        raise InputError("half of the input is missing", expected=f"both {given[0]}")


def _directions(
    protocol: RetrievalProtocol, direction: str | Sequence[str] | None
) -> list[Direction]:
    """The directions that a caller names; empty for None."""
    if direction is None:
        return []
    names = direction.split(",") if isinstance(direction, str) else list(direction)
    return [protocol.direction(name) for name in dict.fromkeys(map(str.strip, names))]


def _only(ways: list[Direction]) -> Direction | None:
    if len(ways) > 1:
        raise InputError(
            "one pair of queries and gallery goes one way",
            field="direction",
            value=", ".join(way.name for way in ways),
            expected="one direction",
        )
    return ways[0] if ways else None


def _searches(
    protocol: RetrievalProtocol,
    sources: Mapping[str, Source],
    ids: Mapping[str, Ids],
    ways: list[Direction],
) -> list[Search]:
    """Every direction that the embeddings allow, or those that were named."""
    if "queries" in sources:
        way = _only(ways)
        part = None if way is None else _PARTS[way.items]
        queries, gallery = (open_side(sources[n], ids.get(n), n, part) for n in _PAIRS[0])
        return [Search(way, queries, gallery)]
    sides = _opened_sides(protocol, sources, ids)
    searches = []
    for direction in ways or protocol.directions.values():
        asking, searched = direction.sides
        lacking = [name for name in (asking, searched) if name not in sides]
        if not lacking:
            searches.append(Search(direction, sides[asking], sides[searched]))
        elif ways:
            raise InputError(
                f"{direction.name} needs {asking} and {searched}",
                field="direction",
                value=", ".join(sides),
                expected=f"{' and '.join(lacking)}, too",
            )
    if not searches:
        raise InputError(
            "no direction has both of its sides",
            value=", ".join(sides),
            expected="text_clips with clips, or text_videos with videos",
        )
    return searches


def _opened_sides(
    protocol: RetrievalProtocol, sources: Mapping[str, Source], ids: Mapping[str, Ids]
) -> dict[str, Side]:
    """Each side, opened once."""
    if "text" not in sources:
        return {
            name: open_side(source, ids.get(name), name, _PARTS[name.removeprefix("text_")])
            for name, source in sources.items()
        }
    opened: dict[str, Side | None] = {}
    for source, prefix in (("text", "text_"), ("video", "")):
        clips, videos = open_both_parts(sources[source], source, protocol.is_clip)
        opened |= {f"{prefix}clips": clips, f"{prefix}videos": videos}
    return {name: side for name, side in opened.items() if side is not None}


def _list_length(top: int | None, cuts: Sequence[int]) -> int:
    if top is None:
        return max(10, *cuts)
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise InputError("not a number of ids", field="top", value=top, expected="1 or more")
    return top


def _described_annotations(truth: object, captions: Paths) -> dict[str, Any]:
    """Where expected queries and relevant items come from."""
    entry: dict[str, Any] = {}
    if truth is None and captions is None:
        entry["source"] = "equal ids"
    if truth is not None:
        entry["truth"] = _described_file(truth)
    if captions is not None:
        entry["captions"] = [_described_file(path) for path in paths_of(captions)]
    return entry


def _described_file(source: object) -> dict[str, Any]:
    if isinstance(source, str | os.PathLike):
        return {"name": Path(source).name, "sha256": file_sha256(source)}
    return {"source": "memory"}
