"""Data on which a fast filter loses rows without noticing: each test shows the loss first.

Every answer of the library is proven at every CPU level, by its own choice of path and by
every other, prepared and in one shot.
"""

from __future__ import annotations

import subprocess
import sys
import time
from unittest import mock

import numpy as np
import pytest
from tests.exact import data, run
from tests.python.retrieval.naive_filter import encode, queries_that_lose_a_row

from fastvbench import _core, retrieval
from fastvbench.retrieval import _gallery

METRICS = ("dot", "cosine")


def prove_everywhere(queries, gallery, k, metrics=METRICS, threads=(1, 2)):
    """Search and ranks of every query, at every level, against the proof."""
    made = data.Data(
        gallery,
        queries,
        gallery.astype(np.float32),
        queries.astype(np.float32),
        np.arange(len(queries)) % len(gallery),
        np.arange(len(gallery)),
    )
    for metric in metrics:
        problem = run.prove(made, k, metric, None, np.random.default_rng(0))
        assert len(problem.checked) == len(queries), "too large to prove"
        asked = [
            run.Run(level, thread_count, prepared, path)
            for level in _core.available_cpu_levels()
            for thread_count in threads
            for prepared, path in run.EVERY_WAY
        ]
        run.check_problem(problem, asked)


def gaussian(seed, *shape, scale=1.0):
    values = np.random.default_rng(seed).standard_normal(shape)
    return (values * scale).astype(np.float32)


# ---- sums of the bias ---------------------------------------------------------------------------


def test_a_mean_far_larger_than_the_differences():
    """The bias mu.y' is a long sum of huge numbers that cancel. Added up in float32 it is off by
    more than any slack that is relative to |x'| |y'|, because |mu| is not in there.
    """
    generator = np.random.default_rng(3)
    half_dimension = 128
    base = generator.integers(-100, 101, half_dimension)
    changed = generator.random((1500, half_dimension)) < 0.1
    half = base + generator.integers(-1, 2, changed.shape) * changed
    half[:, 0] = 127  # the scale is 1, the codes are exact, and the bound has nothing to spare
    rows = np.concatenate([half, -half], axis=1)[:, generator.permutation(2 * half_dimension)]
    rows = np.concatenate([rows, -rows])  # the mean is the number added below, exactly
    half = generator.integers(-126, 127, (40, half_dimension))
    half[:, 0] = 127
    mean = 2**20 + 12_345
    gallery = (rows + mean).astype(np.float32)
    queries = (np.concatenate([half, -half], axis=1) + mean).astype(np.float32)
    assert queries_that_lose_a_row(queries, gallery, 10) > 20
    prove_everywhere(queries, gallery, 10)


# ---- the range of float32 -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row_scale", "query_scale", "losing_at_least"),
    [(1e-25, 1.0, 1), (1e-37, 1.0, 50), (1e30, 1.0, 50), (1e25, 1e10, 50)],
)
def test_scales_at_which_float32_squares_vanish_or_overflow(
    row_scale, query_scale, losing_at_least
):
    """Norms and residuals are sums of squares. At 1e-25 the squares are zero and the bound is too
    tight; at 1e-37 one over the scale is infinite and every code is wrong; at 1e30 norms are
    infinite, bounds NaN, and `bound >= threshold` is false. Nothing raises.
    """
    gallery = gaussian(0, 3000, 64, scale=row_scale)
    queries = gaussian(1, 60, 64, scale=query_scale)
    assert queries_that_lose_a_row(queries, gallery, 10) >= losing_at_least
    prove_everywhere(queries, gallery, 10)


def test_rows_of_every_size_in_one_gallery():
    """The mean of such a gallery is that of its largest rows. Beside it the small rows are all
    alike, and the squares of the large ones overflow.
    """
    generator = np.random.default_rng(2)
    scales = 10.0 ** generator.uniform(-37, 30, (3000, 1))
    gallery = (gaussian(3, 3000, 64) * scales).astype(np.float32)
    queries = gaussian(4, 20, 64)
    assert queries_that_lose_a_row(queries, gallery, 10) > 10
    prove_everywhere(queries, gallery, 10)


def test_a_bound_that_is_not_a_number_keeps_its_row():
    """Infinity less infinity is NaN. Asked `bound >= threshold` it says no, and rows are lost;
    asked `not bound < threshold` it keeps what cannot be decided. Data of ordinary size that has a
    few huge rows brings both kinds of bound into one scan.
    """
    gallery = gaussian(5, 3000, 32)
    gallery[::50] *= np.float32(1e30)
    queries = gaussian(6, 40, 32)
    assert queries_that_lose_a_row(queries, gallery, 10) == 40
    assert queries_that_lose_a_row(queries, gallery, 10, keep_nan=True) == 0
    prove_everywhere(queries, gallery, 10)


