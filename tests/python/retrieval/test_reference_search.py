"""The checker for large galleries is its plain twin, and notices answers that are almost right."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import search as twin
from tests.reference import search_fast as fast

EXTREMES = [0.0, -0.0, 1.0, -1.0, 2.0**-149, -(2.0**-149), 2.0**-126, 3.0e38, -3.0e38, 1e-20, 7.0]
numbers = (
    st.floats(width=32, allow_nan=False, allow_infinity=False)
    | st.sampled_from(EXTREMES).map(lambda x: float(np.float32(x)))
    | st.integers(-3, 3).map(float)
)
dimensions = st.sampled_from([1, 2, 3, 15, 16, 17, 31, 33, 48, 100])


def bits(values):
    return np.asarray(values, np.float64).tobytes()


@st.composite
def problems(draw):
    """(queries, gallery, metric): small, with ties, zeros and numbers of every size."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    dimension = draw(dimensions)
    rows = draw(st.integers(1, 12))
    values = draw(st.lists(numbers, min_size=1, max_size=8))
    gallery = generator.choice(np.array(values, np.float32), (rows, dimension))
    queries = generator.choice(np.array(values, np.float32), (draw(st.integers(1, 3)), dimension))
    if draw(st.booleans()):
        gallery = gallery[generator.integers(0, rows, draw(st.integers(1, 20)))]
    metric = draw(st.sampled_from(["dot", "cosine"]))
    if metric == "cosine":
        gallery[~gallery.any(axis=1), 0] = 1.0
        queries[~queries.any(axis=1), 0] = 1.0
    return queries, gallery, metric


def clustered(seed, rows=300, distinct=40, dimension=20):
    """A gallery with true ties, and queries near some of its rows."""
    generator = np.random.default_rng(seed)
    gallery = generator.standard_normal((distinct, dimension)).astype(np.float32)
    gallery = gallery[generator.integers(0, distinct, rows)]
    queries = gallery[:5] + 0.1 * generator.standard_normal((5, dimension))
    return queries.astype(np.float32), gallery


def answers(queries, gallery, k, metric):
    found = twin.search_twin(queries.tolist(), gallery.tolist(), k, metric)
    return np.array([f.indices for f in found]), np.array([f.scores for f in found])


def test_dot64_adds_in_its_own_order():
    # Lane 0 takes 2**60 and 1 (lost), lane 8 takes -2**60: only this order gives 0.
    a = [0.0] * 32
    a[0], a[16], a[8] = 2.0**60, 1.0, -(2.0**60)
    assert twin.dot64(a, [1.0] * 32) == 0.0
    # Lanes 0 and 8 meet first, so what lane 4 adds is kept.
    a = [0.0] * 16
    a[0], a[8], a[4] = 2.0**60, -(2.0**60), 1.0
    assert twin.dot64(a, [1.0] * 16) == 1.0
    a[0], a[4], a[8], a[12] = 2.0**60, -(2.0**60), 1.0, 0.0
    assert twin.dot64(a, [1.0] * 16) == 0.0


def test_dot64_of_nothing_but_negative_zeros_is_positive_zero():
    for dimension in (1, 16, 40):
        assert math.copysign(1.0, twin.dot64([-0.0] * dimension, [1.0] * dimension)) == 1.0


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=80))
def test_dot64_is_near_the_true_sum(pairs):
    a, b = zip(*pairs, strict=True)
    exact = sum(Fraction(x) * Fraction(y) for x, y in pairs)
    magnitude = sum(abs(Fraction(x) * Fraction(y)) for x, y in pairs)
    assert abs(Fraction(twin.dot64(a, b)) - exact) <= len(pairs) * Fraction(2) ** -53 * magnitude


@settings(deadline=None)
@given(problems())
def test_dot64_many_is_the_twin_bit_for_bit(problem):
    queries, gallery, _ = problem
    for query in queries:
        expected = [twin.dot64(query.tolist(), row) for row in gallery.tolist()]
        assert bits(fast.dot64_many(query[None], gallery)) == bits(expected)
        assert bits(fast.dot64_many(gallery, query[None])) == bits(expected)
    own = [twin.dot64(row, row) for row in gallery.tolist()]
    assert bits(fast.dot64_many(gallery, gallery)) == bits(own)


@pytest.mark.parametrize("dimension", [1, 3, 64, 777, 1024, 4099])
def test_dot64_many_of_long_rows(dimension, monkeypatch):
    generator = np.random.default_rng(dimension)
    scales = 10.0 ** generator.uniform(-37, 30, (7, 1))
    gallery = (scales * generator.standard_normal((7, dimension))).astype(np.float32)
    query = generator.standard_normal(dimension).astype(np.float32)
    expected = [twin.dot64(query.tolist(), row) for row in gallery.tolist()]
    assert bits(fast.dot64_many(query[None], gallery)) == bits(expected)
    monkeypatch.setattr(fast, "_BLOCK_NUMBERS", 2 * dimension)  # two rows at once
    assert bits(fast.dot64_many(query[None], gallery)) == bits(expected)


@settings(deadline=None)
@given(problems(), st.sampled_from([1, 2, 5, 100]))
def test_the_checker_accepts_what_the_twin_finds(problem, k):
    queries, gallery, metric = problem
    indices, scores = answers(queries, gallery, k, metric)
    fast.check_top_k(queries, gallery, k, metric, indices, scores)


