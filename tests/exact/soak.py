"""Random small and medium problems until the time is up, each against the proof.

python -m tests.exact.soak [--seconds 600] [--seed S]

A problem is drawn from one number, which is printed where it fails and replays it: --seed S
--problems 1.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from typing import NamedTuple

import numpy as np
from tests.exact import data, run
from tests.reference.search_fast import WrongAnswerError

from fastvbench import _core

MOST_NUMBERS = 2_000_000  # of a gallery
MOST_WORK = 30_000_000  # rows x queries x (dimensions + 64)
REPORT_SECONDS = 30.0


class Drawn(NamedTuple):
    problem: run.Problem
    words: str


def size(generator: np.random.Generator, most: int) -> int:
    """From 1 to `most`: small, near a multiple of a block, or anything, small ones more often."""
    block = 2 ** int(generator.integers(2, 12))
    choices = (
        int(generator.integers(1, 6)),
        block * int(generator.integers(1, 5)) + int(generator.integers(-1, 2)),
        int(np.exp(generator.uniform(0, np.log(most)))),
    )
    return int(np.clip(choices[generator.integers(len(choices))], 1, most))


def twisted(generator: np.random.Generator, made: data.Data, metric: str) -> data.Data:
    """Small changes that make rows equal, opposite or one step apart."""
    rows, queries = made.rows, made.queries
    count = len(rows)
    for _ in range(generator.integers(0, 4)):
        source, target = generator.integers(0, count, 2)
        match generator.integers(0, 5):
            case 0:
                rows[target:] = rows[source]
            case 1:
                rows[target] = -rows[source]
            case 2:
                rows[target] = rows[source]
                column = generator.integers(0, rows.shape[1])
                step = np.nextafter(rows[target, column], rows.dtype.type(np.inf))
                rows[target, column] = step if np.isfinite(step) else rows[target, column]
            case 3:
                queries[generator.integers(0, len(queries))] = -rows[source]
            case 4:
                half = generator.random(count) < 0.5
                rows[half] = generator.permutation(rows[half], axis=1)
    if metric == "cosine":
        for numbers in (rows, queries):
            data.without_zero_rows(numbers, 1.0)
    return made._replace(
        row_values=rows.astype(np.float32), query_values=queries.astype(np.float32)
    )


def draw(seed: int) -> Drawn:
    """One problem; the same seed draws the same one."""
    generator = np.random.default_rng(seed)
    kind = str(generator.choice(list(data.KINDS)))
    metric = str(generator.choice(["dot", "cosine"]))
    dimension = size(generator, 5000)
    row_count = size(generator, max(1, min(60_000, MOST_NUMBERS // dimension)))
    query_count = size(generator, max(1, min(400, MOST_WORK // (row_count * (dimension + 64)))))
    k = size(generator, row_count + 3)
    scales = [*data.SCALES, "mixed"]
    row_scale, query_scale = "1", "1"
    if kind != "ends_of_range" and generator.random() < 0.5:
        row_scale, query_scale = map(str, generator.choice(scales, 2))
    dtype = run.dtype_of(str(generator.choice(["float32"] * 4 + ["float16", "bfloat16"])))
    made = data.make(
        seed,
        kind,
        row_count=row_count,
        dimension=dimension,
        query_count=query_count,
        metric=metric,
        row_scale=row_scale,
        query_scale=query_scale,
        dtype=dtype,
    )
    # nextafter knows no bfloat16
    if made.rows.dtype.kind == "f" and generator.random() < 0.5:
        made = twisted(generator, made, metric)
    ids = None
    if generator.random() < 0.3:
        ids = [f"{number:x}" for number in generator.permutation(row_count)]
    words = (
        f"seed {seed}: {kind} N={row_count} D={dimension} Q={query_count} K={k} {metric} "
        f"{made.rows.dtype} rows x {row_scale} queries x {query_scale}"
    )
    return Drawn(run.prove(made, k, metric, ids, generator), words)


def check_seed(seed: int) -> str:
    """Draw and check one problem at every level; returns what it was.

    Raises:
        WrongAnswerError: naming the seed, the run, the query, rows and keys.
    """
    problem, words = draw(seed)
    asked = [
        run.Run(level, run.THREADS[(seed + turn) % len(run.THREADS)], prepared, path)
        for turn, (level, (prepared, path)) in enumerate(
            itertools.product(_core.available_cpu_levels(), run.EVERY_WAY)
        )
    ]
    try:
        run.check_problem(problem, asked)
    except WrongAnswerError as error:
        raise WrongAnswerError(f"{words}: {error}") from None
    return words


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exact.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, help="of the first problem; the clock where missing")
    parser.add_argument("--problems", type=int, help="stop after this many")
    arguments = parser.parse_args()
    first = arguments.seed if arguments.seed is not None else time.time_ns() % 2**40
    start = time.monotonic()
    reported, done = start, 0
    print(f"first seed {first}, CPU levels {', '.join(_core.available_cpu_levels())}", flush=True)
    while time.monotonic() - start < arguments.seconds and done != arguments.problems:
        try:
            words = check_seed(first + done)
        except WrongAnswerError as error:
            print(f"WRONG {error}")
            print(f"again: python -m tests.exact.soak --seed {first + done} --problems 1")
            return 1
        done += 1
        if time.monotonic() - reported > REPORT_SECONDS:
            reported = time.monotonic()
            print(f"{reported - start:.0f} s, {done} problems, last {words}", flush=True)
    print(f"no difference in {done} problems, {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
