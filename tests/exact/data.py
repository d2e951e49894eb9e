"""Galleries and queries that make an inexact search fail, each from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Maker = Callable[[np.random.Generator, int, int], Floats]

SMALLEST = np.float32(2.0**-149)
SCENE_FRAMES = 100
FRAME_COSINE = 0.9998
DISTINCT_ROWS = 300
STATIC_SHOT_ROWS = 10_000
INVALID_SHARE = 0.02


class Data(NamedTuple):
    """One problem. ``rows`` and ``queries`` are what the library gets; the rest is for checks."""

    rows: NDArray[np.generic]
    queries: NDArray[np.generic]
    row_values: Floats
    query_values: Floats
    sources: NDArray[np.int64]
    """A row near each query."""
    valid: NDArray[np.int64]
    """Row numbers of the rows that may be ranked."""


# ---- kinds of rows ------------------------------------------------------------------------------


def gaussian(generator: np.random.Generator, n: int, d: int) -> Floats:
    return generator.standard_normal((n, d), np.float32)


def clustered(generator: np.random.Generator, n: int, d: int) -> Floats:
    centres = gaussian(generator, max(1, int(n**0.5)), d)
    rows = gaussian(generator, n, d)
    rows *= np.float32(0.3)
    rows += centres[generator.integers(0, len(centres), n)]
    return rows


def frames(generator: np.random.Generator, n: int, d: int) -> Floats:
    """Scenes of a hundred unit vectors; neighbours have a cosine of about 0.9998."""
    scenes = -(-n // SCENE_FRAMES)
    rows = np.empty((scenes, SCENE_FRAMES, d), np.float32)
    frame = gaussian(generator, scenes, d)
    frame /= np.linalg.norm(frame, axis=1, keepdims=True)
    step = np.float32((2 * (1 - FRAME_COSINE) / d) ** 0.5)
    for place in range(SCENE_FRAMES):
        rows[:, place] = frame
        frame = frame + step * gaussian(generator, scenes, d)
        frame /= np.linalg.norm(frame, axis=1, keepdims=True)
    return rows.reshape(-1, d)[:n]


def static_shot(generator: np.random.Generator, n: int, d: int) -> Floats:
    """Up to 10,000 rows within 1e-4 of each other amid gaussian ones."""
    rows = gaussian(generator, n, d)
    count = min(n, STATIC_SHOT_ROWS)
    start = (n - count) // 2
    rows[start : start + count] *= np.float32(1e-4) / np.float32(3 * d**0.5)
    rows[start : start + count] += gaussian(generator, 1, d) / np.float32(d**0.5)
    return rows


def ties(generator: np.random.Generator, n: int, d: int) -> Floats:
    return gaussian(generator, DISTINCT_ROWS, d)[generator.integers(0, DISTINCT_ROWS, n)]


def small_integers(generator: np.random.Generator, n: int, d: int) -> Floats:
    """Different rows with equal dot products."""
    return generator.integers(-1, 2, (n, d)).astype(np.float32)


def mostly_zeros(generator: np.random.Generator, n: int, d: int) -> Floats:
    """A tenth of the numbers; the zeros have both signs; some rows are zero altogether."""
    rows = gaussian(generator, n, d)
    rows[generator.random((n, d), np.float32) > max(0.1, 3.0 / d)] *= np.float32(0.0)
    rows[generator.random(n) < 0.1] *= np.float32(0.0)
    return rows


def outlier_dimension(generator: np.random.Generator, n: int, d: int) -> Floats:
    rows = gaussian(generator, n, d)
    rows[:, d // 2] *= np.float32(300)
    return rows


def outlier_numbers(generator: np.random.Generator, n: int, d: int) -> Floats:
    """One number in some rows is far larger than the others, each in another place."""
    rows = gaussian(generator, n, d)
    some = np.flatnonzero(generator.random(n) < 0.2)
    rows[some, generator.integers(0, d, len(some))] *= np.float32(1e4)
    return rows


def common_mean(generator: np.random.Generator, n: int, d: int) -> Floats:
    """All rows lie far out in one direction, so their differences are small beside it."""
    rows = gaussian(generator, n, d)
    rows += np.float32(3000) * gaussian(generator, 1, d)
    return rows


def ascending(generator: np.random.Generator, n: int, d: int) -> Floats:
    """Each row is nearer to the last one than the row before it, so no row can be skipped."""
    rows = np.float32(0.001) * gaussian(generator, n, d)
    rows += np.linspace(0.1, 1, n, dtype=np.float32)[:, None] * gaussian(generator, 1, d)
    return rows


def subnormals(generator: np.random.Generator, n: int, d: int) -> Floats:
    return generator.integers(-1000, 1001, (n, d)).astype(np.float32) * SMALLEST


def ends_of_range(generator: np.random.Generator, n: int, d: int) -> Floats:
    """The largest and the smallest numbers side by side in one row."""
    numbers = np.array([3.4e38, -3.4e38, SMALLEST, -SMALLEST, 1.0, 0.0, -0.0], np.float32)
    return generator.choice(numbers, (n, d), p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.1, 0.1])


def nearly_equal_integers(generator: np.random.Generator, n: int, d: int) -> Floats:
    """Large equal products and one small difference: sums beyond the 24 bits of float32."""
    rows = np.full((n, d), 127, np.float32)
    some = generator.integers(0, d, (n, 3))
    rows[np.arange(n)[:, None], some] -= generator.integers(0, 2, (n, 3)).astype(np.float32)
    return rows


KINDS: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        gaussian,
        clustered,
        frames,
        static_shot,
        ties,
        small_integers,
        mostly_zeros,
        outlier_dimension,
        outlier_numbers,
        common_mean,
        ascending,
        subnormals,
        ends_of_range,
        nearly_equal_integers,
    )
}

# Powers of ten by which rows or queries are multiplied; "mixed" draws one for each of them.
SCALES = {"1": 0, "1e-37": -37, "1e-25": -25, "1e10": 10, "1e25": 25, "1e30": 30}


def scaled(generator: np.random.Generator, values: Floats, scale: str) -> Floats:
    """Multiplied in place; nothing overflows that was below 1e8."""
    if scale == "mixed":
        values *= (10.0 ** generator.uniform(-37, 30, (len(values), 1))).astype(np.float32)
    elif scale != "1":
        values *= np.float32(10.0 ** SCALES[scale])
    return values


# ---- a whole problem ----------------------------------------------------------------------------


def queries_near(
    generator: np.random.Generator, rows: Floats, count: int, maker: Maker
) -> tuple[Floats, NDArray[np.int64]]:
    """By turns a copy of a row, a row with some noise, and something of the rows' own kind."""
    sources = generator.integers(0, len(rows), count)
    queries = rows[sources]
    with np.errstate(over="ignore"):
        noisy = queries[1::3] * (1 + np.float32(0.1) * gaussian(generator, *queries[1::3].shape))
    queries[1::3] = np.where(np.isfinite(noisy), noisy, queries[1::3])
    queries[2::3] = maker(generator, len(queries[2::3]), rows.shape[1]) if count > 2 else 0
    return queries, sources


