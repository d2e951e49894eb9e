"""From places of relevant items to the content of result.json and the rows of the samples file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._status import STATUS_NAMES, Status
from fastvbench.protocols._report_parts import (
    SCHEMA,
    environment_entry,
    metric_entries,
    protocol_entry,
    status_by_category,
    status_counts,
)
from fastvbench.protocols._retrieval_diagnostics import retrieval_diagnostics
from fastvbench.results._spool import excerpt
from fastvbench.results._strata import UNKNOWN, Stratum
from fastvbench.results._summary import Clusters, RuleScores, contrast, summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastvbench.protocols._retrieval_places import Places
    from fastvbench.protocols._retrieval_rule import Direction, RetrievalProtocol, RetrievalRule
    from fastvbench.retrieval._tie_groups import Ties

__all__ = ["DirectionRun", "RetrievalRun", "build_report", "sample_rows"]

FloatArray = npt.NDArray[np.float64]

QUARTERS = ("shortest quarter", "second quarter", "third quarter", "longest quarter")
MOST_RELEVANT_IDS = 20  # of one query, in the samples file


@dataclass(slots=True)
class DirectionRun:
    """One direction: who was found where, and what was noticed.

    Attributes:
        direction: None where the caller did not say.
        places: where the relevant items stand.
        status: uint8[q] of each expected query.
        caption_rows: captions that are searched, None where they are the queries or unknown.
        checks: numbers for ``diagnostics``.
        warnings: one line each.
        dropped: rows left out because they could not be ranked, by side.
        video_of_item: the video of an item, where the inputs say.
    """

    direction: Direction | None
    places: Places
    status: npt.NDArray[np.uint8]
    caption_rows: int | None
    checks: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    video_of_item: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The direction's name."""
        return UNKNOWN if self.direction is None else self.direction.name

    @property
    def asked_by_captions(self) -> bool:
        """Whether the queries are captions, or may be."""
        return self.direction is None or self.direction.from_text

    def __len__(self) -> int:
        return len(self.places.pairs)


@dataclass(slots=True)
class RetrievalRun:
    """Everything one call of `retrieve` knows before it sums up.

    Attributes:
        protocol: the benchmark.
        rules: rule sets, the main one first.
        directions: one after the other, they are the n queries of the result.
        cuts: the k of recall at k.
        ties: order of equal scores, for rules that leave it open.
        metric: ``cosine`` or ``dot``; None for finished rankings.
        inputs: the block of that name in result.json.
        seed: of the confidence intervals.
        columns: by rule set and metric key, float64[n].
        strata: groups of queries.
        clusters: the video of each query.
        status: uint8[n].
    """

    protocol: RetrievalProtocol
    rules: tuple[RetrievalRule, ...]
    directions: list[DirectionRun]
    cuts: tuple[int, ...]
    ties: Ties
    metric: str | None
    inputs: dict[str, Any]
    seed: int
    columns: dict[str, dict[str, FloatArray]] = field(default_factory=dict)
    strata: dict[str, Stratum] = field(default_factory=dict)
    clusters: list[str] = field(default_factory=list)
    status: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))

    def finish(self) -> None:
        """Score every rule set, and gather all directions into one table of queries."""
        for rule in self.rules:
            parts = [
                run.places.scores(rule, self.cuts, self.ties, run.caption_rows)
                for run in self.directions
            ]
            keys = [metric.key for metric in rule.metrics_at(self.cuts)]
            self.columns[rule.name] = {
                key: np.concatenate([part[key] for part in parts]) for key in keys
            }
        for run in self.directions:
            for first, *_ in run.places.pairs.relevant:
                video = run.video_of_item.get(first) or self.protocol.video_of(first)
                self.clusters.append(video)
        self.status = np.concatenate([run.status for run in self.directions])
        self.strata = self._strata()

    def _strata(self) -> dict[str, Stratum]:
        names = [run.title for run in self.directions for _ in range(len(run))]
        strata = {"direction": Stratum.single(names, [run.title for run in self.directions])}
        caption_rows = np.flatnonzero(self._asked_by_caption())
        measures = {"query_words": _word_counts, "query_tokens": _token_counts}
        for name, measure in measures.items():
            asked = [run for run in self.directions if run.asked_by_captions]
            lengths = [measure(run) for run in asked]
            if all(np.isnan(column).all() for column in lengths):
                continue
            labels: list[str | None] = []
            order: list[str] = []
            for run, column in zip(asked, lengths, strict=True):
                prefix = "" if run.direction is None else f"{run.title}: "
                order.extend(prefix + quarter for quarter in QUARTERS)
                quarters, edges = _quarters(column)
                labels.extend(None if q is None else prefix + q for q in quarters)
                if edges:
                    run.checks[f"{name}_quartiles"] = edges
            part = Stratum.single(labels, order)
            strata[name] = Stratum(part.categories, caption_rows[part.rows], part.category)
        return strata

    def _asked_by_caption(self) -> npt.NDArray[np.bool_]:
        """bool[n]: queries that have a caption's length at all."""
        return np.concatenate([np.full(len(r), r.asked_by_captions) for r in self.directions])


