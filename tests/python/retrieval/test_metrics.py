from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import retrieval_metrics as twin

from fastvbench.core import InputError
from fastvbench.retrieval import _metrics as metrics
from fastvbench.retrieval._ranks import Ranks

POLICIES = ("expected", "optimistic", "pessimistic", "lowest_id", "trec")
AT_K = {
    metrics.recall_at_k: twin.recall_at_k,
    metrics.hit_rate_at_k: twin.hit_rate_at_k,
    metrics.ndcg_at_k: twin.ndcg_at_k,
}


def ranks_of(queries, ids):
    """Counts by definition, one item per named relevant row."""
    items, offsets = [], [0]
    for keys, relevant in queries:
        for wanted in relevant:
            ties = [row for row, key in enumerate(keys) if key == keys[wanted]]
            items.append(
                (
                    sum(key > keys[wanted] for key in keys),
                    len(ties),
                    sum(row < wanted for row in ties),
                    sum(ids[row] > ids[wanted] for row in ties),
                )
            )
        offsets.append(len(items))
    above, tied, before, before_trec = np.array(items, np.int64).reshape(-1, 4).T
    return Ranks(above, tied, np.array(offsets), before, before_trec, len(ids))


def made(*items, gallery_size=10, offsets=None):
    """Ranks of (above, tied) items, one query each unless offsets say otherwise."""
    above, tied = np.array(items, np.int64).reshape(-1, 2).T
    none = np.zeros(len(above), np.int64)
    offsets = np.arange(len(above) + 1) if offsets is None else np.array(offsets)
    return Ranks(above.copy(), tied.copy(), offsets, none, none, gallery_size)


@st.composite
def studies(draw):
    """(queries, ids): a gallery of up to six rows with few distinct keys."""
    size = draw(st.integers(1, 6))
    ids = draw(st.permutations([str(n) for n in range(8, 8 + size)]))  # "9" sorts after "10"
    keys = st.lists(st.sampled_from([0.0, -1.0, 0.5]), min_size=size, max_size=size)
    relevant = st.sets(st.integers(0, size - 1), min_size=1).map(frozenset)
    queries = st.lists(st.builds(twin.Query, keys, relevant), min_size=1, max_size=4)
    return draw(queries), ids


@settings(deadline=None)
@given(studies())
def test_metrics_are_the_twin_over_every_order(study):
    queries, ids = study
    ranks = ranks_of(queries, ids)
    for ties in POLICIES:
        for k in range(1, len(ids) + 2):
            for ours, theirs in AT_K.items():
                expected = theirs(queries, ids, k, ties)
                assert ours(ranks, k, ties=ties)[k] == pytest.approx(expected, abs=1e-12)
            expected = twin.mean_reciprocal_rank(queries, ids, k, ties)
            ours = metrics.mean_reciprocal_rank(ranks, k, ties=ties)
            assert ours == pytest.approx(expected, abs=1e-12)
        assert metrics.mean_reciprocal_rank(ranks, ties=ties) == pytest.approx(ours, abs=1e-12)
        expected = twin.median_rank(queries, ids, ties)
        assert metrics.median_rank(ranks, ties=ties) == pytest.approx(expected, abs=1e-12)


@given(studies())
def test_columns_are_what_is_averaged(study):
    queries, ids = study
    ranks = ranks_of(queries, ids)
    for ties in POLICIES:
        for mean, column in (
            (metrics.recall_at_k, metrics.recall_per_query),
            (metrics.hit_rate_at_k, metrics.hit_rate_per_query),
            (metrics.ndcg_at_k, metrics.ndcg_per_query),
        ):
            values = column(ranks, 2, ties=ties)
            assert (values.dtype, values.shape) == (np.float64, (len(queries),))
            assert mean(ranks, 2, ties=ties)[2] == pytest.approx(values.mean())
            one_by_one = [mean(ranks_of([query], ids), 2, ties=ties)[2] for query in queries]
            assert values.tolist() == one_by_one
        reciprocal = metrics.reciprocal_rank_per_query(ranks, ties=ties)
        assert metrics.mean_reciprocal_rank(ranks, ties=ties) == pytest.approx(reciprocal.mean())
        first = metrics.first_rank_per_query(ranks, ties=ties)
        assert metrics.median_rank(ranks, ties=ties) == float(np.median(first))


