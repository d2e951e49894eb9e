"""Is one model really better than another? Paired differences, clustered by video, corrected."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from fastvbench.results._comparison import Comparison
from fastvbench.results._comparison_inputs import (
    check_protocols,
    chosen_metric,
    chosen_rule,
    shared_metrics,
)
from fastvbench.results._comparison_words import pair_words
from fastvbench.results._confidence import paired_differences
from fastvbench.results._entrants import (
    Entrant,
    ModelSource,
    PairedRows,
    open_entrants,
    paired_rows,
)
from fastvbench.results._significance import holm, mcnemar_exact
from fastvbench.results._strata import Stratum
from fastvbench.results._summary import Clusters, RuleScores, overall_value, summarize
from fastvbench.results._ties import TIE_GROUPS_DEFINITION, tie_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastvbench.results._metrics import Metric

__all__ = ["compare"]

FloatArray = npt.NDArray[np.float64]

SCHEMA = 1
SIGNIFICANCE = 0.05
FEW_CLUSTERS = 20


def compare(
    a: ModelSource,
    b: ModelSource,
    *more: ModelSource,
    rule: str | None = None,
    metric: str | None = None,
    setting: str | None = None,
    pairs: Literal["all", "first"] = "all",
    every_metric: bool = True,
    names: Sequence[str] | None = None,
    mixed: bool = False,
    seed: int = 0,
) -> Comparison:
    """Compare models on the questions that they share.

    A difference is the mean of each question's difference; its 95 % interval resamples whole
    videos, which both models answered, so what makes a video easy or hard cancels out. Where each
    question is right or wrong, McNemar's exact test stands beside it. Over several pairs, p-values
    are corrected by Holm's method.

    Args:
        a: a result: the path of result.json, its samples file or a run folder, a `Result` with
            samples, or a list of these: runs of one model that differ in nothing but the seed.
        b: another.
        more: further ones.
        rule: rule set to compare by; None for the main one of the first result.
        metric: metric that decides; None for the main one.
        setting: input setting to compare, where results have several; None for the main one.
        pairs: ``all`` pairs of models, or each against the ``first`` (a baseline).
        every_metric: compare every metric, not only the one that decides.
        names: what the models are called; None for the names of files or folders.
        mixed: compare results of different protocol versions, or of annotations that differ.
        seed: of the resampling.

    Returns:
        The Comparison; ``comparison.data`` is what ``fastvbench compare -o`` writes.

    Raises:
        InputError: results of different benchmarks, of different protocol versions or annotations
            (unless `mixed`), without rows, or without the rule set or metric.

    Example:
        >>> compare("a/result.json", "b/result.json").words()  # doctest: +SKIP
        ['a and b are statistically tied in acc %: 45.1 against 44.0, ...']
    """
    entrants = open_entrants([a, b, *more], names=names, setting=setting)
    warnings = check_protocols(entrants, mixed=mixed)
    chosen = chosen_rule(entrants, rule)
    metrics = {
        key: m for key, m in shared_metrics(entrants, chosen).items() if m.statistic != "median"
    }
    main = chosen_metric(entrants, metrics, chosen, metric)
    if not every_metric:
        metrics = {main: metrics[main]}
    wanted = (
        list(itertools.combinations(range(len(entrants)), 2))
        if pairs == "all"
        else [(0, other) for other in range(1, len(entrants))]
    )
    judge = _Judge(chosen, metrics, main, seed=seed, mixed=mixed)
    compared = [judge.pair(entrants[i], entrants[j]) for i, j in wanted]
    _correct(compared)
    for entry in compared:
        entry["words"] = pair_words(entry, metrics[main], comparisons=len(compared))
    models = [_model(entrant, chosen, metrics, seed) for entrant in entrants]
    first = entrants[0].first.result
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "comparison",
        "protocol": dict(first["protocol"]),
        "rule": chosen,
        "metric": main,
        "metrics": {key: first["metrics"][key] for key in metrics},
        "models": models,
        "pairs": compared,
        "interval_method": judge.method,
        "correction": {"name": "Holm", "comparisons": len(compared), "level": SIGNIFICANCE},
        "warnings": warnings + judge.warnings,
        "environment": first["environment"],
    }
    used_setting = entrants[0].first.settings
    if used_setting is not None:
        data["setting"] = used_setting[0]
    if pairs == "all":
        data["tie_groups"] = _groups(models, compared, main)
        data["tie_groups_definition"] = TIE_GROUPS_DEFINITION
    return Comparison(data, {key: metrics[key] for key in metrics})


@dataclass(slots=True)
class _Pair:
    """Two models, and where they meet."""

    a: Entrant
    b: Entrant
    rows: PairedRows
    clusters: Clusters
    strata: dict[str, Stratum]


class _Judge:
    """Compares pairs of models by one rule set."""

    def __init__(
        self, rule: str, metrics: Mapping[str, Metric], main: str, *, seed: int, mixed: bool
    ) -> None:
        self._rule, self._metrics, self._main = rule, metrics, main
        self._seed, self._mixed = seed, mixed
        self.warnings: list[str] = []
        self.method: dict[str, Any] = {}

    def pair(self, a: Entrant, b: Entrant) -> dict[str, Any]:
        """One entry of ``pairs``."""
        rows = paired_rows(a, b, mixed=self._mixed)
        table = a.first.take(rows.rows)
        pair = _Pair(a, b, rows, Clusters.of(table.clusters), table.strata)
        both = {
            key: (a.means(self._rule, key, rows.ids), b.means(self._rule, key, rows.ids))
            for key in self._metrics
        }
        if pair.clusters.count < FEW_CLUSTERS:
            self.warnings.append(
                f"{a.name} and {b.name} share {pair.clusters.count} videos: with fewer than "
                f"{FEW_CLUSTERS}, intervals are too narrow"
            )
        if rows.only_a or rows.only_b:
            self.warnings.append(
                f"{rows.only_a:,} questions are only in {a.name}, {rows.only_b:,} only in {b.name}:"
                " they are not compared"
            )
        entry: dict[str, Any] = {
            "a": a.name,
            "b": b.name,
            "rows": len(rows.ids),
            "videos": pair.clusters.count,
            "only_in_a": rows.only_a,
            "only_in_b": rows.only_b,
        }
        entry["metrics"], entry["strata"] = self._differences(pair, both)
        flipped = self._flips(pair, both)
        if flipped is not None:
            entry["flips"] = flipped
        return entry

    def _differences(
        self, pair: _Pair, both: Mapping[str, tuple[FloatArray, FloatArray]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Entries by metric, and of the deciding one by stratum and category, without p-values."""
        entries = {key: self._values(pair, self._metrics[key], *both[key]) for key in both}
        differences = {key: a - b for key, (a, b) in both.items()}  # NaN where either is
        whole = _one_category(len(pair.rows.ids))
        blocks: list[tuple[dict[str, Any], FloatArray, FloatArray]] = []
        for key, metric in self._metrics.items():
            if metric.over is None:
                blocks.append((entries[key], *_cluster_sums(differences[key], whole, pair)))
                continue
            over = pair.strata[metric.over]
            sums, counts = _cluster_sums(differences[key], over, pair)
            self._estimate([(entries[key], sums, counts)], categories=len(over.categories))
        by_stratum: dict[str, Any] = {}
        for name, stratum in pair.strata.items():
            sums, counts = _cluster_sums(differences[self._main], stratum, pair)
            by_stratum[name] = {}
            for k, category in enumerate(stratum.categories):
                total = float(counts[:, k].sum())
                entry = {
                    "difference": float(sums[:, k].sum()) / total if total else None,
                    "n": int(total),
                }
                by_stratum[name][category] = entry
                blocks.append((entry, sums[:, k : k + 1], counts[:, k : k + 1]))
        self._estimate(blocks)
        for entry in (e for categories in by_stratum.values() for e in categories.values()):
            del entry["p"]  # of so many, uncorrected ones mislead
        return entries, by_stratum

    def _estimate(
        self, blocks: list[tuple[dict[str, Any], FloatArray, FloatArray]], *, categories: int = 1
    ) -> None:
        """Put interval and p-value into each block's entry; all see the same resamples."""
        estimate = paired_differences(
            np.concatenate([sums for _, sums, _ in blocks], axis=1),
            np.concatenate([counts for *_, counts in blocks], axis=1),
            categories=categories,
            seed=self._seed,
        )
        self.method = estimate.method.as_dict()
        for (entry, *_), interval, p in zip(
            blocks, estimate.intervals, estimate.p.tolist(), strict=True
        ):
            known = bool(np.isfinite(interval).all())
            entry["interval"] = interval.tolist() if known else None
            entry["p"] = p if known else None

    def _values(self, pair: _Pair, metric: Metric, a: FloatArray, b: FloatArray) -> dict[str, Any]:
        """One metric on the rows that count for both models, and McNemar's test of letters."""
        counted = ~np.isnan(a) & ~np.isnan(b)
        entry: dict[str, Any] = {
            "a": overall_value(metric, np.where(counted, a, np.nan), pair.strata),
            "b": overall_value(metric, np.where(counted, b, np.nan), pair.strata),
            "difference": overall_value(metric, np.where(counted, a - b, np.nan), pair.strata),
            "n": int(counted.sum()),
        }
        only_one = int((np.isnan(a) != np.isnan(b)).sum())
        if only_one:
            entry["counted_for_one_only"] = only_one
        if metric.statistic == "mean" and _is_binary(a[counted]) and _is_binary(b[counted]):
            test = mcnemar_exact(a[counted] > 0, b[counted] > 0)
            entry["mcnemar"] = {"only_a": test.only_a, "only_b": test.only_b, "p": test.p}
        return entry

    def _flips(
        self, pair: _Pair, both: Mapping[str, tuple[FloatArray, FloatArray]]
    ) -> dict[str, Any] | None:
        """Rows that one model alone has right, by the first metric that is right or wrong."""
        order = [self._main, *("recall@0.5" for key in both if key == "recall@0.5"), *both]
        for key in order:
            a, b = both[key]
            counted = ~np.isnan(a) & ~np.isnan(b)
            if self._metrics[key].statistic != "mean" or not counted.any():
                continue
            if _is_binary(a[counted]) and _is_binary(b[counted]):
                right_a, right_b = counted & (a > 0), counted & (b > 0)
                return {
                    "metric": key,
                    "both_right": int((right_a & right_b).sum()),
                    "both_wrong": int((counted & ~right_a & ~right_b).sum()),
                    "only_a": self._flipped(pair, right_a & ~right_b),
                    "only_b": self._flipped(pair, right_b & ~right_a),
                }
        return None

    def _flipped(self, pair: _Pair, chosen: npt.NDArray[np.bool_]) -> list[dict[str, Any]]:
        flipped = []
        rules = pair.a.first.rules[self._rule], pair.b.first.rules[self._rule]
        for place in np.flatnonzero(chosen).tolist():
            ident = pair.rows.ids[place]
            in_a, in_b = pair.a.row_of_id[0][ident], pair.b.row_of_id[0][ident]
            flipped.append(
                {
                    "id": ident,
                    "cluster": pair.a.first.clusters[in_a],
                    "a": rules[0].reads[in_a],
                    "b": rules[1].reads[in_b],
                }
            )
        return flipped


