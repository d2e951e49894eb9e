"""The configurations that exact search and ranks are checked in: fixed, seeded, and counted."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from tests.exact import data

ROW_COUNTS = (1, 31, 467, 5_000, 40_804, 200_000)
DIMENSIONS = (1, 3, 64, 100, 384, 512, 777, 1024, 4096)
QUERY_COUNTS = (1, 32, 1000)
CUTS = (1, 10, 100, "N")
METRICS = ("dot", "cosine")
DTYPES = ("float32", "float16", "bfloat16")
SIXTEEN_BIT_KINDS = ("gaussian", "frames", "ties")

MOST_NUMBERS = 210_000_000  # of a gallery: 0.84 GB
MOST_WORK = 25_000_000_000  # see Configuration.work
MOST_PAIRS = 50_000_000  # rows x queries: in few dimensions most rows are ties
MOST_FOUND = 5_000_000  # queries x k

CI_COUNT = 25
CI_NUMBERS = 25_000_000
CI_WORK = 700_000_000


def work(row_count: int, dimension: int, query_count: int) -> int:
    return row_count * query_count * (dimension + 64)


@dataclass(frozen=True, slots=True)
class Configuration:
    """One gallery, its queries, and what is asked of them."""

    number: int
    kind: str
    row_count: int
    dimension: int
    query_count: int
    cut: int | str
    metric: str
    dtype: str = "float32"
    query_dtype: str = "float32"
    row_scale: str = "1"
    query_scale: str = "1"
    with_invalid: bool = False
    with_ids: bool = False

    @property
    def k(self) -> int:
        return self.row_count if self.cut == "N" else self.cut

    @property
    def work(self) -> int:
        """Products to be added up; picking a row costs about as much as 64 of them."""
        return work(self.row_count, self.dimension, self.query_count)

    def __str__(self) -> str:
        parts = [
            f"#{self.number} {self.kind} N={self.row_count} D={self.dimension}",
            f"Q={self.query_count} K={self.cut} {self.metric}",
        ]
        parts += [f"{self.dtype}/{self.query_dtype}"] * (self.dtype != "float32")
        parts += [f"rows x {self.row_scale}"] * (self.row_scale != "1")
        parts += [f"queries x {self.query_scale}"] * (self.query_scale != "1")
        parts += ["invalid rows dropped"] * self.with_invalid + ["ids"] * self.with_ids
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Variant:
    """A kind of data in one of the forms it is tried in."""

    kind: str
    dtype: str = "float32"
    row_scale: str = "1"
    query_scale: str = "1"
    with_invalid: bool = False


def variants() -> list[Variant]:
    made = [Variant(kind) for kind in data.KINDS]
    made += [
        Variant(kind, dtype) for dtype in DTYPES[1:] for kind in ("gaussian", "frames", "ties")
    ]
    made += [
        Variant("small_integers", "float16"),
        Variant("gaussian", "bfloat16", row_scale="1e-37"),
        Variant("clustered", "bfloat16", row_scale="mixed", query_scale="1e25"),
        Variant("mostly_zeros", "bfloat16", row_scale="1e30"),
    ]
    made += [
        Variant(kind, row_scale=row_scale, query_scale=query_scale)
        for kind, row_scale, query_scale in (
            ("gaussian", "1e-37", "1"),
            ("gaussian", "1e-25", "1"),
            ("gaussian", "1e30", "1"),
            ("gaussian", "1", "1e-37"),
            ("gaussian", "1e25", "1e10"),
            ("gaussian", "1e30", "1e30"),
            ("gaussian", "1e-37", "1e-37"),
            ("gaussian", "mixed", "mixed"),
            ("frames", "1e-37", "1e30"),
            ("ties", "mixed", "1e25"),
            ("clustered", "mixed", "1"),
            ("common_mean", "1e30", "1e-25"),
            ("outlier_numbers", "mixed", "mixed"),
            ("static_shot", "1e-25", "1e25"),
            ("ascending", "1e-37", "mixed"),
        )
    ]
    made += [Variant(kind, with_invalid=True) for kind in ("gaussian", "ties", "common_mean")]
    return made


def _sizes(seed: int):
    """Endless (rows, dimensions, queries, cut); each value comes as often as the limits allow."""
    generator = np.random.default_rng(seed)

    def dealt(values):
        while True:
            for place in generator.permutation(len(values)):
                yield values[place]

    columns = [dealt(values) for values in (ROW_COUNTS, DIMENSIONS, QUERY_COUNTS, CUTS)]
    while True:
        rows, dimension, queries, cut = (next(column) for column in columns)
        k = rows if cut == "N" else cut
        if (
            rows * dimension <= MOST_NUMBERS
            and work(rows, dimension, queries) <= MOST_WORK
            and rows * queries <= MOST_PAIRS
            and min(k, rows) * queries <= MOST_FOUND
        ):
            yield rows, dimension, queries, cut


def all_configurations() -> list[Configuration]:
    """Every variant with both metrics at several sizes, and three searches larger than those."""
    sizes = _sizes(seed=2026)
    made: list[Configuration] = []
    for repeat, variant, metric in itertools.product(range(3), variants(), METRICS):
        rows, dimension, queries, cut = next(sizes)
        if variant.with_invalid and rows < 31:
            rows = 31
        made.append(
            Configuration(
                number=len(made),
                kind=variant.kind,
                row_count=rows,
                dimension=dimension,
                query_count=queries,
                cut=cut,
                metric=metric,
                dtype=variant.dtype,
                query_dtype="float32" if repeat == 2 else variant.dtype,
                row_scale=variant.row_scale,
                query_scale=variant.query_scale,
                with_invalid=variant.with_invalid,
                with_ids=len(made) % 4 == 3,
            )
        )
    for sizes_of_one in (
        ("gaussian", 200_000, 64, 1000, 10, "cosine"),
        ("clustered", 200_000, 64, 1000, 100, "dot"),
        ("clustered", 1_000_000, 512, 32, 100, "cosine"),
    ):
        made.append(Configuration(len(made), *sizes_of_one))
    return made


def ci_configurations() -> list[Configuration]:
    """The largest affordable configuration of each kind, then of each other variant, up to 25."""
    affordable = [
        c
        for c in all_configurations()
        if c.row_count * c.dimension <= CI_NUMBERS and c.work <= CI_WORK
    ]
    affordable.sort(key=lambda c: -c.work)
    chosen: dict[tuple[str, ...], Configuration] = {}
    for describe in (
        lambda c: (c.kind,),
        lambda c: (c.dtype, str(c.with_invalid)),
        lambda c: (str(c.row_count),),
        lambda c: (str(c.query_count), c.metric),
        lambda c: (str(c.dimension),),
        lambda c: (str(c.cut), c.metric),
        lambda c: (c.row_scale,),
        lambda c: (c.query_scale,),
        lambda c: (c.kind, c.dtype, c.row_scale, c.query_scale, str(c.with_invalid)),
    ):
        for configuration in affordable:
            if len(set(chosen.values())) == CI_COUNT:
                break
            if describe(configuration) not in {describe(c) for c in chosen.values()}:
                chosen[str(configuration.number),] = configuration
    return sorted(chosen.values(), key=lambda c: c.number)
