"""The clock: how a kernel is measured against its rivals. README.md says why each rule is there.

One comparison is one case: the answers are checked first, everybody warms up, then rounds are
interleaved (rival, rival, ours, rival, rival, ours, ...), so that a noisy neighbour hits them all.
A ratio is the rival's median time over ours: 3.0 means that we take a third of its time.
"""

from __future__ import annotations

import contextlib
import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.contenders import Call, Contender, Here, Isolated, RivalError, own_process
from benchmarks.ledger import Ledger, Row

__all__ = ["Isolated", "Ledger", "RivalError", "Row", "compare"]

Check = Callable[[str, Any, Any], None]

# numpy's OpenBLAS was seen to spin for 105 ms after its last job, torch and faiss for 11; the next
# engine starts on idle cores.
IDLE_SECONDS = 0.2


def compare(
    ours: Call,
    rivals: Mapping[str, Call | Isolated],
    check: Check,
    *,
    case: str,
    benchmark: Any,
    ledger: Ledger,
    rounds: int = 9,
    warmup: int = 2,
    calls: int = 1,
    rival_share: float = 1.0,
) -> list[Row]:
    """Measures `ours` against each rival and enters the ratios into the ledger.

    Args:
        ours: the call to measure; its data is ready.
        rivals: by name: a call in this process, or an `Isolated` one.
        check: called as check(rival_name, our_answer, rival_answer); raises AssertionError where
            the two differ. It runs before anything is timed.
        case: name of the case, as in gates.toml: "family/what, on how much".
        benchmark: pytest-benchmark's fixture; it times `ours` and keeps the ratios as extra info.
        ledger: where the rows go.
        rounds: interleaved rounds, two or more, each of every contender once.
        warmup: untimed rounds before them.
        calls: calls per round, for what takes microseconds.
        rival_share: share of our rows that the rivals get, where all would take minutes: their time
            is divided by it, and `check` looks at those rows.

    Returns:
        One row per rival; none where pytest-benchmark is disabled (answers are checked then too).

    Raises:
        AssertionError: from `check`, or where the ledger is a gate and a floor is missed twice.
        RivalError: an isolated rival failed.
    """
    with contextlib.ExitStack() as stack:
        contenders: dict[str, Contender] = {}
        for name, rival in rivals.items():
            if isinstance(rival, Isolated):
                contenders[name] = stack.enter_context(own_process(rival))
            else:
                contenders[name] = Here(rival)
        our_answer = ours()
        for name, contender in contenders.items():
            check(name, our_answer, contender.answer())
        del our_answer

        if benchmark.disabled:
            benchmark.pedantic(ours)
            return []
        idle_seconds = IDLE_SECONDS if any(isinstance(r, Isolated) for r in rivals.values()) else 0
        race = _Race(ours, contenders, rounds, warmup, calls, idle_seconds, rival_share)
        stack.enter_context(_no_garbage_collection())
        floors = ledger.floors.get(case, {})

        times = race.run_by(benchmark)
        rows = [_row(case, name, times, calls, floors.get(name)) for name in contenders]
        if not all(row.passed for row in rows):
            times = race.run()  # once more: a neighbour may have passed by
            rows = [_row(case, name, times, calls, floors.get(name)) for name in contenders]
            rows = [replace(row, remeasured=True) for row in rows]

    ledger.rows += rows
    benchmark.extra_info["case"] = case
    for row in rows:
        benchmark.extra_info[f"ratio to {row.rival}"] = round(row.ratio, 3)
    below = [row for row in rows if not row.passed]
    missed = [f"{case}: {row.ratio:.2f}x {row.rival}, floor {row.floor}" for row in below]
    assert not (ledger.gate and missed), "; ".join(missed)
    return rows


@dataclass(frozen=True)
class _Times:
    ours: list[float]
    rivals: dict[str, list[float]]


@dataclass(frozen=True)
class _Race:
    ours: Call
    rivals: Mapping[str, Contender]
    rounds: int
    warmup: int
    calls: int
    idle_seconds: float
    rival_share: float

    def run_by(self, benchmark: Any) -> _Times:
        """Interleaved rounds in which pytest-benchmark times our part."""
        times: dict[str, list[float]] = {name: [] for name in self.rivals}
        self._warm_up()
        benchmark.pedantic(
            self._our_calls, setup=lambda: self._rivals_round(times), rounds=self.rounds
        )
        return _Times(list(benchmark.stats.stats.data), times)

    def run(self) -> _Times:
        """The same with our own clock: pytest-benchmark times one race per test."""
        times: dict[str, list[float]] = {name: [] for name in self.rivals}
        here, ours = Here(self.ours), []
        self._warm_up()
        for _ in range(self.rounds):
            self._rivals_round(times)
            ours.append(here.seconds(self.calls))
        return _Times(ours, times)

    def _warm_up(self) -> None:
        for _ in range(self.warmup):
            self._rivals_round({name: [] for name in self.rivals})
            self._our_calls()

    def _our_calls(self) -> None:
        for _ in range(self.calls):
            self.ours()

    def _rivals_round(self, times: dict[str, list[float]]) -> None:
        for name, rival in self.rivals.items():
            time.sleep(self.idle_seconds)
            times[name].append(rival.seconds(self.calls) / self.rival_share)
        time.sleep(self.idle_seconds)


def _row(case: str, rival: str, times: _Times, calls: int, floor: float | None) -> Row:
    theirs = times.rivals[rival]
    by_round = [their / our for their, our in zip(theirs, times.ours, strict=True)]
    low, _, high = statistics.quantiles(by_round, n=4, method="inclusive")
    ours_seconds, rival_seconds = statistics.median(times.ours), statistics.median(theirs)
    return Row(
        case=case,
        rival=rival,
        ours_seconds=ours_seconds / calls,
        rival_seconds=rival_seconds / calls,
        ratio=rival_seconds / ours_seconds,
        ratio_low=low,
        ratio_high=high,
        rounds=len(theirs),
        floor=floor,
    )


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