@given(studies())
def test_policies_keep_their_order_and_k_only_helps(study):
    queries, ids = study
    ranks = ranks_of(queries, ids)
    for metric in AT_K:
        for ties in POLICIES:
            values = list(metric(ranks, range(1, len(ids) + 1), ties=ties).values())
            if metric is not metrics.ndcg_at_k:
                assert values == sorted(values)
            assert values[-1] == 1.0 or metric is metrics.ndcg_at_k
            assert all(0.0 <= value <= 1.0 + 1e-12 for value in values)
            best = metric(ranks, 1, ties="optimistic")[1]
            worst = metric(ranks, 1, ties="pessimistic")[1]
            assert worst - 1e-12 <= values[0] <= best + 1e-12


@given(studies(), st.randoms(use_true_random=False))
def test_expected_depends_on_scores_alone(study, random):
    queries, ids = study
    shuffled = random.sample(range(len(ids)), len(ids))
    renumbered = [
        twin.Query(
            [query.keys[old] for old in shuffled],
            frozenset(shuffled.index(row) for row in query.relevant),
        )
        for query in queries
    ]
    first, second = ranks_of(queries, ids), ranks_of(renumbered, ids)
    for metric in AT_K:
        assert metric(first) == pytest.approx(metric(second))
    assert metrics.mean_reciprocal_rank(first) == pytest.approx(
        metrics.mean_reciprocal_rank(second)
    )


def test_recall_of_a_lone_item_by_hand():
    ranks = made((0, 1), (0, 4), (4, 2), (9, 1))
    assert metrics.recall_at_k(ranks) == {1: 1.25 / 4, 5: 2.5 / 4, 10: 1.0}
    assert metrics.recall_at_k(ranks) == metrics.hit_rate_at_k(ranks)
    assert metrics.recall_at_k(ranks, 5, ties="optimistic") == {5: 0.75}
    assert metrics.recall_at_k(ranks, 5, ties="pessimistic") == {5: 0.5}


def test_a_constant_scorer_gets_what_chance_gives():
    """Reported as MRR@10 = 1 by tools that list the relevant item first."""
    ranks = made(*[(0, 100)] * 7, gallery_size=100)
    chance = sum(1 / rank for rank in range(1, 11)) / 100
    assert metrics.mean_reciprocal_rank(ranks, 10) == pytest.approx(chance)
    assert metrics.mean_reciprocal_rank(ranks, 10, ties="optimistic") == 1.0
    assert metrics.recall_at_k(ranks, 1) == {1: 0.01}
    assert metrics.median_rank(ranks) == 50.5


def test_several_items_tied_with_each_other_never_share_a_rank():
    ranks = made((2, 5), (2, 5), (2, 5), offsets=[0, 3])
    object.__setattr__(ranks, "tied_before", np.array([0, 1, 4]))
    assert metrics.recall_at_k(ranks, (3, 4, 5, 7), ties="optimistic") == {
        3: 1 / 3,
        4: 2 / 3,
        5: 1.0,
        7: 1.0,
    }
    assert metrics.recall_at_k(ranks, (4, 5, 6, 7), ties="pessimistic") == {
        4: 0.0,
        5: 1 / 3,
        6: 2 / 3,
        7: 1.0,
    }
    assert metrics.recall_at_k(ranks, (3, 4, 6, 7), ties="lowest_id") == {
        3: 1 / 3,
        4: 2 / 3,
        6: 2 / 3,
        7: 1.0,
    }
    assert metrics.hit_rate_at_k(ranks, (2, 3, 4, 5)) == pytest.approx(
        {2: 0.0, 3: 0.6, 4: 1 - math.comb(3, 3) / math.comb(5, 3), 5: 1.0}
    )
    assert metrics.median_rank(ranks, ties="pessimistic") == 5.0
    assert metrics.median_rank(ranks) == 2 + 6 / 4


def test_recall_is_not_the_hit_rate():
    ranks = made((0, 1), (8, 1), (3, 1), offsets=[0, 2, 3])
    assert metrics.recall_at_k(ranks, 1) == {1: 0.25}
    assert metrics.hit_rate_at_k(ranks, 1) == {1: 0.5}


def test_each_query_weighs_the_same():
    ranks = made((0, 1), (8, 1), (9, 1), (7, 1), (6, 1), offsets=[0, 1, 5])
    assert metrics.recall_at_k(ranks, 1) == {1: 0.5}


def test_a_row_named_twice_counts_once():
    once = made((0, 1), (8, 1), offsets=[0, 2])
    twice = made((0, 1), (8, 1), (0, 1), offsets=[0, 3])
    for metric in AT_K:
        assert metric(once) == metric(twice)
    tied = made((0, 2), (0, 2), offsets=[0, 2])  # both say tied_before = 0: one row
    assert metrics.recall_at_k(tied, 1) == {1: 0.5}


