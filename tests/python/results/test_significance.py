"""Tail probabilities against exact fractions, and against scipy and statsmodels where they are."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from fastvbench.results._significance import (
    chi_square_tail,
    goodness_of_fit,
    holm,
    mcnemar_exact,
    normal_two_sided,
)

SPLITS = [(0, 0), (1, 0), (0, 6), (5, 1), (10, 25), (3, 40), (188, 106), (400, 520), (999, 1001),
          (1200, 1400), (5000, 5200), (50_000, 50_700)]  # fmt: skip


def tables(only_a, only_b, both=7):
    a = np.repeat([True, False, True, False], [only_a, only_b, both, 5])
    b = np.repeat([False, True, True, False], [only_a, only_b, both, 5])
    return a, b


@pytest.mark.parametrize(("only_a", "only_b"), SPLITS[:9])
def test_mcnemar_is_the_sum_of_exact_binomials(only_a, only_b):
    found = mcnemar_exact(*tables(only_a, only_b))
    trials, fewer = only_a + only_b, min(only_a, only_b)
    exact = Fraction(2 * sum(math.comb(trials, k) for k in range(fewer + 1)), 2**trials)
    assert (found.only_a, found.only_b) == (only_a, only_b)
    assert found.p == pytest.approx(min(1.0, float(exact)), rel=1e-13)


def test_mcnemar_at_the_edges_of_what_floats_hold():
    assert mcnemar_exact(*tables(0, 0)).p == 1.0
    assert mcnemar_exact(*tables(30, 30)).p == 1.0
    assert mcnemar_exact(*tables(0, 900)).p == pytest.approx(2.0**-899)
    assert mcnemar_exact(*tables(0, 1070)).p == pytest.approx(2.0**-1069, rel=1e-3)
    assert mcnemar_exact(*tables(2, 9000)).p == 0.0


@pytest.mark.parametrize(("only_a", "only_b"), SPLITS)
def test_mcnemar_equals_the_binomial_test_of_scipy(only_a, only_b):
    stats = pytest.importorskip("scipy.stats")
    trials = only_a + only_b
    reference = stats.binomtest(only_a, trials, 0.5).pvalue if trials else 1.0
    assert mcnemar_exact(*tables(only_a, only_b)).p == pytest.approx(reference, rel=1e-12)


def test_mcnemar_equals_statsmodels():
    module = pytest.importorskip("statsmodels.stats.contingency_tables")
    for only_a, only_b in SPLITS:
        if only_a != only_b:  # it doubles the middle term there, and says more than 1
            reference = module.mcnemar([[7, only_a], [only_b, 5]], exact=True).pvalue
            found = mcnemar_exact(*tables(only_a, only_b)).p
            assert found == pytest.approx(reference, rel=1e-9)


def test_chi_square_tails_of_known_tables():
    assert chi_square_tail(0.0, 3) == 1.0
    assert chi_square_tail(3.841458820694124, 1) == pytest.approx(0.05, rel=1e-12)
    assert chi_square_tail(7.814727903251179, 3) == pytest.approx(0.05, rel=1e-12)
    assert chi_square_tail(13.276704135987622, 4) == pytest.approx(0.01, rel=1e-12)
    with pytest.raises(ValueError, match="0 degrees"):
        chi_square_tail(1.0, 0)
    with pytest.raises(ValueError, match="nan"):
        chi_square_tail(math.nan, 2)


def test_chi_square_tails_equal_scipy():
    stats = pytest.importorskip("scipy.stats")
    for degrees in range(1, 27):
        for statistic in (0.0, 0.01, 0.5, degrees, 3.0 * degrees, 80.0, 600.0, 1400.0):
            reference = stats.chi2.sf(statistic, degrees)
            assert chi_square_tail(statistic, degrees) == pytest.approx(reference, rel=1e-11)


def test_goodness_of_fit_takes_rare_categories_together():
    observed, expected = np.array([40.0, 30, 20, 9, 1]), np.array([30.0, 30, 30, 8, 2])
    found = goodness_of_fit(observed, expected)
    assert found.statistic == pytest.approx(100 / 30 + 0 + 100 / 30 + 0)
    assert found.degrees == 3
    # What is never expected joins the least expected other one; nothing is divided by zero.
    found = goodness_of_fit(np.array([50.0, 40, 10]), np.array([50.0, 50, 0]))
    assert found.degrees == 1
    assert found.statistic == 4.0
    assert goodness_of_fit(np.array([9.0, 0]), np.array([9.0, 0])).p is None
    assert goodness_of_fit(np.zeros(3), np.ones(3)).p is None


def test_goodness_of_fit_equals_scipy():
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(3)
    for _ in range(20):
        expected = generator.integers(20, 90, size=4).astype(float)
        observed = generator.multinomial(400, expected / expected.sum()).astype(float)
        reference = stats.chisquare(observed, expected * 400 / expected.sum())
        found = goodness_of_fit(observed, expected)
        assert found.statistic == pytest.approx(reference.statistic, rel=1e-12)
        assert found.p == pytest.approx(reference.pvalue, rel=1e-11)


def test_normal_tails():
    assert normal_two_sided(1.959963984540054) == pytest.approx(0.05, rel=1e-12)
    assert normal_two_sided(-1.959963984540054) == normal_two_sided(1.959963984540054)


def test_holm_steps_down_and_skips_what_has_no_test():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, None, 0.9]) == [1.0, None, 1.0]
    assert holm([]) == []


def test_holm_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    generator = np.random.default_rng(0)
    for count in (1, 2, 3, 10, 45):
        p = (generator.random(count) ** 3).tolist()
        reference = multitest.multipletests(p, method="holm")[1]
        np.testing.assert_allclose(holm(p), reference, rtol=1e-12)