@settings(deadline=None)
@given(problems(), st.randoms(use_true_random=False))
def test_ranks_of_the_checker_are_the_twin(problem, random):
    queries, gallery, metric = problem
    relevant = [random.choices(range(len(gallery)), k=random.randint(0, 4)) for _ in queries]
    order = random.sample(range(len(gallery)), len(gallery))
    expected = [
        tuple(rank)
        for ranks in twin.ranks_twin(queries.tolist(), gallery.tolist(), relevant, metric, order)
        for rank in ranks
    ]
    checker = fast.Checker(gallery, metric)
    found = checker.ranks(queries, relevant, np.array(order))
    assert [tuple(row) for row in found.tolist()] == expected
    above, tied, tied_before, in_order = found.T
    fast.check_ranks(queries, gallery, relevant, metric, above, tied, tied_before)
    checker.check_ranks(
        queries,
        relevant,
        above,
        tied,
        tied_before,
        order=np.array(order),
        tied_before_in_order=in_order,
    )


@pytest.mark.parametrize("metric", ["dot", "cosine"])
def test_the_filter_keeps_few_rows_and_the_right_ones(metric, monkeypatch):
    """On ordinary data nearly all rows are settled by the bound, in blocks of any size."""
    generator = np.random.default_rng(7)
    gallery = generator.standard_normal((2000, 64)).astype(np.float32)
    queries = generator.standard_normal((20, 64)).astype(np.float32)
    scored = []
    whole = fast.Checker.keys
    monkeypatch.setattr(
        fast.Checker, "keys", lambda self, q, rows: scored.append(len(rows)) or whole(self, q, rows)
    )
    expected = fast.Checker(gallery, metric).top_k(queries, 10)
    assert max(scored) <= 12
    monkeypatch.setattr(fast, "_BLOCK_NUMBERS", 1500)  # 3 queries, 23 rows at once
    for best, same in zip(expected, fast.Checker(gallery, metric).top_k(queries, 10), strict=True):
        assert np.array_equal(best.rows, same.rows)
        assert bits(best.keys) == bits(same.keys)
    (plain,) = twin.search_twin(queries[:1].tolist(), gallery.tolist(), 10, metric)
    assert expected[0].rows.tolist() == plain.indices


@pytest.mark.parametrize("metric", ["dot", "cosine"])
@pytest.mark.parametrize("seed", range(3))
def test_wrong_top_rows_are_noticed(metric, seed):
    queries, gallery = clustered(seed)
    k = 20
    indices, scores = answers(queries, gallery, k, metric)
    fast.check_top_k(queries, gallery, k, metric, indices, scores)
    tied = np.argwhere(scores[:, 1:] == scores[:, :-1])
    assert len(tied) > 0
    query, place = tied[0]

    swapped = indices.copy()
    swapped[query, [place, place + 1]] = swapped[query, [place + 1, place]]
    missing, missing_scores = answers(queries, gallery, k + 1, metric)
    missing = np.delete(missing, 3, axis=1)
    missing_scores = np.delete(missing_scores, 3, axis=1)
    padded = indices.copy()
    padded[1, -1] = -1
    for wrong_rows, wrong_scores in (
        (swapped, scores),
        (missing, missing_scores),
        (padded, scores),
        (indices[:, ::-1], scores[:, ::-1]),
        (indices[:, :-1], scores[:, :-1]),
        (np.roll(indices, 1, axis=0), np.roll(scores, 1, axis=0)),
    ):
        with pytest.raises(fast.WrongAnswerError):
            fast.check_top_k(queries, gallery, k, metric, wrong_rows, wrong_scores)


@pytest.mark.parametrize("metric", ["dot", "cosine"])
@pytest.mark.parametrize("toward", [-math.inf, math.inf])
def test_a_score_off_by_one_ulp_is_noticed(metric, toward):
    queries, gallery = clustered(9)
    indices, scores = answers(queries, gallery, 10, metric)
    scores[4, 9] = np.nextafter(scores[4, 9], toward)
    with pytest.raises(fast.WrongAnswerError, match="query 4, place 9, row"):
        fast.check_top_k(queries, gallery, 10, metric, indices, scores)


def test_a_negative_zero_score_is_noticed():
    queries, gallery = np.eye(1, 4, dtype=np.float32), np.eye(3, 4, 1, dtype=np.float32)
    indices, scores = answers(queries, gallery, 3, "dot")
    assert scores.tolist() == [[0.0, 0.0, 0.0]]
    fast.check_top_k(queries, gallery, 3, "dot", indices, scores)
    with pytest.raises(fast.WrongAnswerError):
        fast.check_top_k(queries, gallery, 3, "dot", indices, -scores)


@pytest.mark.parametrize("column", range(4))
def test_wrong_ranks_are_noticed(column):
    queries, gallery = clustered(4)
    relevant = [[0, 7], [], [5], [299], [3, 3]]
    order = np.random.default_rng(0).permutation(len(gallery))
    checker = fast.Checker(gallery, "cosine")
    right = checker.ranks(queries, relevant, order)
    for item in range(len(right)):
        wrong = right.copy()
        wrong[item, column] += 1
        above, tied, tied_before, in_order = wrong.T
        with pytest.raises(fast.WrongAnswerError, match=r"query \d, relevant row"):
            checker.check_ranks(
                queries,
                relevant,
                above,
                tied,
                tied_before,
                order=order,
                tied_before_in_order=in_order,
            )
