"""Measures one engine on one gallery; runs inside the engine's own process."""

from __future__ import annotations

import gc
import os
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from fastvbench.retrieval.engines import make_engine
from fastvbench.retrieval.timing._clock import (
    STAGES,
    Enough,
    LedgerPass,
    repeat,
    summary,
    typical_pass,
)
from fastvbench.retrieval.timing._job import MODES
from fastvbench.retrieval.timing._page_cache import drop_pages
from fastvbench.retrieval.timing._source import QueryReader, local_path, map_rows, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    import numpy.typing as npt

    from fastvbench.retrieval.engines import Engine, Neighbours
    from fastvbench.retrieval.timing._job import Job

__all__ = ["Measurement"]

WARM_UP_SECONDS = 0.2
WARM_UP_CALLS = 2
WARM_UP_ROWS = 64  # enough to load what an engine loads with its first search


class Measurement:
    """All modes of one job, one after another.

    Args:
        job: what to measure.
        say: called with a few words when something new begins.
    """

    def __init__(self, job: Job, say: Callable[[str], None]) -> None:
        self._job, self._say = job, say
        self._engine: Engine = self._new_engine()
        self._resident: npt.NDArray[np.float32] | None = None

    def settings(self) -> dict[str, object]:
        """Versions and settings of the engine."""
        return self._engine.settings()

    def run(self) -> dict[str, Any]:
        """Measure everything.

        Passes with input and output come first: each takes the gallery from its file and drops what
        the one before left, so that it is in memory once. The last one's index then stays for the
        measurements without.

        Returns:
            ``modes`` as in the study's JSON, less the checks; ``peak_memory_bytes``.
        """
        gc.disable()  # a collection in the middle of a call is nobody's speed
        self._warm_up_library()
        modes: dict[str, Any] = {mode: {} for mode in MODES}
        for mode in MODES:
            modes[mode]["queries_per_call"] = self._job.calls(mode)[0][1]
            modes[mode]["time_with_io_ms"] = self._with_io(mode)
        for mode in MODES:
            self._say(f"{mode}, {'answers' if self._job.mapped else 'without I/O'}")
            modes[mode]["time_without_io_ms"] = self._without_io(mode)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "modes": modes,
            "peak_memory_bytes": peak if sys.platform == "darwin" else 1024 * peak,
        }

    def _new_engine(self) -> Engine:
        job = self._job
        return make_engine(job.engine, threads=job.threads, device=job.device)

    def _warm_up_library(self) -> None:
        """Load kernels and start pools on a few rows, whatever the gallery."""
        generator = np.random.default_rng(0)
        rows = generator.standard_normal((WARM_UP_ROWS, 16), np.float32)
        self._engine.prepare(rows, metric=self._job.metric)
        for queries in (rows[:1], rows):
            self._engine.fetch(self._engine.search(self._engine.place(queries), 1))

    # ---- from the files to the written ranking ---------------------------------------------

    def _with_io(self, mode: str) -> dict[str, Any]:
        job = self._job
        files = [local_path(job.gallery), local_path(job.queries)]
        if None in files:  # fetched anew every time: what is cached on the way is not ours to say
            return {"network": self._io_passes(mode, "network", lambda: None)}
        caches: dict[str, Any] = {}
        if job.cold:
            refusals = set()

            def drop() -> None:
                self._forget()
                for path in files:
                    assert path is not None
                    refusals.add(drop_pages(path))

            cold = self._io_passes(mode, "cold page cache", drop)
            reasons = sorted(reason for reason in refusals if reason is not None)
            caches["cold"] = {"not_possible": reasons[0]} if reasons else cold
        caches["warm"] = self._io_passes(mode, "warm page cache", lambda: None)
        return caches

    def _io_passes(self, mode: str, name: str, before: Callable[[], None]) -> dict[str, Any]:
        self._say(f"{mode}, with I/O, {name}")
        passes: list[LedgerPass] = []

        def run() -> tuple[float, int]:
            before()
            one = self._io_pass(mode)
            passes.append(one)
            return one.wall_seconds, len(one.call_seconds)

        if name.startswith("warm"):
            run()  # reads the files into the page cache
            passes.clear()
        repeat(run, Enough(self._job.minimum_seconds, self._job.minimum_passes, 1))
        return typical_pass(passes)

    def _io_pass(self, mode: str) -> LedgerPass:
        job, clock = self._job, time.perf_counter
        self._forget()
        engine = self._new_engine()
        stages = dict.fromkeys(STAGES, 0.0)
        call_seconds = []
        begin = clock()
        gallery = map_rows(job.gallery) if job.mapped else read_rows(job.gallery)
        read = clock()
        engine.prepare(gallery, metric=job.metric, mapped=job.mapped)
        stages["prepare_index"] = clock() - read
        stages["read_gallery"] = read - begin
        opening = clock()
        ranking = Path(job.folder, f"ranking-{job.engine}.jsonl")
        with QueryReader(job.queries) as reader, ranking.open("wb", buffering=0) as file:
            stages["read_queries"] = clock() - opening
            for first, last in job.calls(mode):
                asked = clock()
                queries = reader.read(first, last)
                were_read = clock()
                placed = engine.place(queries)
                were_placed = clock()
                found = engine.search(placed, job.k)
                was_found = clock()
                answer = engine.fetch(found)
                was_fetched = clock()
                _write_ranking(file, first, answer)
                was_written = clock()
                stages["read_queries"] += were_read - asked
                stages["transfer"] += were_placed - were_read + was_fetched - was_found
                stages["search"] += was_found - were_placed
                stages["write_ranking"] += was_written - was_fetched
                call_seconds.append(was_written - asked)
            closing = clock()
            os.fsync(file.fileno())
            stages["write_ranking"] += clock() - closing
        wall_seconds = clock() - begin
        self._engine, self._resident = engine, gallery
        call_queries = [last - first for first, last in job.calls(mode)]
        return LedgerPass(wall_seconds, stages, call_seconds, call_queries)

    def _forget(self) -> None:
        """Let go of the last pass's gallery and index, so that the next finds their memory free."""
        self._engine, self._resident = self._new_engine(), None
        gc.collect()

    # ---- from resident vectors -------------------------------------------------------------

    def _without_io(self, mode: str) -> dict[str, Any]:
        job, engine, clock = self._job, self._engine, time.perf_counter
        with QueryReader(job.queries) as reader:
            placed = [engine.place(reader.read(first, last)) for first, last in job.calls(mode)]
        self._keep_answers(mode, placed)
        if job.mapped:
            return {"not_possible": "the gallery does not fit in memory"}
        self._warm_up(placed)
        call_seconds: list[float] = []

        def run() -> tuple[float, int]:
            for queries in placed:
                begin = clock()
                engine.search(queries, job.k)
                call_seconds.append(clock() - begin)
            return sum(call_seconds[-len(placed) :]), len(placed)

        calls = job.minimum_calls if mode == "single_query" else 1
        passes = repeat(run, Enough(job.minimum_seconds, job.minimum_passes, calls))
        call_queries = [last - first for first, last in job.calls(mode)] * passes
        return summary(call_seconds, call_queries, passes=passes)

    def _warm_up(self, placed: list[object]) -> None:
        end = time.perf_counter() + WARM_UP_SECONDS
        calls = 0
        while calls < WARM_UP_CALLS or time.perf_counter() < end:
            self._engine.search(placed[calls % len(placed)], self._job.k)
            calls += 1

    def _keep_answers(self, mode: str, placed: list[object]) -> None:
        """Write the row numbers found, for whoever checks them."""
        found = [self._engine.fetch(self._engine.search(part, self._job.k)) for part in placed]
        indices = np.concatenate([np.asarray(part.indices, np.int64) for part in found])
        np.save(Path(self._job.folder, f"found-{self._job.engine}-{mode}.npy"), indices)


def _write_ranking(file: BinaryIO, first_query: int, answer: Neighbours) -> None:
    """One line of JSON a query; one write a call, as a service would answer."""
    lines = [
        orjson.dumps(
            {"query": first_query + number, "rows": rows},
            option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE,
        )
        for number, rows in enumerate(np.ascontiguousarray(answer.indices))
    ]
    file.write(b"".join(lines))
