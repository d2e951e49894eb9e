"""Tail probabilities and corrections for several tests, in numpy and the standard library alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "McNemar",
    "chi_square_tail",
    "fair_coin_two_sided",
    "goodness_of_fit",
    "holm",
    "mcnemar_exact",
    "normal_two_sided",
]

_MOST_EXACT_TRIALS = 1_000  # below, whole numbers of any length are quick and exact
_NEGLIGIBLE = 1e-18


class McNemar(NamedTuple):
    """McNemar's exact test of two models on the same questions.

    Attributes:
        only_a: questions that the first alone has right.
        only_b: questions that the second alone has right.
        p: two-sided probability of a split at least as uneven, were both equally good.
    """

    only_a: int
    only_b: int
    p: float


def mcnemar_exact(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> McNemar:
    """McNemar's exact test: among questions that one model alone has right, is it a fair coin?

    Questions count as independent; where they share videos, the clustered interval is the test.

    Args:
        a: bool[n], right answers of the first model.
        b: bool[n], of the second.
    """
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return McNemar(only_a, only_b, fair_coin_two_sided(only_a, only_b))


def fair_coin_two_sided(heads: int, tails: int) -> float:
    trials, fewer = heads + tails, min(heads, tails)
    if trials == 0 or heads == tails:
        return 1.0
    if trials <= _MOST_EXACT_TRIALS:
        ways = sum(math.comb(trials, k) for k in range(fewer + 1))
        return min(1.0, float(ways / 2 ** (trials - 1)))
    # From the largest term down, each is the one above times k / (n - k + 1).
    total, term, k = 1.0, 1.0, fewer
    while k > 0 and term > total * _NEGLIGIBLE:
        term *= k / (trials - k + 1)
        total += term
        k -= 1
    return min(1.0, 2.0 * _fair_coin(fewer, trials) * total)


def _fair_coin(heads: int, trials: int) -> float:
    """Chance of exactly so many heads, by the saddle point (Loader, 2000).

    Differences of log-gammas would lose digits that grow with the number of trials.
    """
    tails = trials - heads
    if heads == 0 or tails == 0:
        return math.exp(-trials * math.log(2.0))
    half = trials / 2.0
    error = _stirling_error(trials) - _stirling_error(heads) - _stirling_error(tails)
    exponent = error - _deviance(heads, half) - _deviance(tails, half)
    return math.exp(exponent) * math.sqrt(trials / (2.0 * math.pi * heads * tails))


def _stirling_error(n: int) -> float:
    """Log of n! minus Stirling's formula for it."""
    if n <= 15:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    square = float(n) * n
    series = 1 / 1260 - (1 / 1680 - (1 / 1188) / square) / square
    return (1 / 12 - (1 / 360 - series / square) / square) / n


def _deviance(x: float, mean: float) -> float:
    """X log(x / mean) + mean - x, without the cancellation where x is near the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    ratio = (x - mean) / (x + mean)
    total, power, square = (x - mean) * ratio, 2 * x * ratio, ratio * ratio
    for odd in range(3, 2_000, 2):
        power *= square
        grown = total + power / odd
        if grown == total:
            break
        total = grown
    return total


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Chance that chi-square of so many degrees of freedom is at least this large.

    Whole degrees of freedom have finite sums: of Poisson terms for even ones, and with the
    complementary error function for odd ones.

    Raises:
        ValueError: no degree of freedom, or a negative statistic.
    """
    if degrees < 1 or not statistic >= 0:
        raise ValueError(f"chi-square {statistic} with {degrees} degrees of freedom")
    half = statistic / 2.0
    if degrees % 2 == 0:
        term, total, first = math.exp(-half), 0.0, 1.0
    else:
        total = math.erfc(math.sqrt(half))
        term, first = math.exp(-half) * math.sqrt(half) / math.gamma(1.5), 1.5
    for k in range(degrees // 2):
        total += term
        term *= half / (first + k)
    return min(1.0, total)


class GoodnessOfFit(NamedTuple):
    """Pearson's chi-square test.

    Attributes:
        statistic: chi-square; None where fewer than two categories are left.
        degrees: of freedom.
        p: its upper tail; None as above.
    """

    statistic: float | None
    degrees: int
    p: float | None


def goodness_of_fit(
    observed: npt.NDArray[np.float64],
    expected: npt.NDArray[np.float64],
    *,
    least_expected: float = 5.0,
) -> GoodnessOfFit:
    """Pearson's chi-square test of counts against expected counts of the same total.

    Args:
        observed: float64[k] counts.
        expected: float64[k], scaled to the total of `observed` if it has another.
        least_expected: categories of which fewer are expected are taken together, as the
            distribution asks for (Cochran, 1954).
    """
    if not observed.sum() or not expected.sum():
        return GoodnessOfFit(None, 0, None)
    expected = expected * (observed.sum() / expected.sum())
    rare = expected < least_expected
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < least_expected and len(expected) > 1:
            fewest = int(expected[:-1].argmin())  # still too rare: the next rare one joins
            observed[fewest] += observed[-1]
            expected[fewest] += expected[-1]
            observed, expected = observed[:-1], expected[:-1]
    if len(expected) < 2:
        return GoodnessOfFit(None, 0, None)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    degrees = len(expected) - 1
    return GoodnessOfFit(statistic, degrees, chi_square_tail(statistic, degrees))


def normal_two_sided(z: float) -> float:
    """Chance that a standard normal is at least as far from 0."""
    return math.erfc(abs(z) / math.sqrt(2.0))


def holm(p: Sequence[float | None]) -> list[float | None]:
    """P-values corrected for their number by Holm's step-down method (1979).

    Args:
        p: uncorrected ones; None where there is no test, which counts for nothing.
    """
    tested = sorted((value, place) for place, value in enumerate(p) if value is not None)
    corrected: list[float | None] = [None] * len(p)
    largest = 0.0
    for rank, (value, place) in enumerate(tested):
        largest = max(largest, min(1.0, value * (len(tested) - rank)))
        corrected[place] = largest
    return corrected