def _one_category(row_count: int) -> Stratum:
    return Stratum(
        ("overall",), np.arange(row_count, dtype=np.int64), np.zeros(row_count, dtype=np.int64)
    )


def _cluster_sums(
    differences: FloatArray, stratum: Stratum, pair: _Pair
) -> tuple[FloatArray, FloatArray]:
    """float64[c, k] sums and counts of each category's differences in each video."""
    values, clusters = differences[stratum.rows], pair.clusters
    present = ~np.isnan(values)
    width = len(stratum.categories)
    key = (clusters.numbers[stratum.rows] * width + stratum.category)[present]
    size, shape = clusters.count * width, (clusters.count, width)
    sums = np.bincount(key, weights=values[present], minlength=size).reshape(shape)
    counts = np.bincount(key, minlength=size).reshape(shape)
    return sums.astype(np.float64), counts.astype(np.float64)


def _is_binary(column: FloatArray) -> bool:
    return bool(np.isin(column, (0.0, 1.0)).all())


def _correct(compared: list[dict[str, Any]]) -> None:
    """Put Holm's p-values and the verdict on each metric beside the differences."""
    for key in compared[0]["metrics"]:
        entries = [entry["metrics"][key] for entry in compared]
        for entry, p in zip(entries, holm([e["p"] for e in entries]), strict=True):
            entry["p_holm"] = p
            entry["tied"] = None if p is None else p >= SIGNIFICANCE
        tests = [e["mcnemar"]["p"] if "mcnemar" in e else None for e in entries]
        for entry, p in zip(entries, holm(tests), strict=True):
            if p is not None:
                entry["mcnemar"]["p_holm"] = p


