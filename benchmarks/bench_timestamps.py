"""Times from text: the full grammar against rivals that only find decimal numbers."""

from __future__ import annotations

import numpy as np
from benchmarks.rivals import re_rival, timestamps_data
from benchmarks.rivals.polars_rival import prepare_decimals
from benchmarks.rules import Isolated

from fastvbench import parse_timestamps

ROWS = 1_000_000
SEED = 0


def decimals_agree(plain):
    """A check of the rows that hold plain decimals; clocks are more than the rivals can read."""
    rows = np.flatnonzero(plain)

    def check(name, ours, theirs):
        values, lengths = theirs if name == "polars" else flat(theirs)
        first = np.cumsum(lengths) - lengths
        begin = ours.offsets[:-1]
        assert (lengths[rows] == 2).all(), name
        assert (np.diff(ours.offsets) == 1).all(), name
        np.testing.assert_array_equal(ours.values[begin[rows], 0], values[first[rows]], name)
        np.testing.assert_array_equal(ours.values[begin[rows], 1], values[first[rows] + 1], name)

    return check


def flat(lists):
    lengths = np.array([len(numbers) for numbers in lists])
    return np.array([number for numbers in lists for number in numbers]), lengths


def bench_list_one_thread(compare):
    lines, plain = timestamps_data.texts(ROWS, SEED)
    compare(
        lambda: parse_timestamps(lines, threads=1),
        {
            "re-decimal": lambda: re_rival.decimals(lines),
            "polars": Isolated(prepare_decimals, {"rows": ROWS, "seed": SEED}),
        },
        decimals_agree(plain),
        case="timestamps/list, 1 thread",
        rounds=5,
    )


def bench_list_one_thread_reworded(compare):
    """No two texts worded alike, which the kernel cannot profit from: its slow side."""
    lines, plain = timestamps_data.texts(ROWS, SEED, reworded=True)
    rival = Isolated(prepare_decimals, {"rows": ROWS, "seed": SEED, "reworded": True})
    compare(
        lambda: parse_timestamps(lines, threads=1),
        {"re-decimal": lambda: re_rival.decimals(lines), "polars": rival},
        decimals_agree(plain),
        case="timestamps/list, 1 thread, each worded its own way",
        rounds=5,
    )


def bench_arrow_two_threads(compare):
    import pyarrow

    lines, plain = timestamps_data.texts(ROWS, SEED)
    column = pyarrow.array(lines, pyarrow.large_string())
    compare(
        lambda: parse_timestamps(column, threads=2),
        {
            "re-decimal": lambda: re_rival.decimals(lines),
            "polars": Isolated(prepare_decimals, {"rows": ROWS, "seed": SEED}),
        },
        decimals_agree(plain),
        case="timestamps/arrow, 2 threads",
        rounds=5,
    )
