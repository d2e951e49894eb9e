"""From per-row scores to values with 95 % intervals, overall and by stratum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.results._confidence import (
    MEDIAN_METHOD,
    MOST_BOOTSTRAP_CLUSTERS,
    ConfidenceMethod,
    difference_interval,
    macro_intervals,
    median_interval,
    ratio_intervals,
)
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastvbench.results._metrics import Metric

__all__ = ["Clusters", "RuleScores", "contrast", "overall_value", "summarize"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Clusters:
    """Which cluster (video) each row belongs to.

    Rows outside a subset belong to none, so that a subset gives the intervals that an annotation
    file of those rows alone would give.

    Attributes:
        numbers: int64[n], 0 for rows that belong to none (their scores are all NaN).
        count: clusters that have rows.
        active: bool[n], rows that belong to one.
    """

    numbers: npt.NDArray[np.int64]
    count: int
    active: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, names: Sequence[str], active: npt.NDArray[np.bool_] | None = None) -> Clusters:
        """Number the names of active rows (None: all) in order of first appearance."""
        if active is None:
            active = np.ones(len(names), dtype=np.bool_)
        known: dict[str, int] = {}
        numbers = [
            known.setdefault(name, len(known)) if counts else 0
            for name, counts in zip(names, active.tolist(), strict=True)
        ]
        return cls(np.array(numbers, dtype=np.int64), len(known), active)

    def each_row(self) -> Clusters:
        """Every active row its own cluster: the plain, unclustered interval."""
        numbers = np.where(self.active, np.cumsum(self.active) - 1, 0)
        return Clusters(numbers, int(self.active.sum()), self.active)


@dataclass(frozen=True, slots=True)
class RuleScores:
    """One rule set's per-row scores.

    Attributes:
        metrics: what it reports.
        columns: float64[n] by metric key, NaN where a row is not in the denominator.
        if_all_right: the same columns with every row that waits for a judge counted as right;
            None where no row does.
    """

    metrics: tuple[Metric, ...]
    columns: Mapping[str, FloatArray]
    if_all_right: Mapping[str, FloatArray] | None = None


@dataclass(slots=True)
class _Block:
    """One metric in the k categories of one stratum (or overall); [c, k] sums for its intervals."""

    rule: str
    metric: Metric
    stratum: str | None
    categories: tuple[str, ...]
    values: FloatArray  # [k], NaN where no row counts, infinite where a median is
    rows: FloatArray  # [k]
    cluster_sums: FloatArray | None = None
    cluster_counts: FloatArray | None = None
    intervals: FloatArray | None = None
    unranked: FloatArray | None = None  # [k], rows of a median that are infinite
    averaged: FloatArray | None = None  # [k], categories that a macro mean weighs alike


def _block_sums(
    scores: FloatArray,
    rows: npt.NDArray[np.int64],
    category: npt.NDArray[np.int64],
    category_count: int,
    clusters: Clusters,
) -> tuple[FloatArray, FloatArray]:
    values = scores[rows]
    present = ~np.isnan(values)
    key = (clusters.numbers[rows] * category_count + category)[present]
    size = clusters.count * category_count
    shape = (clusters.count, category_count)
    sums = np.bincount(key, weights=values[present], minlength=size).reshape(shape)
    counts = np.bincount(key, minlength=size).reshape(shape)
    return sums.astype(np.float64, copy=False), counts.astype(np.float64)


def _median_block(
    scores: FloatArray, stratum: Stratum, clusters: Clusters, labels: tuple[str, Metric, str | None]
) -> _Block:
    count = len(stratum.categories)
    block = _Block(*labels, stratum.categories, np.full(count, np.nan), np.zeros(count))
    block.intervals, block.unranked = np.full((count, 2), np.nan), np.zeros(count)
    counted = ~np.isnan(scores[stratum.rows])
    for k in range(count):
        rows = stratum.rows[counted & (stratum.category == k)]
        if not len(rows):
            continue
        values = scores[rows]
        block.rows[k], block.values[k] = len(rows), np.median(values)
        block.unranked[k] = np.isinf(values).sum()
        interval = median_interval(values, clusters.numbers[rows], clusters.count)
        if interval is not None:
            block.intervals[k] = interval
    return block


@dataclass(frozen=True, slots=True)
class _Crossed:
    """Rows of each category of one stratum, split by the j categories of another."""

    rows: npt.NDArray[np.int64]
    category: npt.NDArray[np.int64]  # k * j + the other's category
    across: int

    @classmethod
    def of(cls, stratum: Stratum, over: Stratum) -> _Crossed:
        """Pair each membership of a row with each of its memberships in the other stratum."""
        order = np.argsort(over.rows, kind="stable")
        sorted_rows = over.rows[order]
        first = np.searchsorted(sorted_rows, stratum.rows, side="left")
        counts = np.searchsorted(sorted_rows, stratum.rows, side="right") - first
        place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        others = over.category[order][np.repeat(first, counts) + place]
        across = len(over.categories)
        return cls(
            np.repeat(stratum.rows, counts),
            np.repeat(stratum.category, counts) * across + others,
            across,
        )


def _macro_block(
    scores: FloatArray,
    stratum: Stratum,
    over: Stratum,
    clusters: Clusters,
    labels: tuple[str, Metric, str | None],
    *,
    seed: int = 0,
) -> _Block:
    crossed = _Crossed.of(stratum, over)
    count = len(stratum.categories)
    sums, counts = _block_sums(
        scores, crossed.rows, crossed.category, count * crossed.across, clusters
    )
    shape = (clusters.count, count, crossed.across)
    sums, counts = sums.reshape(shape), counts.reshape(shape)
    totals = counts.sum(axis=0)
    present = totals > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(present, sums.sum(axis=0) / totals, 0.0)
        values = means.sum(axis=1) / present.sum(axis=1)
    counted = ~np.isnan(scores[crossed.rows])
    # A row in several of the other stratum's categories is one row.
    pairs = np.unique(
        np.stack([crossed.category[counted] // crossed.across, crossed.rows[counted]]), axis=1
    )
    rows = np.bincount(pairs[0], minlength=count).astype(np.float64)
    block = _Block(*labels, stratum.categories, values, rows)
    block.averaged = present.sum(axis=1).astype(np.float64)
    block.intervals = macro_intervals(sums, counts, seed=seed)
    return block


def _whole(row_count: int) -> Stratum:
    return Stratum(
        ("overall",), np.arange(row_count, dtype=np.int64), np.zeros(row_count, dtype=np.int64)
    )


def _over(metric: Metric, strata: Mapping[str, Stratum]) -> Stratum:
    if metric.over is None or metric.over not in strata:
        raise ValueError(f"{metric.key} is over {metric.over!r}, strata are {sorted(strata)}")
    return strata[metric.over]


def overall_value(
    metric: Metric, scores: FloatArray, strata: Mapping[str, Stratum]
) -> float | None:
    """One metric over all rows, without an interval; None where no row counts.

    Args:
        metric: the metric.
        scores: float64[n] its column.
        strata: where a macro mean finds its categories.
    """
    value = _values(metric, scores, _whole(len(scores)), strata)[0]
    return float(value) if np.isfinite(value) else None


def _values(
    metric: Metric, scores: FloatArray, stratum: Stratum, strata: Mapping[str, Stratum]
) -> FloatArray:
    """float64[k]: a metric in each category, NaN where no row counts."""
    alone = Clusters(np.zeros(len(scores), np.int64), 1, np.ones(len(scores), np.bool_))
    if metric.statistic == "median":
        return _median_block(scores, stratum, alone, ("", metric, None)).values
    if metric.statistic == "macro":
        over = _over(metric, strata)
        return _macro_block(scores, stratum, over, alone, ("", metric, None)).values
    sums, counts = _block_sums(
        scores, stratum.rows, stratum.category, len(stratum.categories), alone
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        means: FloatArray = sums[0] / counts[0]
    return means


def _entry(block: _Block, k: int) -> dict[str, Any]:
    interval = None
    if block.intervals is not None and np.isfinite(block.intervals[k]).all():
        interval = [float(block.intervals[k, 0]), float(block.intervals[k, 1])]
    entry = {
        "value": float(block.values[k]) if np.isfinite(block.values[k]) else None,
        "n": int(block.rows[k]),
        "interval": interval,
        "unit": block.metric.unit,
    }
    if block.unranked is not None:
        entry["unranked"] = int(block.unranked[k])
    if block.averaged is not None:
        entry["categories"] = int(block.averaged[k])
    return entry


def _blocks(
    rules: Mapping[str, RuleScores],
    strata: Mapping[str, Stratum],
    clusters: Clusters,
    seed: int,
    *,
    overall_only: bool = False,
) -> tuple[list[_Block], ConfidenceMethod]:
    groups: list[tuple[str | None, Stratum]] = [(None, _whole(len(clusters.numbers)))]
    if not overall_only:
        groups += strata.items()
    at_once = clusters.count <= MOST_BOOTSTRAP_CLUSTERS
    blocks: list[_Block] = []
    method = None
    for rule, scored in rules.items():
        for metric in scored.metrics:
            column = scored.columns[metric.key]
            for name, stratum in groups:
                labels = (rule, metric, name)
                if metric.statistic == "median":
                    blocks.append(_median_block(column, stratum, clusters, labels))
                    continue
                if metric.statistic == "macro":
                    over = _over(metric, strata)
                    blocks.append(_macro_block(column, stratum, over, clusters, labels, seed=seed))
                    continue
                sums, counts = _block_sums(
                    column,
                    stratum.rows,
                    stratum.category,
                    len(stratum.categories),
                    clusters,
                )
                rows = counts.sum(axis=0)
                with np.errstate(invalid="ignore", divide="ignore"):
                    means = sums.sum(axis=0) / rows
                block = _Block(rule, metric, name, stratum.categories, means, rows)
                if at_once:
                    block.cluster_sums, block.cluster_counts = sums, counts
                else:  # many clusters: keep no matrix over all metrics
                    block.intervals, method = ratio_intervals(sums, counts, seed=seed)
                blocks.append(block)
    stackable = [block for block in blocks if block.cluster_sums is not None]
    if stackable:
        stacked = [
            np.concatenate(parts, axis=1)
            for parts in (
                [b.cluster_sums for b in stackable if b.cluster_sums is not None],
                [b.cluster_counts for b in stackable if b.cluster_counts is not None],
            )
        ]
        intervals, method = ratio_intervals(stacked[0], stacked[1], seed=seed)
        first = 0
        for block in stackable:
            block.intervals = intervals[first : first + len(block.categories)]
            first += len(block.categories)
    if method is None:
        method = ConfidenceMethod("none", 0.95, clusters.count, None, None)
    return blocks, method


def summarize(
    rules: Mapping[str, RuleScores],
    strata: Mapping[str, Stratum],
    clusters: Clusters,
    *,
    seed: int = 0,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values, denominators and intervals of every rule set, overall and by stratum.

    Args:
        rules: per rule set, its metrics and their float64[n] columns (NaN: not in the denominator).
        strata: per stratum, its memberships.
        clusters: the cluster of each row.
        seed: of the bootstrap.

    Returns:
        ``{rule: {"overall": {...}, "strata": {...}}}`` as in result.json, and the description of
        how intervals were made. Overall metrics also carry ``interval_unclustered``, which ignores
        that rows share videos: where it is much narrower, rows of one video rise and fall together.
        Every entry of a rule set with rows that wait for a judge carries ``value_if_all_right``.
    """
    blocks, method = _blocks(rules, strata, clusters, seed)
    report: dict[str, Any] = {
        rule: {"overall": {}, "strata": {name: {} for name in strata}} for rule in rules
    }
    for block in blocks:
        target = report[block.rule]
        if block.stratum is None:
            target["overall"][block.metric.key] = _entry(block, 0)
            continue
        by_category = target["strata"][block.stratum]
        for k, category in enumerate(block.categories):
            by_category.setdefault(category, {})[block.metric.key] = _entry(block, k)
    described: dict[str, Any] = method.as_dict()
    if any(block.metric.statistic == "median" for block in blocks):
        described["median"] = MEDIAN_METHOD
    if clusters.count < np.count_nonzero(clusters.active):
        plain, plain_method = _blocks(rules, strata, clusters.each_row(), seed, overall_only=True)
        for block in plain:
            entry = report[block.rule]["overall"][block.metric.key]
            entry["interval_unclustered"] = _entry(block, 0)["interval"]
        described["unclustered"] = plain_method.as_dict()
    for rule, scored in rules.items():
        if scored.if_all_right is not None:
            _add_upper_bounds(report[rule], scored.metrics, scored.if_all_right, strata)
    return report, described


