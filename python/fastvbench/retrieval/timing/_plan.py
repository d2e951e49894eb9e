"""What a timing study is asked to measure, checked before anything is written or started."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

from fastvbench.core import InputError
from fastvbench.retrieval.engines import ENGINES
from fastvbench.retrieval.timing._data import LOVR_CLIPS, LOVR_VIDEOS
from fastvbench.retrieval.timing._encode import check_encoder

__all__ = ["StudyPlan", "usable_threads"]


@dataclass(frozen=True)
class StudyPlan:
    """A study; the defaults are LoVR's galleries with generated embeddings.

    Attributes:
        sizes: rows of the generated galleries.
        dimensions: lengths of the generated vectors.
        query_count: queries of a pass in batches.
        single_queries: of those, how many are asked one at a time.
        batch_size: queries of a call in batches; 0 asks all at once.
        k: neighbours asked for.
        engines: keys of ``engines.ENGINES``.
        threads: threads of each engine; 0 takes every core that this process may use.
        device: where torch computes: ``cpu`` or ``cuda``.
        seed: of the generated vectors.
        metric: of vectors that are given; generated ones have length 1, so that their dot is the
            cosine.
        gallery: file or URL of a gallery that is given, instead of generated ones.
        queries: file or URL of its queries.
        encoder: text encoder to time on its own, ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``; see
            `EncodeJob`.
        texts: its texts, one a line.
        cold: measure passes that begin with empty page caches as well.
        minimum_seconds: time to measure at least, in each mode with each page cache.
        minimum_passes: passes at least, likewise.
        minimum_calls: calls at least, where queries come one at a time.
        checked_queries: queries whose answers are compared with the exact ones.
        time_limit_seconds: an engine that takes longer on one gallery is ended.
        folder: where vectors and rankings are written meanwhile; None takes the system's folder for
            temporary files.
        memory_bytes: memory that may be used; 0 takes what is available. A gallery that would not
            fit with an engine's copy is mapped: read from its file while it is searched.
    """

    sizes: tuple[int, ...] = (LOVR_VIDEOS, LOVR_CLIPS)
    dimensions: tuple[int, ...] = (512, 768)
    query_count: int = 1000
    single_queries: int = 100
    batch_size: int = 0
    k: int = 10
    engines: tuple[str, ...] = tuple(ENGINES)
    threads: int = 0
    device: str = "cpu"
    seed: int = 0
    metric: str = "cosine"
    gallery: str | None = None
    queries: str | None = None
    encoder: str | None = None
    texts: str | None = None
    cold: bool = True
    minimum_seconds: float = 0.5
    minimum_passes: int = 3
    minimum_calls: int = 100
    checked_queries: int = 100
    time_limit_seconds: float = 900.0
    folder: Path | None = None
    memory_bytes: int = 0

    def check(self) -> None:
        """Refuse a plan that cannot be carried out.

        Raises:
            InputError: names the field, its value and what was expected.
        """
        for field in ("query_count", "single_queries", "k", "minimum_passes", "checked_queries"):
            _at_least(1, field, getattr(self, field))
        for field in ("batch_size", "threads", "seed", "memory_bytes", "minimum_calls"):
            _at_least(0, field, getattr(self, field))
        for field in ("sizes", "dimensions", "engines"):
            if not getattr(self, field):
                raise InputError("is empty", field=field, expected="at least one")
        for field in ("sizes", "dimensions"):
            for number in getattr(self, field):
                _at_least(1, field, number)
        for name in self.engines:
            if name not in ENGINES:
                raise InputError(
                    "no such engine", field="engines", value=name, expected=" or ".join(ENGINES)
                )
        for field in ("minimum_seconds", "time_limit_seconds"):
            seconds = getattr(self, field)
            if not 0 < seconds < math.inf:
                raise InputError(
                    "is no length of time",
                    field=field,
                    value=seconds,
                    expected="a finite number of seconds above 0",
                )
        if self.metric not in ("cosine", "dot"):
            raise InputError(
                "no such metric", field="metric", value=self.metric, expected="cosine or dot"
            )
        if (self.gallery is None) != (self.queries is None):
            raise InputError(
                "a gallery and its queries come together",
                field="queries" if self.queries is None else "gallery",
                expected="both or neither",
            )
        if (self.encoder is None) != (self.texts is None):
            raise InputError(
                "an encoder and its texts come together",
                field="texts" if self.texts is None else "encoder",
                expected="both or neither",
            )
        if self.encoder is not None:
            check_encoder(self.encoder)
        if self.folder is not None and not self.folder.is_dir():
            raise InputError("no such folder", path=self.folder, expected="an existing folder")


def _at_least(least: int, field: str, number: int) -> None:
    if number < least:
        raise InputError("is too small", field=field, value=number, expected=f"{least} or more")


def usable_threads() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
