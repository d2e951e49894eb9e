"""Values, denominators and strata of summaries."""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench.results._metrics import ACCURACY, Metric
from fastvbench.results._strata import Stratum
from fastvbench.results._summary import Clusters, RuleScores, contrast, summarize


def rule(scores):
    return {"r": RuleScores((ACCURACY,), {"accuracy": np.array(scores, dtype=float)})}


def test_rows_of_nan_leave_the_denominator():
    report, _ = summarize(rule([1, 0, np.nan, 1]), {}, Clusters.of(["a", "b", "c", "d"]))
    entry = report["r"]["overall"]["accuracy"]
    assert entry["value"] == pytest.approx(2 / 3)
    assert entry["n"] == 3
    assert entry["unit"] == "fraction"


def test_no_row_in_the_denominator_has_no_value_and_no_interval():
    report, _ = summarize(rule([np.nan, np.nan]), {}, Clusters.of(["a", "b"]))
    assert report["r"]["overall"]["accuracy"]["value"] is None
    assert report["r"]["overall"]["accuracy"]["n"] == 0
    assert report["r"]["overall"]["accuracy"]["interval"] is None


def test_a_row_counts_in_each_of_its_categories():
    strata = {"type": Stratum.multiple([["x", "y"], ["x"], []], order=("y", "x"))}
    report, _ = summarize(rule([1, 0, 1]), strata, Clusters.of(["a", "b", "c"]))
    by_type = report["r"]["strata"]["type"]
    assert list(by_type) == ["y", "x", "unknown"]
    assert [by_type[name]["accuracy"]["n"] for name in by_type] == [1, 2, 1]
    assert by_type["x"]["accuracy"]["value"] == 0.5


def test_rows_that_share_clusters_get_both_intervals():
    scores = np.repeat([1.0, 0.0, 1.0, 0.0, 1.0, 1.0], 20)
    names = np.repeat(list("abcdef"), 20).tolist()
    report, method = summarize(rule(scores), {}, Clusters.of(names))
    entry = report["r"]["overall"]["accuracy"]
    clustered = entry["interval"][1] - entry["interval"][0]
    plain = entry["interval_unclustered"][1] - entry["interval_unclustered"][0]
    assert clustered > 2 * plain
    assert method["clusters"] == 6
    assert method["unclustered"]["clusters"] == 120


def test_rows_in_clusters_of_their_own_need_no_second_interval():
    report, method = summarize(rule([1, 0, 1]), {}, Clusters.of(["a", "b", "c"]))
    assert "interval_unclustered" not in report["r"]["overall"]["accuracy"]
    assert "unclustered" not in method


def test_many_clusters_give_the_same_values_as_few():
    generator = np.random.default_rng(0)
    scores = (generator.random(30_000) < 0.4).astype(float)
    types = [["x"] if i % 3 else ["y", "x"] for i in range(30_000)]
    strata = {"type": Stratum.multiple(types)}
    many, method = summarize(
        rule(scores), strata, Clusters.of([str(i // 2) for i in range(30_000)])
    )
    few, _ = summarize(rule(scores), strata, Clusters.of([str(i // 30) for i in range(30_000)]))
    assert method["name"] == "cluster-robust normal"
    for place in ("x", "y"):
        left = many["r"]["strata"]["type"][place]["accuracy"]
        right = few["r"]["strata"]["type"][place]["accuracy"]
        assert left["value"] == pytest.approx(right["value"])
        np.testing.assert_allclose(left["interval"], right["interval"], atol=0.02)


def test_contrast_is_a_difference_of_means():
    stratum = Stratum.single(["a", "a", "b", "b"])
    scores = np.array([1.0, 0.0, 1.0, 1.0])
    result = contrast(scores, stratum, "a", "b", Clusters.of(["v", "w", "v", "w"]))
    assert result["value"] == -0.5
    assert result["interval"] == pytest.approx([-1.0, 0.0])
    assert contrast(scores, stratum, "a", "z", Clusters.of(list("vwvw")))["value"] is None


def test_metric_shows_scaled_decimals():
    assert Metric("m", "m").shown(0.47644) == "47.64"
    assert Metric("m", "m", scale=1.0, decimals=3).shown(0.47644) == "0.476"
    assert Metric("m", "m").shown(None) == "-"


def test_a_subset_has_the_intervals_of_its_rows_alone():
    scores = np.array([1, 0, 1, 1, 0, 1, 0, 0], dtype=np.float64)
    names = list("aabbccdd")
    active = np.array([1, 1, 0, 0, 1, 1, 0, 0], dtype=np.bool_)
    inside, method = summarize(
        rule(np.where(active, scores, np.nan)), {}, Clusters.of(names, active)
    )
    alone, method_alone = summarize(
        rule(scores[active]), {}, Clusters.of([n for n, a in zip(names, active, strict=True) if a])
    )
    assert inside == alone
    assert method == method_alone
    assert method["clusters"] == 2


def test_a_median_has_its_interval_and_counts_what_has_no_rank():
    metric = Metric("median_rank", "MedR", unit="rank", scale=1.0, statistic="median")
    ranks = np.array([1.0, 2.0, 3.0, 4.0, np.inf, np.nan])
    names = ["a", "b", "c", "d", "e", "f"]
    report, method = summarize(
        {"r": RuleScores((metric,), {"median_rank": ranks})}, {}, Clusters.of(names)
    )
    entry = report["r"]["overall"]["median_rank"]
    assert (entry["value"], entry["n"], entry["unranked"]) == (3.0, 5, 1)
    assert entry["interval"] is None  # its upper end is infinite
    assert method["median"].startswith("Woodruff")


def test_a_median_beyond_everything_has_no_value():
    metric = Metric("median_rank", "MedR", statistic="median")
    column = np.array([1.0, np.inf, np.inf])
    report, _ = summarize(
        {"r": RuleScores((metric,), {"median_rank": column})}, {}, Clusters.of(["a", "b", "c"])
    )
    assert report["r"]["overall"]["median_rank"]["value"] is None


def test_rows_of_one_cluster_widen_the_interval_of_a_median():
    metric = Metric("median_rank", "MedR", statistic="median")
    column = np.repeat(np.arange(1.0, 41.0), 10)
    wide, _ = summarize(
        {"r": RuleScores((metric,), {"median_rank": column})},
        {},
        Clusters.of([str(row // 10) for row in range(400)]),
    )
    entry = wide["r"]["overall"]["median_rank"]
    low, high = entry["interval"]
    near_low, near_high = entry["interval_unclustered"]
    assert low < near_low <= entry["value"] <= near_high < high
    # 40 clusters of equal ranks: the interval of a share of one half among 40.
    assert (low, high) == (14.0, 27.0)