def _add_upper_bounds(
    report: dict[str, Any],
    metrics: tuple[Metric, ...],
    columns: Mapping[str, FloatArray],
    strata: Mapping[str, Stratum],
) -> None:
    """Put ``value_if_all_right`` beside every value of one rule set."""
    for metric in metrics:
        column = columns[metric.key]
        report["overall"][metric.key]["value_if_all_right"] = overall_value(metric, column, strata)
        for name, stratum in strata.items():
            values = _values(metric, column, stratum, strata)
            for category, value in zip(stratum.categories, values.tolist(), strict=True):
                shown = value if np.isfinite(value) else None
                report["strata"][name][category][metric.key]["value_if_all_right"] = shown


def contrast(
    scores: FloatArray, stratum: Stratum, a: str, b: str, clusters: Clusters, *, seed: int = 0
) -> dict[str, Any]:
    """Mean of category `a` minus mean of category `b`, with its 95 % interval.

    Args:
        scores: float64[n] of one metric.
        stratum: holds both categories.
        a: first category.
        b: second category.
        clusters: the cluster of each row.
        seed: of the bootstrap.

    Returns:
        ``value`` and ``interval``, both None where a category has no row.
    """
    if a not in stratum.categories or b not in stratum.categories:
        return {"value": None, "interval": None}
    sums, counts = _block_sums(
        scores, stratum.rows, stratum.category, len(stratum.categories), clusters
    )
    pair = [stratum.categories.index(a), stratum.categories.index(b)]
    sums, counts = sums[:, pair], counts[:, pair]
    totals = counts.sum(axis=0)
    if not totals.all():
        return {"value": None, "interval": None}
    means = sums.sum(axis=0) / totals
    interval = difference_interval(sums, counts, seed=seed)
    return {
        "value": float(means[0] - means[1]),
        "interval": None if interval is None else list(interval),
    }