def _word_counts(run: DirectionRun) -> FloatArray:
    return np.array(
        [np.nan if text is None else len(text.split()) for text in run.places.pairs.texts],
        dtype=np.float64,
    )


def _token_counts(run: DirectionRun) -> FloatArray:
    return run.places.pairs.token_counts


def _quarters(lengths: FloatArray) -> tuple[list[str | None], list[float]]:
    """Which quarter of the known lengths each one is in, and the three edges between them."""
    known = ~np.isnan(lengths)
    if not known.any():
        return [None] * len(lengths), []
    edges = np.quantile(lengths[known], [0.25, 0.5, 0.75], method="inverted_cdf")
    codes = np.searchsorted(edges, lengths, side="left")  # a length on an edge is below it
    return [
        QUARTERS[min(code, 3)] if is_known else None
        for code, is_known in zip(codes.tolist(), known.tolist(), strict=True)
    ], edges.tolist()


def build_report(run: RetrievalRun) -> dict[str, Any]:
    """The content of result.json."""
    status = run.status
    scores = {
        rule.name: RuleScores(rule.metrics_at(run.cuts), run.columns[rule.name])
        for rule in run.rules
    }
    clusters = Clusters.of(run.clusters)
    by_rule, method = summarize(scores, run.strata, clusters, seed=run.seed)
    everything = np.ones(len(status), dtype=np.bool_)
    for rule in run.rules:
        entry = by_rule[rule.name]
        entry["status"] = status_counts(status)
        entry["status_by_stratum"] = {
            name: status_by_category(status[None, :], stratum, everything)
            for name, stratum in run.strata.items()
        }
        entry["public_script_aborts"] = 0
        entry["denominator"] = rule.denominator
        entry["missing"] = rule.missing
        entry["source"] = rule.source
        entry["ties"] = rule.ties or run.ties
        contrasts = _length_contrasts(run, scores[rule.name], clusters)
        if contrasts:
            entry["contrasts"] = contrasts
    main = run.rules[0]
    return {
        "schema": SCHEMA,
        "kind": "score",
        "protocol": protocol_entry(run.protocol)
        | {
            "published_items": {
                d.items: d.published_items for d in run.protocol.directions.values()
            }
        },
        "main": {"rule": main.name, "metric": main.metrics_at(run.cuts)[0].key},
        "options": {"k": list(run.cuts), "ties": run.ties, "metric": run.metric},
        "rules": by_rule,
        "metrics": metric_entries(m for rule in run.rules for m in rule.metrics_at(run.cuts)),
        "interval_method": method,
        "coverage": _coverage(run, status),
        "diagnostics": {"directions": {d.title: d.checks for d in run.directions}}
        | retrieval_diagnostics(run, clusters),
        "warnings": [warning for d in run.directions for warning in d.warnings],
        "inputs": run.inputs,
        "environment": environment_entry(),
    }


def _length_contrasts(
    run: RetrievalRun, scores: RuleScores, clusters: Clusters
) -> list[dict[str, Any]]:
    """Longest minus shortest captions: does the end of a long query count?"""
    metric = scores.metrics[0].key
    contrasts = []
    for name in ("query_words", "query_tokens"):
        stratum = run.strata.get(name)
        for direction in run.directions:
            prefix = "" if direction.direction is None else f"{direction.title}: "
            longest, shortest = prefix + QUARTERS[3], prefix + QUARTERS[0]
            if stratum is None or not {longest, shortest} <= set(stratum.categories):
                continue
            difference = contrast(
                scores.columns[metric], stratum, longest, shortest, clusters, seed=run.seed
            )
            contrasts.append(
                {"metric": metric, "stratum": name, "a": longest, "b": shortest} | difference
            )
    return contrasts