def test_k_beyond_the_gallery_and_of_every_kind():
    ranks = made((0, 1), (9, 1))
    assert metrics.recall_at_k(ranks, 10**30) == {10**30: 1.0}
    assert metrics.mean_reciprocal_rank(ranks, 10**30) == 0.55
    assert metrics.recall_at_k(ranks, np.array([1, 10])) == {1: 0.5, 10: 1.0}
    assert metrics.recall_at_k(ranks, np.int32(1)) == {1: 0.5}
    assert list(metrics.recall_at_k(ranks, (10, 1))) == [10, 1]


def test_ndcg_by_hand():
    ranks = made((0, 1), (2, 1), offsets=[0, 2])
    expected = (1 + 1 / 2) / (1 + 1 / math.log2(3))
    assert metrics.ndcg_at_k(ranks, 5)[5] == pytest.approx(expected)
    assert metrics.ndcg_at_k(ranks, 1) == {1: 1.0}


def test_untied_numbers_are_exact_in_a_large_gallery():
    ranks = made((999_999, 1), (123_456, 1), gallery_size=1_000_000)
    for ties in POLICIES:
        reciprocal = metrics.reciprocal_rank_per_query(ranks, ties=ties)
        assert reciprocal.tolist() == [1e-6, 1 / 123_457]
        gain = metrics.ndcg_per_query(ranks, 1_000_000, ties=ties)
        assert gain == pytest.approx([1 / math.log2(1_000_001), 1 / math.log2(123_458)], rel=1e-15)


def test_large_studies_take_no_time():
    generator = np.random.default_rng(0)
    above = generator.integers(0, 40_000, 100_000)
    tied = generator.integers(1, 800, 100_000)
    before = generator.integers(0, tied)
    offsets = np.arange(len(above) + 1)
    ranks = Ranks(above, tied, offsets, before, before, 41_000)
    start = time.perf_counter()
    for metric in AT_K:
        metric(ranks)
    metrics.mean_reciprocal_rank(ranks)
    metrics.median_rank(ranks)
    assert time.perf_counter() - start < 20  # about two seconds, nearly all for the ties of MRR


@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (0, ValueError, "k=0; expected at least 1"),
        ((1, -5), ValueError, r"k\[1\]=-5; expected at least 1"),
        ((), ValueError, "k is empty"),
        (1.0, TypeError, "k is 1.0; expected an integer"),
        ((1, True), TypeError, r"k\[1\] is True"),
        ("10", TypeError, "k is '10'"),
        (None, TypeError, "k is None"),
    ],
)
def test_other_k_are_refused(k, error, message):
    for metric in AT_K:
        with pytest.raises(error, match=message):
            metric(made((0, 1)), k)
    if k is not None and k != () and not isinstance(k, tuple):
        with pytest.raises(error, match=message):
            metrics.mean_reciprocal_rank(made((0, 1)), k)
        with pytest.raises(error, match=message):
            metrics.recall_per_query(made((0, 1)), k)


def every_metric(ranks, **options):
    for metric in AT_K:
        yield lambda metric=metric: metric(ranks, **options)
    yield lambda: metrics.mean_reciprocal_rank(ranks, **options)
    yield lambda: metrics.median_rank(ranks, **options)
    yield lambda: metrics.hit_rate_per_query(ranks, 1, **options)


def test_unknown_ties_are_refused():
    for call in every_metric(made((0, 1)), ties="random"):
        with pytest.raises(ValueError, match="ties='random'; expected one of expected, optimistic"):
            call()


def test_queries_without_relevant_items_are_refused_by_number():
    for call in every_metric(made((0, 1), (0, 1), offsets=[0, 1, 1, 2])):
        with pytest.raises(InputError, match="query 1 of ranks has no relevant item"):
            call()


def test_no_query_is_refused():
    for call in every_metric(made()):
        with pytest.raises(InputError, match="ranks holds no query"):
            call()


@pytest.mark.parametrize("items", [((0, 3), (1, 2)), ((0, 3), (2, 1)), ((0, 1), (0, 2))])
def test_counts_that_contradict_each_other_are_refused(items):
    ranks = made((0, 1), *items, offsets=[0, 1, 3])
    object.__setattr__(ranks, "tied_before", np.array([0, 0, 1]))
    with pytest.raises(InputError, match=r"query 1 of ranks: .*; expected counts of one"):
        metrics.recall_at_k(ranks)
