"""Interval columns for property tests, and every way a kernel may run."""

from __future__ import annotations

import itertools

from hypothesis import settings
from hypothesis import strategies as st

from fastvbench import _core

THREADS = (1, 2, 5)

# One example runs every level and thread count, on a machine that others may use too.
without_deadline = settings(deadline=None)

# A small grid makes equal, touching, nested and zero-length intervals common.
grid_times = st.integers(-2, 12).map(float) | st.integers(0, 40).map(lambda n: n / 7)
wild_times = st.floats(-1e9, 1e9) | st.sampled_from([-0.0, 0.0, 5e-324, -5e-324, 1e299, -1e299])


def intervals(times=grid_times | wild_times):
    return st.tuples(times, times).map(lambda pair: (min(pair), max(pair)))


def rows(most=5, times=grid_times | wild_times):
    return st.lists(intervals(times), max_size=most)


def columns(most=5, max_rows=6, times=grid_times | wild_times):
    """(pred, gold): two lists of as many rows."""
    row_pairs = st.lists(st.tuples(rows(most, times), rows(most, times)), max_size=max_rows)
    return row_pairs.map(lambda pairs: ([p for p, _ in pairs], [g for _, g in pairs]))


def every_run():
    """Thread counts, each at every CPU level of this machine; the level is put back at the end."""
    before = _core.cpu_level()
    try:
        for level, threads in itertools.product(_core.available_cpu_levels(), THREADS):
            _core.set_cpu_level(level)
            yield threads
    finally:
        _core.set_cpu_level(before)


def random_rows(generator, row_count, most, longest=30.0):
    """Rows of 0 to `most` intervals with times of every length."""
    made = []
    for count in generator.integers(0, most + 1, row_count):
        starts = generator.uniform(0, 100, count)
        ends = starts + generator.uniform(0, longest, count)
        made.append(list(zip(starts.tolist(), ends.tolist(), strict=True)))
    return made