def _model(entrant: Entrant, rule: str, metrics: Mapping[str, Metric], seed: int) -> dict[str, Any]:
    """One entry of ``models``: its values with intervals, and the spread over its runs."""
    table = entrant.first
    columns = {key: entrant.means(rule, key, table.ids) for key in metrics}
    summed, _ = summarize(
        {rule: RuleScores(tuple(metrics.values()), columns)},
        {m.over: table.strata[m.over] for m in metrics.values() if m.over is not None},
        Clusters.of(table.clusters),
        seed=seed,
    )
    entry: dict[str, Any] = {
        "name": entrant.name,
        "result": table.name,
        "version": table.result["protocol"]["version"],
        "fingerprint": table.result["protocol"]["fingerprint"],
        "overall": summed[rule]["overall"],
    }
    if len(entrant.runs) > 1:
        entry["runs"] = dict(_spreads(entrant, rule, metrics))
    return entry


def _spreads(
    entrant: Entrant, rule: str, metrics: Mapping[str, Metric]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Mean and standard deviation over runs, by metric."""
    for key, metric in metrics.items():
        values = [
            value
            for run in entrant.runs
            for value in [overall_value(metric, run.rules[rule].scores[key], run.strata)]
            if value is not None
        ]
        if values:
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
            yield key, {"mean": float(np.mean(values)), "std": spread, "values": values}


def _groups(
    models: list[dict[str, Any]], compared: list[dict[str, Any]], main: str
) -> list[list[str]]:
    """Tie groups of the models, by the metric that decides."""
    tied = {
        frozenset((entry["a"], entry["b"])): entry["metrics"][main]["tied"] is not False
        for entry in compared
    }

    def value(model: dict[str, Any]) -> float:
        held = model["overall"][main]["value"]
        return -np.inf if held is None else float(held)

    ranked = [m["name"] for m in sorted(models, key=value, reverse=True)]
    return tie_groups(ranked, lambda leader, other: tied[frozenset((leader, other))])