# ---- integers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [112, 179, 279, 295])
def test_integer_sums_beyond_the_24_bits_of_float32(seed):
    """A sum of codes above 2**24 is rounded when it becomes a float, and again when the scale of
    its row multiplies it. Two rows may change places; a bound that is exact otherwise says so of
    neither.
    """
    dimension, row_count = 1420, 3
    generator = np.random.default_rng(seed)
    scales = generator.choice([1, 0.75, 0.875, 0.8125, 0.9375], row_count)
    target = 2**24 + generator.integers(0, 32, row_count) / 8
    hundreds, rest = np.divmod(np.floor(target / scales).astype(np.int64), 127)
    each, more = np.divmod(hundreds - 127, dimension - 2)
    codes = np.empty((row_count, dimension), np.int64)
    codes[:, 0], codes[:, -1] = 127, rest
    codes[:, 1:-1] = each[:, None] + (np.arange(dimension - 2) < more[:, None])
    low = generator.integers(-20, 21, (2000, dimension))
    low[:, 0] = 127  # rows that never matter, so that there is something to filter
    rows = np.concatenate([low[:1000], codes * scales[:, None], low[1000:]])
    gallery = np.concatenate([rows, -rows]).astype(np.float32)  # the mean is zero
    query = np.full((1, dimension), 127, np.float32)
    query[0, -1] = 1
    assert queries_that_lose_a_row(query, gallery, 1, careful=False) == 1
    prove_everywhere(np.concatenate([query, -query]), gallery, 1)


@pytest.mark.parametrize("dimension", [4097, 5000, 16_385])
def test_more_dimensions_than_a_fixed_buffer_holds(dimension):
    """A row of codes on the stack has some largest dimension: one more overwrites what follows."""
    gallery = gaussian(dimension, 300, dimension)
    queries = gallery[:3] + gaussian(1, 3, dimension)
    prove_everywhere(queries, gallery, 5)


@pytest.mark.parametrize("dimension", [70_000, 140_000])
def test_more_dimensions_than_an_int32_sum_holds(dimension):
    """Unsigned codes of 255 times 127 reach 2**31 after 66,312 dimensions, and the correction
    128 * 127 after 132,104: then the best row gets the most negative sum.
    """
    with np.errstate(over="ignore"):
        sums = np.full(dimension, 255 * 127, np.int32).cumsum(dtype=np.int32)
    assert sums.min() < 0
    generator = np.random.default_rng(0)
    signs = np.ones((60, 1), np.float32)
    signs[::2] = -1
    gallery = signs * generator.choice([1.0, 0.99], (60, dimension)).astype(np.float32)
    queries = np.concatenate([np.ones((1, dimension)), -gallery[:2]]).astype(np.float32)
    prove_everywhere(queries, gallery, 3)


# ---- ties ---------------------------------------------------------------------------------------


def test_negative_and_positive_zero_are_one_key():
    """Selections compare floats by their bits as integers, because that sorts fast. There -0 comes
    before +0, so rows with equal keys stand in the wrong order.
    """
    gallery = np.array([[-0.0, -0.0], [0.0, 0.0], [-0.0, 0.0], [-0.0, -0.0]] * 700, np.float32)
    queries = np.array([[1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0]], np.float32)
    products = gallery[:4, 0] * queries[0, 0] + gallery[:4, 1] * queries[0, 1]
    assert np.argsort(products.view(np.int32), kind="stable").tolist() != [0, 1, 2, 3]
    prove_everywhere(queries, gallery, 9, metrics=("dot",))
    found = retrieval.search(queries, gallery, 9, metric="dot")
    assert found.indices.tolist() == [list(range(9))] * 3
    assert not np.signbit(found.scores).any()
    ranks = retrieval.ranks(queries, gallery, [2799] * 3, metric="dot")
    assert (ranks.above.tolist(), ranks.tied.tolist()) == ([0] * 3, [2800] * 3)


def test_orthogonal_rows_of_both_signs_tie_by_cosine():
    """The same, where the zero is a product with a negative number."""
    gallery = np.zeros((3000, 3), np.float32)
    gallery[:, 1] = np.where(np.arange(3000) % 3 == 0, -1, 1)
    gallery[:, 0] = np.where(np.arange(3000) % 2 == 0, -0.0, 0.0)
    queries = np.array([[2.0, 0.0, 0.0], [-2.0, 0.0, -0.0]], np.float32)
    prove_everywhere(queries, gallery, 40)
    assert retrieval.search(queries, gallery, 40).indices.tolist() == [list(range(40))] * 2


@pytest.mark.parametrize("k", [1, 10, 500])
def test_more_equal_rows_than_a_reservoir_holds(k):
    """Partial selection keeps some k of the equal rows, not the first k, and a reservoir of a few
    times k that is full of ties either overflows or forgets the lowest rows.
    """
    row = gaussian(8, 1, 96)
    gallery = np.repeat(row, 20_000, axis=0)
    gallery[7::1000] = -row
    keys = gallery @ row[0]
    some = np.argpartition(-keys, k)[:k]
    first = np.flatnonzero(keys == keys.max())[:k]
    assert not np.array_equal(np.sort(some), first)
    queries = np.concatenate([row, row * np.float32(0.3), gaussian(9, 2, 96)])
    prove_everywhere(queries, gallery, k)
    found = retrieval.Gallery(gallery).search(row, k)
    assert np.array_equal(found.indices[0], first)


