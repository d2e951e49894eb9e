"""Do 95 % intervals hold what they promise, where questions share videos?

Videos are easy or hard, and differ in how many questions they have, as in LVBench: 100 videos of
5 to 25 questions. Each of 2,000 trials is one column, so that one call makes all intervals. The
trials share the resamples, which moves none of them on average.
"""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench.results._confidence import paired_differences, ratio_intervals

TRIALS, VIDEOS = 2_000, 100
SHARE = 0.45


@pytest.fixture(scope="module")
def world():
    """Right answers of two equally good models: float64[n, trials] each, and each row's video."""
    generator = np.random.default_rng(11)
    video = np.repeat(np.arange(VIDEOS), generator.integers(5, 26, size=VIDEOS))
    ease = generator.beta(SHARE * 3, (1 - SHARE) * 3, size=(VIDEOS, TRIALS))
    # What suits one model in a video does not suit the other: differences are clustered too.
    leaning = generator.uniform(-0.3, 0.3, size=(VIDEOS, TRIALS)) * np.minimum(ease, 1 - ease) * 2
    chances = ease + leaning, ease - leaning
    drawn = [generator.random((len(video), TRIALS)) < chance[video] for chance in chances]
    return video, drawn[0].astype(float), drawn[1].astype(float)


def by_video(values, video):
    sums = np.zeros((VIDEOS, values.shape[1]))
    np.add.at(sums, video, values)
    counts = np.tile(np.bincount(video, minlength=VIDEOS)[:, None].astype(float), values.shape[1])
    return sums, counts


def coverage(intervals, truth):
    return float(((intervals[:, 0] <= truth) & (truth <= intervals[:, 1])).mean())


def test_intervals_of_a_value_cover_where_unclustered_ones_fail(world):
    video, right, _ = world
    clustered, method = ratio_intervals(*by_video(right, video), seed=1)
    assert method.name.startswith("cluster bootstrap")
    assert 0.93 <= coverage(clustered, SHARE) <= 0.97
    # Every row a cluster of its own, on a quarter of the trials: a quarter of the time.
    some = right[:, : TRIALS // 4]
    plain, _ = ratio_intervals(some, np.ones_like(some), seed=1, resamples=400)
    assert coverage(plain, SHARE) < 0.80


def test_intervals_of_a_difference_cover_and_its_test_keeps_its_level(world):
    video, first, second = world
    found = paired_differences(*by_video(first - second, video), seed=2, resamples=1_000)
    assert 0.93 <= coverage(found.intervals, 0.0) <= 0.97
    assert 0.03 <= (found.p < 0.05).mean() <= 0.07
    # Unclustered, equally good models are told apart far too often.
    some = (first - second)[:, : TRIALS // 4]
    plain = paired_differences(some, np.ones_like(some), seed=2, resamples=400)
    assert coverage(plain.intervals, 0.0) < 0.90


def test_the_normal_interval_of_many_clusters_covers():
    generator = np.random.default_rng(5)
    clusters, trials = 10_001, 400
    ease = generator.normal(0.2, 1.0, size=(clusters, trials))
    counts = np.full((clusters, trials), 2.0)
    sums = 2 * ease + generator.normal(size=(clusters, trials))
    found = paired_differences(sums, counts)
    assert found.method.name == "cluster-robust normal"
    assert 0.92 <= coverage(found.intervals, 0.2) <= 0.98


def test_the_cluster_robust_interval_equals_statsmodels():
    models = pytest.importorskip("statsmodels.api")
    generator = np.random.default_rng(8)
    clusters = 10_001  # from here on the linearised interval is used
    group = np.repeat(np.arange(clusters), generator.integers(1, 4, size=clusters))
    values = generator.normal(0.3, 1.0, size=clusters)[group] + generator.normal(size=len(group))
    sums = np.bincount(group, weights=values)[:, None]
    counts = np.bincount(group)[:, None].astype(float)
    fitted = models.OLS(values, np.ones((len(values), 1))).fit(
        cov_type="cluster", cov_kwds={"groups": group, "use_correction": False}
    )
    half = 1.959963984540054 * fitted.bse[0] * np.sqrt(clusters / (clusters - 1))
    expected = [fitted.params[0] - half, fitted.params[0] + half]
    np.testing.assert_allclose(ratio_intervals(sums, counts)[0][0], expected, rtol=1e-9)
    found = paired_differences(sums, counts)
    np.testing.assert_allclose(found.intervals[0], expected, rtol=1e-9)
    z = fitted.params[0] / fitted.bse[0] * np.sqrt((clusters - 1) / clusters)
    assert found.p[0] == pytest.approx(2 * (1 - _normal_below(abs(z))), rel=1e-6, abs=1e-12)


def _normal_below(z):
    stats = pytest.importorskip("scipy.stats")
    return stats.norm.cdf(z)


def test_the_bootstrap_equals_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(9)
    values = generator.normal(0.1, 1.0, size=120)
    reference = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=generator
    ).confidence_interval
    found = paired_differences(values[:, None], np.ones((120, 1)), resamples=20_000)
    width = reference.high - reference.low
    np.testing.assert_allclose(found.intervals[0], list(reference), atol=0.02 * width)
