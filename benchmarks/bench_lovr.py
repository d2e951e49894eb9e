"""A LoVR evaluation: exact ranks against the list look-ups of public code."""

from __future__ import annotations

from benchmarks.rivals.lovr_data import directions
from benchmarks.rivals.lovr_public_style import SAMPLE, by_ranks, evaluate, public_style

from fastvbench.retrieval.timing import usable_threads

DIMENSION = 512
SEED = 0


def equal(name, ours, theirs):
    assert ours == theirs, name


def bench_public_style_evaluation(compare):
    """Four directions, Recall@1..20, on one part in 40 of LoVR's sizes."""
    settings = directions(SAMPLE, DIMENSION, SEED)
    threads = usable_threads()
    compare(
        lambda: evaluate(by_ranks, settings, threads=threads),
        {"public-style": lambda: evaluate(public_style, settings)},
        equal,
        case="lovr/public-style evaluation, a sample of 1/40",
        rounds=5,
        warmup=1,
    )