# ---- the smallest galleries ---------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (1, 4096), (2, 1), (33, 1), (4000, 1)])
def test_one_row_and_one_dimension(shape):
    """The mean of one row is the row: what is left is zero, and so is its scale. In one dimension
    all rows are ties by cosine, up to a sign.
    """
    gallery = gaussian(11, *shape)
    gallery[gallery == 0] = 1
    with np.errstate(all="ignore"):
        left = gallery[:1] - gallery[:1]
        assert np.isnan(left / (np.abs(left).max() / np.float32(127))).all()
    queries = np.concatenate([gallery[:2], -gallery[:2], gaussian(12, 3, shape[1])])
    prove_everywhere(queries, gallery, min(3, shape[0]))
    prove_everywhere(queries, gallery.astype(np.float16), min(3, shape[0]))


# ---- time and memory ----------------------------------------------------------------------------

ROWS, DIMENSIONS = 30_000, 128


def static_shot(seed):
    """A gallery with 10,000 rows within 1e-4 of each other, and queries of that shot."""
    gallery = data.static_shot(np.random.default_rng(seed), ROWS, DIMENSIONS)
    return gallery[ROWS // 2 - 16 : ROWS // 2 + 16].copy(), gallery


def test_a_long_static_shot_is_exact():
    """The codes of 10,000 near-equal frames are the same, so all of them pass the filter."""
    queries, gallery = static_shot(0)
    centre = gallery.mean(axis=0)
    codes = encode(gallery[ROWS // 2 - 5_000 : ROWS // 2 + 5_000], centre).codes
    assert len(np.unique(codes, axis=0)) < 1000
    prove_everywhere(queries, gallery, 10, threads=(2,))


def seconds_of(gallery, queries, path="auto"):
    prepared = retrieval.Gallery(gallery)
    times = []
    with mock.patch.object(_gallery, "_AUTO", _gallery._PATH_NAMES.index(path)):
        for _ in range(6):
            start = time.perf_counter()
            prepared.search(queries, 10)
            times.append(time.perf_counter() - start)
    return min(times)


def test_a_long_static_shot_takes_bounded_time():
    """Every survivor costs an exact sum, so 10,000 of them per query cost more than a few. They
    must not cost much more than an exact sum for each row would, as they do where they are sorted
    again on every overflow.
    """
    queries, gallery = static_shot(1)
    ordinary = gaussian(2, ROWS, DIMENSIONS)
    seconds = seconds_of(gallery, queries)
    assert seconds < 150 * seconds_of(ordinary, ordinary[:32].copy())
    assert seconds < 10 * seconds_of(gallery, queries, "stream")


MEMORY_PROGRAM = """
import resource, sys
import numpy as np
from tests.python.retrieval import test_filter_gaps as gaps
from fastvbench import retrieval
queries, gallery = gaps.static_shot(1)
if sys.argv[1] == "ordinary":
    gallery = gaps.gaussian(2, gaps.ROWS, gaps.DIMENSIONS)
    queries = gallery[:32].copy()
prepared = retrieval.Gallery(gallery)
for k in (1, 10, 100):
    prepared.search(np.tile(queries, (8, 1)), k)
    prepared.ranks(queries, np.arange(32))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_mebibytes(what):
    command = [sys.executable, "-c", MEMORY_PROGRAM, what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kibibytes = int(done.stdout) if sys.platform != "darwin" else int(done.stdout) / 1024
    return kibibytes / 1024


def test_a_long_static_shot_takes_bounded_memory():
    """10,000 survivors of 256 queries are 2.6 million candidates where all are held at once."""
    assert peak_mebibytes("static shot") < peak_mebibytes("ordinary") + 64


def test_a_float32_sum_that_overflows_on_its_way_keeps_its_row():
    """A one-shot filter scales queries to the usual row: a huge row's lanes overflow apart.

    Lane 0 becomes minus infinity and no other lane balances it, though the true sum is the largest.
    """
    generator = np.random.default_rng(3)
    gallery = (generator.standard_normal((600, 16)) * 2.0**-104).astype(np.float32)
    gallery[-1] = 0
    gallery[-1, :3] = [-(2.0**28.2), 2.0**27.9, 2.0**27.9]
    queries = np.ones((5, 16), np.float32)
    with np.errstate(over="ignore"):
        naive = (queries[0] * np.float32(2.0**100)) * gallery[-1]
    assert np.isneginf(naive[0])
    assert np.isfinite(naive[1:]).all()
    for level in _core.available_cpu_levels():
        before = _core.cpu_level()
        _core.set_cpu_level(level)
        try:
            found = retrieval.search(queries, gallery, 3, metric="dot")
        finally:
            _core.set_cpu_level(before)
        assert found.indices[:, 0].tolist() == [599] * 5