def _coverage(run: RetrievalRun, status: npt.NDArray[np.uint8]) -> dict[str, Any]:
    """The ledger: which expected queries were run and had something to find.

    A query is `missing` where it was not run, could not be ranked, or none of its items is in the
    gallery; `missing_items` counts relevant items that are not in the gallery.
    """
    expected, scored = len(status), int((status == Status.OK).sum())
    pairs = [d.places.pairs for d in run.directions]
    coverage: dict[str, Any] = {
        "expected": expected,
        "scored": scored,
        "missing": expected - scored,
        "missing_queries": sum(int((~d.places.ran).sum()) for d in run.directions),
        "unexpected": sum(p.unexpected for p in pairs),
        "duplicates": sum(d.checks.get("repeated_query_ids", 0) for d in run.directions),
        "status": status_counts(status),
        "limit": run.protocol.coverage_limit,
        "directions": {d.title: _direction_coverage(d) for d in run.directions},
    }
    examples = [ident for p in pairs for ident in p.unexpected_examples][:5]
    if examples:
        coverage["unexpected_examples"] = examples
    return coverage


def _direction_coverage(run: DirectionRun) -> dict[str, Any]:
    places = run.places
    entry: dict[str, Any] = {
        "expected": len(run),
        "scored": int((run.status == Status.OK).sum()),
        "missing_queries": int((places.pairs.rows < 0).sum()),
        "items": len(places.found),
    }
    if run.caption_rows is not None:
        entry["captions_searched"] = run.caption_rows  # what official divides by
    if "lists" in run.checks:  # all that is known of the gallery is what the lists name
        return entry | {
            "unlisted_items": int((~places.found).sum()),
            "longest_list": places.gallery_size,
        }
    return entry | {
        "missing_items": int((np.diff(places.pairs.row_offsets) == 0).sum()),
        "dropped_rows": run.dropped,
        "gallery_rows": places.gallery_size,
    }


def sample_rows(run: RetrievalRun) -> Callable[[], Iterator[dict[str, Any]]]:
    """Makes the rows of the samples file: one an expected query, direction after direction."""
    of_stratum = {name: stratum.of_row() for name, stratum in run.strata.items()}

    def rows() -> Iterator[dict[str, Any]]:
        columns = {
            name: {key: _json_column(column) for key, column in by_key.items()}
            for name, by_key in run.columns.items()
        }
        first = 0
        for direction in run.directions:
            prefix = "" if len(run.directions) == 1 else f"{direction.title}/"
            pairs = direction.places.pairs
            for query, place in enumerate(_best_items(direction.places)):
                row = first + query
                outcome = {
                    "status": STATUS_NAMES[run.status[row]],
                    "read": None if place is None else place["above"] + 1,
                    "span": None,
                    "aborts": False,
                }
                yield {
                    "id": prefix + pairs.names[query],
                    "cluster": run.clusters[row],
                    "strata": {name: names.get(row, []) for name, names in of_stratum.items()},
                    "gold": {"relevant": pairs.relevant[query][:MOST_RELEVANT_IDS]},
                    "rules": {
                        rule: outcome | {"scores": {key: c[row] for key, c in by_key.items()}}
                        for rule, by_key in columns.items()
                    },
                    "place": place,
                    "excerpt": excerpt(pairs.texts[query]),
                }
            first += len(direction)

    return rows


def _best_items(places: Places) -> list[dict[str, int] | None]:
    """Rows above and tied with the best relevant item of each query, None where it has no place."""
    best: list[dict[str, int] | None] = [None] * len(places.pairs)
    order = np.lexsort((places.tied_before, places.above))[::-1]
    for query, item in zip(
        places.query_of_item[order].tolist(), order.tolist(), strict=True
    ):  # the best item comes last, and stays
        if places.found[item]:
            best[query] = {"above": int(places.above[item]), "tied": int(places.tied[item])}
    return best


def _json_column(column: FloatArray) -> list[float | None]:
    """Scores as JSON has them: none for a rank beyond everything, or outside the denominator."""
    finite = np.isfinite(column).tolist()
    return [
        score if is_finite else None
        for score, is_finite in zip(column.tolist(), finite, strict=True)
    ]
