"""Macro means: the mean of the means of a stratum's categories, and its interval."""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench.results._confidence import MOST_BOOTSTRAP_CLUSTERS, macro_intervals
from fastvbench.results._metrics import ACCURACY, Metric, macro_accuracy, macro_mean
from fastvbench.results._strata import Stratum
from fastvbench.results._summary import Clusters, RuleScores, overall_value, summarize

MACRO = macro_accuracy("task")


def macro_rule(scores, upper=None):
    column = np.array(scores, dtype=float)
    columns = {"accuracy": column, "macro_accuracy": column}
    bound = None
    if upper is not None:
        bound = dict.fromkeys(columns, np.array(upper, dtype=float))
    return {"r": RuleScores((MACRO, ACCURACY), columns, bound)}


def summary(scores, tasks, names=None, upper=None, **strata):
    strata = {"task": Stratum.single(tasks), **strata}
    clusters = Clusters.of(names or [str(i) for i in range(len(scores))])
    return summarize(macro_rule(scores, upper), strata, clusters)


def test_each_category_weighs_the_same():
    report, _ = summary([1, 1, 1, 1, 0, 0], ["a", "a", "a", "a", "b", "b"])
    overall = report["r"]["overall"]
    assert overall["macro_accuracy"]["value"] == 0.5
    assert overall["macro_accuracy"]["n"] == 6
    assert overall["macro_accuracy"]["categories"] == 2
    assert overall["accuracy"]["value"] == pytest.approx(4 / 6)


def test_categories_without_a_counted_row_leave_the_mean():
    report, _ = summary([1, 0, np.nan], ["a", "a", "b"])
    entry = report["r"]["overall"]["macro_accuracy"]
    assert (entry["value"], entry["n"], entry["categories"]) == (0.5, 2, 1)


def test_nothing_counted_has_no_value():
    report, _ = summary([np.nan, np.nan], ["a", "b"])
    entry = report["r"]["overall"]["macro_accuracy"]
    assert (entry["value"], entry["n"], entry["interval"]) == (None, 0, None)


def test_a_row_of_several_categories_is_one_row():
    column = np.array([1.0, 0.0])
    strata = {"task": Stratum.multiple([["a", "b"], ["b"]])}
    rules = {"r": RuleScores((MACRO, ACCURACY), {"accuracy": column, "macro_accuracy": column})}
    report, _ = summarize(rules, strata, Clusters.of(["v", "w"]))
    entry = report["r"]["overall"]["macro_accuracy"]
    assert entry["value"] == pytest.approx((1.0 + 0.5) / 2)
    assert entry["n"] == 2


def test_strata_hold_the_macro_mean_of_their_own_rows():
    length = Stratum.single(["short", "short", "short", "long", "long"])
    report, _ = summary([1, 1, 0, 0, 1], ["a", "a", "b", "a", "b"], length=length)
    by_length = report["r"]["strata"]["length"]
    assert by_length["short"]["macro_accuracy"]["value"] == 0.5
    assert by_length["long"]["macro_accuracy"]["value"] == 0.5
    by_task = report["r"]["strata"]["task"]
    assert by_task["a"]["macro_accuracy"]["value"] == by_task["a"]["accuracy"]["value"]


def test_both_intervals_stand_beside_the_value_when_rows_share_clusters():
    scores = np.repeat([1.0, 0.0, 1.0, 0.0, 1.0, 1.0], 20)
    tasks = ["a", "b", "b", "b"] * 30
    names = np.repeat(list("uvwxyz"), 20).tolist()
    report, _ = summary(scores, tasks, names)
    entry = report["r"]["overall"]["macro_accuracy"]
    clustered = entry["interval"][1] - entry["interval"][0]
    plain = entry["interval_unclustered"][1] - entry["interval_unclustered"][0]
    assert clustered > 2 * plain


def test_one_category_of_equal_rows_has_the_interval_of_the_mean():
    generator = np.random.default_rng(3)
    scores = (generator.random(400) < 0.7).astype(float)
    names = [str(i // 4) for i in range(400)]
    report, _ = summary(scores, ["a"] * 400, names)
    overall = report["r"]["overall"]
    assert overall["macro_accuracy"]["interval"] == pytest.approx(overall["accuracy"]["interval"])


def simulated_coverage(trials, clusters):
    """Share of trials whose interval holds the true macro mean of two unequal categories."""
    generator = np.random.default_rng(11)
    hits = 0
    for _ in range(trials):
        drift = 0.15 * generator.standard_normal(clusters)
        counts = np.stack([np.full(clusters, 8.0), np.full(clusters, 1.0)], axis=1)
        chance = np.clip(np.array([0.7, 0.4]) + drift[:, None], 0, 1)
        sums = generator.binomial(counts.astype(int), chance).astype(float)
        low, high = macro_intervals(sums[:, None], counts[:, None], resamples=300)[0]
        hits += low <= 0.55 <= high
    return hits / trials


def test_intervals_hold_the_true_value_about_95_times_of_100():
    assert 0.90 <= simulated_coverage(300, 60) <= 0.985


def test_many_clusters_give_nearly_the_bootstrap_interval():
    generator = np.random.default_rng(2)
    clusters = MOST_BOOTSTRAP_CLUSTERS
    counts = generator.integers(0, 3, size=(clusters, 1, 3)).astype(float)
    sums = generator.binomial(counts.astype(int), [0.2, 0.5, 0.8]).astype(float)
    bootstrap = macro_intervals(sums, counts)
    one_more = [np.concatenate([part, np.zeros((1, 1, 3))]) for part in (sums, counts)]
    np.testing.assert_allclose(bootstrap, macro_intervals(*one_more), atol=0.002)


def test_one_cluster_has_no_interval():
    assert np.isnan(macro_intervals(np.ones((1, 1, 2)), np.ones((1, 1, 2)))).all()


def test_value_if_all_right_is_the_same_mean_of_the_other_column():
    report, _ = summary([1, 0, 0, 0], ["a", "a", "b", "b"], upper=[1, 1, 0, 0])
    overall = report["r"]["overall"]
    assert overall["macro_accuracy"]["value_if_all_right"] == 0.5
    assert overall["accuracy"]["value_if_all_right"] == 0.5
    by_task = report["r"]["strata"]["task"]
    assert by_task["a"]["accuracy"]["value_if_all_right"] == 1.0
    assert by_task["b"]["accuracy"]["value_if_all_right"] == 0.0


def test_a_macro_mean_needs_its_stratum():
    with pytest.raises(ValueError, match="macro_accuracy is over 'task', strata are"):
        overall_value(MACRO, np.ones(2), {})
    with pytest.raises(ValueError, match="with over=None"):
        Metric("x", "x", statistic="macro")


def test_macro_means_keep_how_a_metric_is_shown():
    metric = macro_mean(Metric("mean_iou", "mIoU %", unit="iou", decimals=1), "task")
    assert (metric.key, metric.base, metric.unit, metric.decimals) == (
        "macro_mean_iou",
        "mean_iou",
        "iou",
        1,
    )
