"""What the study asks of a process that runs one engine, and what it hears from it: JSON lines."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from fastvbench.retrieval.engines import engine_environment

__all__ = ["MODES", "Job", "calls_of"]

# Queries one at a time, each waited for; and many at once.
MODES = ("single_query", "batch")


@dataclass(frozen=True)
class Job:
    """One engine on one gallery.

    Attributes:
        engine: a key of ``engines.ENGINES``.
        threads: threads of every pool.
        device: where torch computes.
        metric: ``cosine`` or ``dot``.
        k: neighbours asked for; no more than there are rows.
        gallery: file or URL of the gallery.
        queries: file or URL of the queries.
        query_count: queries of a pass in batches.
        single_queries: queries of a pass one at a time.
        batch_size: queries of a call in batches.
        mapped: the gallery is larger than memory: it is read while it is searched.
        cold: measure passes that begin with empty page caches as well.
        minimum_seconds: time to measure at least, by mode and page cache.
        minimum_passes: passes at least, likewise.
        minimum_calls: calls at least, where queries come one at a time.
        folder: where rankings and answers are written.
    """

    engine: str
    threads: int
    device: str
    metric: str
    k: int
    gallery: str
    queries: str
    query_count: int
    single_queries: int
    batch_size: int
    mapped: bool
    cold: bool
    minimum_seconds: float
    minimum_passes: int
    minimum_calls: int
    folder: str

    def to_line(self) -> bytes:
        """The job as one line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    def environment(self) -> dict[str, str]:
        """Variables of the process."""
        return engine_environment(self.engine, threads=self.threads)

    def calls(self, mode: str) -> list[tuple[int, int]]:
        """The calls of one pass, as ranges of queries."""
        return calls_of(mode, self.query_count, self.single_queries, self.batch_size)


def calls_of(
    mode: str, query_count: int, single_queries: int, batch_size: int
) -> list[tuple[int, int]]:
    """The calls of one pass in a mode, as ranges of queries."""
    if mode == "single_query":
        return [(query, query + 1) for query in range(single_queries)]
    return [
        (begin, min(begin + batch_size, query_count)) for begin in range(0, query_count, batch_size)
    ]