def without_zero_rows(values: NDArray[np.generic], smallest: float) -> None:
    values[~values.astype(np.float32).any(axis=1), 0] = smallest


def spoiled(
    generator: np.random.Generator, rows: Floats, metric: str
) -> tuple[Floats, NDArray[np.int64]]:
    """NaN, infinite and (where cosine refuses them) zero rows strewn in; the valid row numbers."""
    bad = np.flatnonzero(generator.random(len(rows)) < INVALID_SHARE)[: len(rows) - 1]
    for place, row in enumerate(bad):
        if place % 3 == 2 and metric == "cosine":
            rows[row] = 0
        else:
            column = generator.integers(0, rows.shape[1])
            rows[row, column] = (np.nan, np.inf, -np.inf)[place % 3]
    return rows, np.setdiff1d(np.arange(len(rows)), bad)


def make(
    seed: int,
    kind: str,
    *,
    row_count: int,
    dimension: int,
    query_count: int,
    metric: str,
    row_scale: str = "1",
    query_scale: str = "1",
    dtype: np.dtype | None = None,
    with_invalid: bool = False,
) -> Data:
    """Draw rows and queries; 16-bit numbers are rounded first and are exact values afterwards."""
    generator = np.random.default_rng(seed)
    maker = KINDS[kind]
    values = maker(generator, row_count, dimension)
    query_values, sources = queries_near(generator, values, query_count, maker)
    values = scaled(generator, values, row_scale)
    query_values = scaled(generator, query_values, query_scale)
    rows, queries = values, query_values
    if dtype is not None and dtype != np.float32:
        with np.errstate(over="ignore"):
            rows, queries = values.astype(dtype), query_values.astype(dtype)
        for numbers in (rows, queries):
            numbers[~np.isfinite(numbers.astype(np.float32))] = 1
    if metric == "cosine":
        for numbers in (rows, queries):
            # The smallest number that is not zero in this type.
            bits = np.dtype(f"u{numbers.dtype.itemsize}")
            without_zero_rows(numbers, np.array(1, bits).view(numbers.dtype))
    valid = np.arange(row_count)
    if with_invalid:
        rows, valid = spoiled(generator, rows, metric)
    return Data(
        rows,
        queries,
        rows.astype(np.float32, copy=False),
        queries.astype(np.float32, copy=False),
        sources,
        valid,
    )
