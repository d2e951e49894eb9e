"""Intervals of a mean over clusters: coverage, agreement of the two methods, edge cases."""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench.results._confidence import (
    MOST_BOOTSTRAP_CLUSTERS,
    difference_interval,
    ratio_intervals,
)


def clustered(generator, clusters, rows, between):
    """Correct or not, with a chance that varies by cluster: sums and counts [clusters, 1]."""
    chance = np.clip(0.6 + between * generator.standard_normal(clusters), 0, 1)
    correct = generator.random((clusters, rows)) < chance[:, None]
    return correct.sum(axis=1, keepdims=True).astype(float), np.full((clusters, 1), float(rows))


def coverage(trials, *, cluster_rows):
    """Share of trials whose interval holds the true mean, 0.6."""
    generator = np.random.default_rng(5)
    hits = 0
    for _ in range(trials):
        sums, counts = clustered(generator, 60, 10, 0.2)
        if not cluster_rows:  # as if every row stood alone
            rows = np.concatenate(
                [np.r_[np.ones(int(s)), np.zeros(10 - int(s))] for s in sums[:, 0]]
            )
            sums, counts = rows[:, None], np.ones((600, 1))
        intervals, _ = ratio_intervals(sums, counts, resamples=300)
        hits += intervals[0, 0] <= 0.6 <= intervals[0, 1]
    return hits / trials


def test_clustered_intervals_cover_and_plain_ones_fall_short():
    with_clusters = coverage(400, cluster_rows=True)
    without = coverage(400, cluster_rows=False)
    assert 0.91 <= with_clusters <= 0.98
    assert without < with_clusters - 0.1


def test_same_seed_same_interval_and_another_seed_another():
    sums, counts = clustered(np.random.default_rng(1), 50, 8, 0.2)
    first, method = ratio_intervals(sums, counts, seed=3)
    again, _ = ratio_intervals(sums, counts, seed=3)
    other, _ = ratio_intervals(sums, counts, seed=4)
    assert (first == again).all()
    assert (first != other).any()
    assert method.as_dict() == {
        "name": "cluster bootstrap, percentile",
        "level": 0.95,
        "clusters": 50,
        "resamples": 1000,
        "seed": 3,
    }


def test_a_metric_does_not_depend_on_its_neighbours():
    generator = np.random.default_rng(2)
    sums, counts = clustered(generator, 40, 5, 0.2)
    alone, _ = ratio_intervals(sums, counts)
    more = np.concatenate([sums, generator.random((40, 3))], axis=1)
    beside, _ = ratio_intervals(more, np.concatenate([counts, np.ones((40, 3))], axis=1))
    np.testing.assert_allclose(alone[0], beside[0], rtol=1e-12)


def test_many_clusters_use_the_normal_interval_and_it_agrees_with_the_bootstrap():
    generator = np.random.default_rng(7)
    sums, counts = clustered(generator, MOST_BOOTSTRAP_CLUSTERS + 1, 3, 0.2)
    normal, method = ratio_intervals(sums, counts)
    bootstrap, _ = ratio_intervals(sums[:-1], counts[:-1])
    assert method.name == "cluster-robust normal"
    assert method.seed is None
    np.testing.assert_allclose(normal, bootstrap, atol=2e-3)


def test_normal_interval_equals_the_textbook_formula_for_single_rows():
    generator = np.random.default_rng(8)
    values = (generator.random(20_000) < 0.3).astype(float)
    intervals, _ = ratio_intervals(values[:, None], np.ones((20_000, 1)))
    half_width = 1.959963984540054 * values.std(ddof=1) / np.sqrt(20_000)
    np.testing.assert_allclose(
        intervals[0], [values.mean() - half_width, values.mean() + half_width], rtol=1e-9
    )


@pytest.mark.parametrize("clusters", [1, 12_000])
def test_fewer_than_two_clusters_with_rows_give_no_interval(clusters):
    sums, counts = np.zeros((clusters, 1)), np.zeros((clusters, 1))
    sums[0], counts[0] = 1.0, 2.0
    intervals, _ = ratio_intervals(sums, counts)
    assert np.isnan(intervals).all()


def test_difference_of_identical_columns_is_exactly_zero():
    sums, counts = clustered(np.random.default_rng(3), 30, 6, 0.2)
    both = np.repeat(sums, 2, axis=1), np.repeat(counts, 2, axis=1)
    assert difference_interval(*both) == (0.0, 0.0)


@pytest.mark.parametrize("clusters", [400, 10_400])
def test_difference_interval_covers_the_difference(clusters):
    generator = np.random.default_rng(4)
    sums, counts = clustered(generator, clusters, 5, 0.2)
    shifted = np.concatenate([sums, sums - counts * 0.25], axis=1)
    low, high = difference_interval(shifted, np.repeat(counts, 2, axis=1))
    assert low == pytest.approx(0.25)
    assert high == pytest.approx(0.25)


def test_difference_needs_both_sides():
    sums = np.array([[1.0, 0.0], [1.0, 1.0]])
    counts = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert difference_interval(sums, counts) is None
