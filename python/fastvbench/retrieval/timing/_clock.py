"""Repeat a pass until it was run often enough and long enough, and sum up what it took."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["STAGES", "Enough", "LedgerPass", "repeat", "summary", "typical_pass"]

# What a pass from the files to the written ranking is made of; "other" is added, so that the sum is
# the wall time.
STAGES = (
    "read_gallery",
    "prepare_index",
    "read_queries",
    "transfer",
    "search",
    "write_ranking",
)

OTHER_SHARE = 0.05  # of the wall time, and
OTHER_SECONDS = 0.002  # at least so much, may pass outside the stages


class Enough(NamedTuple):
    """When a measurement may stop: when all three are reached.

    Attributes:
        seconds: time measured.
        passes: passes over the queries.
        calls: calls of the engine.
    """

    seconds: float
    passes: int
    calls: int


class LedgerPass(NamedTuple):
    """One pass with its input and output.

    Attributes:
        wall_seconds: from before the first read to after the last write.
        stages: seconds by stage.
        call_seconds: per call, all that was done for it alone.
        call_queries: queries of each call.
    """

    wall_seconds: float
    stages: dict[str, float]
    call_seconds: list[float]
    call_queries: list[int]

    @property
    def other_seconds(self) -> float:
        """What no stage holds."""
        return self.wall_seconds - sum(self.stages.values())

    def per_query_seconds(self) -> list[float]:
        """Seconds of each query: its share of its call, and of what is done once for all.

        They add up to the wall time.
        """
        once = self.wall_seconds - sum(self.call_seconds)
        share = once / sum(self.call_queries)
        return _shared_out(self.call_seconds, self.call_queries, share)

    def ledger(self) -> dict[str, Any]:
        """The stages in ms, the rest as ``other``, their sum, and whether the rest is small."""
        stages_ms = {name: 1e3 * seconds for name, seconds in self.stages.items()}
        other = self.other_seconds
        return {
            "stages_ms": {**stages_ms, "other": 1e3 * other},
            "wall_ms": 1e3 * self.wall_seconds,
            "other_within_tolerance": other <= max(OTHER_SECONDS, OTHER_SHARE * self.wall_seconds),
        }


def repeat(run: Callable[[], tuple[float, int]], enough: Enough) -> int:
    """Run passes until enough time, passes and calls were measured.

    Args:
        run: one pass; returns its seconds and its calls.
        enough: when to stop.

    Returns:
        The number of passes.
    """
    seconds, calls, passes = 0.0, 0, 0
    # The wall clock ends what a pass does outside its measured part, such as emptying a cache.
    begin = time.perf_counter()
    while True:
        pass_seconds, pass_calls = run()
        seconds, calls, passes = seconds + pass_seconds, calls + pass_calls, passes + 1
        long_enough = seconds >= enough.seconds or (
            time.perf_counter() - begin >= 10 * enough.seconds
        )
        if long_enough and passes >= enough.passes and calls >= enough.calls:
            return passes


def summary(
    call_seconds: Sequence[float], call_queries: Sequence[int], *, passes: int
) -> dict[str, Any]:
    """Per query and in total, in ms.

    Args:
        call_seconds: of every call of every pass.
        call_queries: how many queries each answered.
        passes: passes that the calls belong to.

    Returns:
        ``mean``, ``p50`` and ``p95`` per query (a call's time shared by its queries), ``total`` of
        one pass, and what they were taken from.
    """
    per_query = _shared_out(call_seconds, call_queries, 0.0)
    return _statistics(per_query, passes, calls=len(call_seconds))


def typical_pass(passes: Sequence[LedgerPass]) -> dict[str, Any]:
    """The same of passes with input and output, and the ledger of the median one."""
    per_query = [seconds for one in passes for seconds in one.per_query_seconds()]
    calls = sum(len(one.call_seconds) for one in passes)
    by_wall = sorted(passes, key=lambda one: one.wall_seconds)
    return {
        **_statistics(per_query, len(passes), calls=calls),
        **by_wall[(len(by_wall) - 1) // 2].ledger(),
    }


def _shared_out(
    call_seconds: Sequence[float], call_queries: Sequence[int], extra: float
) -> list[float]:
    return [
        seconds / queries + extra
        for seconds, queries in zip(call_seconds, call_queries, strict=True)
        for _ in range(queries)
    ]


def _statistics(per_query_seconds: list[float], passes: int, *, calls: int) -> dict[str, Any]:
    per_query_ms = 1e3 * np.asarray(per_query_seconds)
    p50, p95 = np.percentile(per_query_ms, [50, 95])
    return {
        "mean": float(per_query_ms.mean()),
        "p50": float(p50),
        "p95": float(p95),
        "total": float(per_query_ms.sum() / passes),
        "queries": len(per_query_seconds) // passes,
        "passes": passes,
        "calls": calls,
    }
