"""How long a text encoder takes, on its own: it is part of no retrieval time."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fastvbench.core import InputError
from fastvbench.formats import read_text_lines
from fastvbench.retrieval.timing._clock import Enough, repeat, summary
from fastvbench.retrieval.timing._job import MODES, calls_of

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["EncodeJob", "EncodeMeasurement", "check_encoder"]

Encoder = Callable[[list[str]], Any]
_EXPECTED = "MODULE:FUNCTION or FILE.py:FUNCTION"


@dataclass(frozen=True)
class EncodeJob:
    """One encoder on some texts.

    Attributes:
        encoder: ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``; the function takes a list of n texts
            and returns n vectors that numpy can hold, so that a device is done when it returns.
        texts: a text file, one query a line.
        query_count: texts of a pass in batches.
        single_queries: texts of a pass one at a time.
        batch_size: texts of a call in batches; 0 gives all at once.
        minimum_seconds: time to measure at least, by mode.
        minimum_passes: passes at least, likewise.
    """

    encoder: str
    texts: str
    query_count: int
    single_queries: int
    batch_size: int
    minimum_seconds: float
    minimum_passes: int

    def to_line(self) -> bytes:
        """The job as one line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    def environment(self) -> dict[str, str]:
        """Variables of the process: a model's threads are its own business."""
        return dict(os.environ)


class EncodeMeasurement:
    """Both modes of one encoder; runs inside a process of its own.

    Args:
        job: what to measure.
        say: called with a few words when something new begins.
    """

    def __init__(self, job: EncodeJob, say: Callable[[str], None]) -> None:
        self._job, self._say = job, say
        self._encode = _load(job.encoder)
        self._texts = [text for _, text in read_text_lines(Path(job.texts))][: job.query_count]
        if not self._texts:
            raise InputError("holds no text", path=job.texts, expected="one query a line")

    def settings(self) -> dict[str, object]:
        """What is measured."""
        return {"encoder": self._job.encoder, "texts": len(self._texts)}

    def run(self) -> dict[str, Any]:
        """Times per text and in total, by mode."""
        return {"modes": {mode: self._mode(mode) for mode in MODES}}

    def _mode(self, mode: str) -> dict[str, Any]:
        self._say(f"{mode}, text encoding")
        job, clock = self._job, time.perf_counter
        count = len(self._texts)
        calls = calls_of(mode, count, min(job.single_queries, count), job.batch_size or count)
        parts = [self._texts[first:last] for first, last in calls]
        for part in parts[:2]:
            self._checked(part)  # warms up, too
        call_seconds: list[float] = []

        def run() -> tuple[float, int]:
            for part in parts:
                begin = clock()
                self._encode(part)
                call_seconds.append(clock() - begin)
            return sum(call_seconds[-len(parts) :]), len(parts)

        passes = repeat(run, Enough(job.minimum_seconds, job.minimum_passes, 1))
        sizes = [len(part) for part in parts] * passes
        return {
            "queries_per_call": sizes[0],
            "time_ms": summary(call_seconds, sizes, passes=passes),
        }

    def _checked(self, texts: list[str]) -> None:
        vectors = np.asarray(self._encode(texts))
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise InputError(
                "returned something else",
                field=self._job.encoder,
                value=vectors.shape,
                expected=f"{len(texts)} vectors for {len(texts)} texts",
            )


def check_encoder(encoder: str) -> None:
    """Refuse a name that cannot be one; nothing is loaded.

    Raises:
        InputError: not MODULE:FUNCTION, or no such file.
    """
    place, colon, function = encoder.rpartition(":")
    if not colon or not place or not function.isidentifier():
        raise InputError("is no encoder", value=encoder, expected=_EXPECTED)
    if place.endswith(".py") and not Path(place).is_file():
        raise InputError("no such file", path=place, expected=_EXPECTED)


def _load(encoder: str) -> Encoder:
    check_encoder(encoder)
    place, _, function = encoder.rpartition(":")
    module = _load_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    found = getattr(module, function, None)
    if not callable(found):
        raise InputError("has no such function", path=place, value=function, expected=_EXPECTED)
    return cast("Encoder", found)


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError("cannot be imported", path=path, expected=_EXPECTED)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
