"""95 % intervals of a mean whose rows share clusters (questions that share a video).

Rows of one video are not independent, so whole videos are resampled (cluster bootstrap; Field and
Welsh, 2007, "Bootstrapping clustered data"). A mean is a ratio of two sums, and every metric's two
sums per cluster are one column of a matrix: one product with the matrix of resample weights gives
all replicates of all metrics at once. Above 10,000 clusters the bootstrap distribution is normal
for all practical purposes and the linearised (cluster-robust, "CR0" with the usual c / (c - 1)
factor) standard error is used instead.

A median's interval is Woodruff's (1952, "Confidence intervals for medians and other position
measures"): the share of rows at or below the median is a mean like any other, and its
cluster-robust interval around one half is read back as two order statistics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fastvbench.results._significance import normal_two_sided

__all__ = [
    "MEDIAN_METHOD",
    "ConfidenceMethod",
    "PairedDifferences",
    "difference_interval",
    "macro_intervals",
    "median_interval",
    "paired_differences",
    "ratio_intervals",
]

FloatArray = npt.NDArray[np.float64]

MOST_BOOTSTRAP_CLUSTERS = 10_000
RESAMPLES = 1_000
PAIR_RESAMPLES = 5_000  # a p-value needs more of the tails than an interval
NORMAL_QUANTILE_975 = 1.959963984540054
MEDIAN_METHOD = "Woodruff, cluster-robust"
_RESAMPLES_PER_BLOCK = 125  # x 10,000 clusters x 8 bytes = 10 MB of weights at a time


@dataclass(frozen=True, slots=True)
class ConfidenceMethod:
    """How the intervals of one result were made; part of the result file."""

    name: str
    level: float
    clusters: int
    resamples: int | None
    seed: int | None

    def as_dict(self) -> dict[str, object]:
        """The method as JSON values."""
        return {
            "name": self.name,
            "level": self.level,
            "clusters": self.clusters,
            "resamples": self.resamples,
            "seed": self.seed,
        }


def ratio_intervals(
    sums: FloatArray, counts: FloatArray, *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[FloatArray, ConfidenceMethod]:
    """95 % interval of sum / count for many metrics over the same clusters.

    All columns see the same resamples, so differences between rule sets are paired.

    Args:
        sums: float64[c, m], a column per metric, a row per cluster.
        counts: float64[c, m], the matching denominators.
        seed: of the resampling; the same seed gives the same interval.
        resamples: bootstrap replicates.

    Returns:
        intervals float64[m, 2] (NaN where fewer than two clusters have rows), and the method.
    """
    cluster_count = sums.shape[0]
    if cluster_count > MOST_BOOTSTRAP_CLUSTERS:
        intervals = _normal_intervals(sums, counts)
        method = ConfidenceMethod("cluster-robust normal", 0.95, cluster_count, None, None)
    else:
        intervals = _bootstrap_intervals(sums, counts, seed, resamples)
        method = ConfidenceMethod(
            "cluster bootstrap, percentile", 0.95, cluster_count, resamples, seed
        )
    too_few = (counts > 0).sum(axis=0) < 2
    intervals[too_few] = np.nan
    return intervals, method


def macro_intervals(
    sums: FloatArray, counts: FloatArray, *, seed: int = 0, resamples: int = RESAMPLES
) -> FloatArray:
    """95 % interval of the mean of j means over the same clusters, for m such metrics.

    Each resample of clusters gives each of the j means anew; a category of which it drew no row is
    left out of that replicate.

    Args:
        sums: float64[c, m, j], per cluster.
        counts: float64[c, m, j], the matching denominators.
        seed: of the resampling.
        resamples: bootstrap replicates.

    Returns:
        float64[m, 2], NaN where fewer than two clusters have rows.
    """
    cluster_count, metric_count, category_count = sums.shape
    intervals = np.full((metric_count, 2), np.nan)
    enough = (counts.sum(axis=2) > 0).sum(axis=0) >= 2
    if not enough.any():
        return intervals
    if cluster_count > MOST_BOOTSTRAP_CLUSTERS:
        intervals[enough] = _normal_macro_intervals(sums, counts)[enough]
        return intervals
    flat = (cluster_count, metric_count * category_count)
    replicates = _replicates(sums.reshape(flat), counts.reshape(flat), seed, resamples)
    replicates = replicates.reshape(resamples, metric_count, category_count)[:, enough]
    drawn = ~np.isnan(replicates)
    with np.errstate(invalid="ignore"):
        means = np.where(drawn, replicates, 0.0).sum(axis=2) / drawn.sum(axis=2)
    intervals[enough] = np.nanpercentile(means, [2.5, 97.5], axis=0).T
    return intervals


def _normal_macro_intervals(sums: FloatArray, counts: FloatArray) -> FloatArray:
    totals = counts.sum(axis=0)
    present = totals > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(present, sums.sum(axis=0) / totals, 0.0)
        influence = np.where(present, (sums - means * counts) / totals, 0.0).sum(axis=2)
        categories = present.sum(axis=1)
        used = (counts.sum(axis=2) > 0).sum(axis=0)
        variance = (influence**2).sum(axis=0) / categories**2 * (used / (used - 1))
        centre = means.sum(axis=1) / categories
        half_width = NORMAL_QUANTILE_975 * np.sqrt(variance)
    return np.stack([centre - half_width, centre + half_width], axis=1)


def difference_interval(
    sums: FloatArray, counts: FloatArray, *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """95 % interval of the difference of two means over the same clusters.

    Args:
        sums: float64[c, 2], per cluster, of the first and the second mean.
        counts: float64[c, 2], the matching denominators.
        seed: of the resampling.
        resamples: bootstrap replicates.

    Returns:
        The interval of first minus second, or None where fewer than two clusters have rows of
        either.
    """
    if ((counts > 0).sum(axis=0) < 2).any():
        return None
    if sums.shape[0] <= MOST_BOOTSTRAP_CLUSTERS:
        replicates = _replicates(sums, counts, seed, resamples)
        low, high = np.nanpercentile(replicates[:, 0] - replicates[:, 1], [2.5, 97.5])
        return float(low), float(high)
    totals = counts.sum(axis=0)
    means = sums.sum(axis=0) / totals
    influence = (sums - means * counts) / totals
    clusters = int((counts > 0).any(axis=1).sum())
    variance = ((influence[:, 0] - influence[:, 1]) ** 2).sum() * clusters / (clusters - 1)
    half_width = NORMAL_QUANTILE_975 * float(np.sqrt(variance))
    difference = float(means[0] - means[1])
    return difference - half_width, difference + half_width


@dataclass(frozen=True, slots=True)
class PairedDifferences:
    """Mean differences of m metrics over the same rows of two models.

    Attributes:
        intervals: float64[m, 2] 95 % intervals, NaN where fewer than two clusters have rows.
        p: float64[m] two-sided probability of a difference at least as large, were there none.
        method: how they were made.
    """

    intervals: FloatArray
    p: FloatArray
    method: ConfidenceMethod


def paired_differences(
    sums: FloatArray,
    counts: FloatArray,
    *,
    categories: int = 1,
    seed: int = 0,
    resamples: int = PAIR_RESAMPLES,
) -> PairedDifferences:
    """95 % intervals and p-values of mean differences whose rows share clusters.

    The p-value is twice the share of replicates on the far side of 0, with one replicate more, so
    that it is never 0; up to that replicate it is below 0.05 where the interval leaves 0 out.

    Args:
        sums: float64[c, m * categories], per cluster, of first minus second.
        counts: float64[c, m * categories], rows.
        categories: of a macro mean: so many neighbouring columns are averaged as means.
        seed: of the resampling.
        resamples: bootstrap replicates.
    """
    cluster_count, column_count = sums.shape
    shape = (cluster_count, column_count // categories, categories)
    used = (counts.reshape(shape).sum(axis=2) > 0).sum(axis=0)
    if cluster_count > MOST_BOOTSTRAP_CLUSTERS:
        intervals = _normal_macro_intervals(sums.reshape(shape), counts.reshape(shape))
        centre = intervals.mean(axis=1)
        error = (intervals[:, 1] - centre) / NORMAL_QUANTILE_975
        p = np.array(
            [
                normal_two_sided(c / e) if e > 0 else float(c == 0)
                for c, e in zip(centre.tolist(), error.tolist(), strict=True)
            ]
        )
        method = ConfidenceMethod("cluster-robust normal", 0.95, cluster_count, None, None)
    else:
        replicates = _replicates(sums, counts, seed, resamples).reshape(-1, *shape[1:])
        drawn = ~np.isnan(replicates)
        with np.errstate(invalid="ignore"):
            means = np.where(drawn, replicates, 0.0).sum(axis=2) / drawn.sum(axis=2)
        intervals, p = np.full((shape[1], 2), np.nan), np.full(shape[1], np.nan)
        usable = ~np.isnan(means).all(axis=0)
        if usable.any():
            kept = means[:, usable]
            intervals[usable] = np.nanpercentile(kept, [2.5, 97.5], axis=0).T
            total = (~np.isnan(kept)).sum(axis=0) + 1
            smaller = np.minimum((kept <= 0).sum(axis=0), (kept >= 0).sum(axis=0)) + 1
            p[usable] = np.minimum(1.0, 2.0 * smaller / total)
        method = ConfidenceMethod(
            "paired cluster bootstrap, percentile", 0.95, cluster_count, resamples, seed
        )
    intervals[used < 2], p[used < 2] = np.nan, np.nan
    return PairedDifferences(intervals, p, method)


def median_interval(
    values: FloatArray, clusters: npt.NDArray[np.int64], cluster_count: int
) -> tuple[float, float] | None:
    """95 % interval of a median over rows that share clusters.

    Args:
        values: float64[n], +infinity allowed, no NaN.
        clusters: int64[n], the cluster of each row.
        cluster_count: clusters that there are.

    Returns:
        Two of the values, or None where fewer than two clusters have rows.
    """
    counts = np.bincount(clusters, minlength=cluster_count).astype(np.float64)
    if (counts > 0).sum() < 2:
        return None
    below = (values <= np.median(values)).astype(np.float64)
    sums: FloatArray = np.bincount(clusters, below, minlength=cluster_count).astype(np.float64)
    share = _normal_intervals(sums[:, None], counts[:, None])[0]
    half_width = float(share[1] - share[0]) / 2
    ends = np.clip([0.5 - half_width, 0.5 + half_width], 0.0, 1.0)
    low, high = np.quantile(values, ends, method="inverted_cdf")
    return float(low), float(high)


def _replicates(sums: FloatArray, counts: FloatArray, seed: int, resamples: int) -> FloatArray:
    """float64[resamples, m]: each metric's mean in each resample, NaN where it drew no row."""
    cluster_count, metric_count = sums.shape
    both = np.concatenate([sums, counts], axis=1)
    generator = np.random.default_rng(seed)
    replicates = np.empty((resamples, metric_count))
    for first in range(0, resamples, _RESAMPLES_PER_BLOCK):
        rows = min(_RESAMPLES_PER_BLOCK, resamples - first)
        drawn = generator.integers(0, cluster_count, size=(rows, cluster_count))
        drawn += np.arange(rows)[:, None] * cluster_count
        weights = np.bincount(drawn.ravel(), minlength=rows * cluster_count)
        product = weights.reshape(rows, cluster_count).astype(np.float64) @ both
        with np.errstate(invalid="ignore", divide="ignore"):
            replicates[first : first + rows] = product[:, :metric_count] / product[:, metric_count:]
    return replicates


def _bootstrap_intervals(
    sums: FloatArray, counts: FloatArray, seed: int, resamples: int
) -> FloatArray:
    cluster_count, metric_count = sums.shape
    intervals = np.full((metric_count, 2), np.nan)
    if cluster_count == 0 or metric_count == 0:
        return intervals
    replicates = _replicates(sums, counts, seed, resamples)
    # A replicate that drew no row of a small stratum has no mean: it is left out of that metric.
    usable = ~np.isnan(replicates).all(axis=0)
    if usable.any():
        intervals[usable] = np.nanpercentile(replicates[:, usable], [2.5, 97.5], axis=0).T
    return intervals


def _normal_intervals(sums: FloatArray, counts: FloatArray) -> FloatArray:
    totals = counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums.sum(axis=0) / totals
        residuals = sums - means * counts
        used = (counts > 0).sum(axis=0)
        variance = (residuals**2).sum(axis=0) / totals**2 * (used / (used - 1))
        half_width = NORMAL_QUANTILE_975 * np.sqrt(variance)
    return np.stack([means - half_width, means + half_width], axis=1)
