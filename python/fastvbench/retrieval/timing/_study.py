"""The retrieval-time study: galleries one after another, on each of them engine after engine."""

from __future__ import annotations

import contextlib
import functools
import platform
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastvbench.core import InputError, info
from fastvbench.retrieval._memory import available_bytes
from fastvbench.retrieval.engines import cpu_model, is_installed
from fastvbench.retrieval.timing._check import exact_neighbours, recall
from fastvbench.retrieval.timing._data import video_count, write_generated
from fastvbench.retrieval.timing._encode import EncodeJob
from fastvbench.retrieval.timing._job import MODES, Job
from fastvbench.retrieval.timing._plan import StudyPlan, usable_threads
from fastvbench.retrieval.timing._process import run_job
from fastvbench.retrieval.timing._source import (
    QueryReader,
    Shape,
    map_rows,
    read_rows,
    shape_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastvbench.retrieval.timing._process import Outcome

__all__ = ["run_study"]

# An engine holds the rows, a copy of its own and the scores: a gallery above this share is mapped.
MAPPED_FROM_SHARE = 0.4
MAPPED_SINGLE_QUERIES = 4  # each reads the whole gallery
MAPPED_PASSES = 2

DEFINITIONS = {
    "time_without_io_ms": "similarity and ranking of resident queries against a resident gallery "
    "whose index is prepared",
    "time_with_io_ms": "from opening the files to the ranking on disk: reading gallery and "
    "queries, preparing the index, transfers, searching, writing the ranking",
    "per query": "mean, p50, p95: a call's time shared by its queries; with I/O each query also "
    "bears an equal share of what is done once, so that the mean times the queries is the total",
    "total": "one pass over all queries of the mode",
    "single_query": "latency: one query a call, the next asked when the last is answered",
    "batch": "throughput: many queries a call",
    "cold": "gallery and query files are dropped from this system's page cache before each pass; "
    "caches of a disk, a host or a network are not",
    "mapped": "a gallery that would not fit in memory with an engine's copy: its reads are in the "
    "stages that touch it, prepare_index and search",
    "stages_ms": "of the pass with the median wall time; their sum is wall_ms",
    "text_encoding": "an encoder alone, from texts to vectors in memory; in no other time",
    "recall": "of the k best rows by float64 keys: strict, and with rows that float32 cannot tell "
    "from the last one counted as found",
}


class _Gallery(NamedTuple):
    source: str
    queries: str
    shape: Shape
    query_shape: Shape
    metric: str
    mapped: bool
    about: dict[str, Any]


def run_study(plan: StudyPlan, *, say: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Carry out a study.

    Engines run in processes of their own, one at a time; one that is not installed, dies or takes
    too long is named with its reason, and the others go on. Temporary files and processes are gone
    when this returns or raises, after Ctrl-C too.

    Args:
        plan: what to measure.
        say: called with a line of progress.

    Returns:
        The study as plain JSON values, ``kind`` being ``timing``.

    Raises:
        InputError: the plan or its files cannot be used, or the disk has no room.
    """
    plan.check()
    say = say or (lambda _: None)
    runs: list[dict[str, Any]] = []
    galleries: list[dict[str, Any]] = []
    settings: dict[str, dict[str, Any]] = {}
    for gallery in _galleries(plan, say):
        galleries.append(gallery.about)
        with tempfile.TemporaryDirectory(prefix="fastvbench-timing-", dir=plan.folder) as folder:
            runs += [
                {"gallery": len(galleries) - 1, **run}
                for run in _runs(plan, gallery, Path(folder), settings, say)
            ]
    return {
        "schema": 1,
        "kind": "timing",
        "study": "lovr",
        "definitions": DEFINITIONS,
        "parameters": _parameters(plan),
        "galleries": galleries,
        "engines": {
            name: {"installed": is_installed(name), "settings": settings.get(name, {})}
            for name in plan.engines
        },
        "runs": runs,
        "text_encoding": _text_encoding(plan, say),
        "environment": _environment(),
    }


# ---- galleries -------------------------------------------------------------------------


def _galleries(plan: StudyPlan, say: Callable[[str], None]) -> Iterator[_Gallery]:
    """Each gallery while it exists: a generated one is removed when the next is asked for."""
    if plan.gallery is not None and plan.queries is not None:
        yield _given_gallery(plan, plan.gallery, plan.queries)
        return
    for dimension in plan.dimensions:
        for rows in plan.sizes:
            with contextlib.ExitStack() as stack:
                folder = stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="fastvbench-vectors-", dir=plan.folder)
                )
                say(f"generating {rows:,} x {dimension}")
                files = write_generated(
                    Path(folder),
                    rows=rows,
                    dimension=dimension,
                    query_count=plan.query_count,
                    seed=plan.seed,
                )
                shape, query_shape = Shape(rows, dimension), Shape(plan.query_count, dimension)
                about = {
                    **_about(plan, shape),
                    "source": "generated",
                    "videos": video_count(rows),
                    "seed": plan.seed,
                    "metric": "dot",
                }
                yield _Gallery(
                    str(files.gallery),
                    str(files.queries),
                    shape,
                    query_shape,
                    "dot",
                    about["mapped"],
                    about,
                )


def _given_gallery(plan: StudyPlan, gallery: str, queries: str) -> _Gallery:
    shape, query_shape = shape_of(gallery), shape_of(queries)
    if shape.dimension != query_shape.dimension:
        raise InputError(
            "queries and gallery differ in dimension",
            path=queries,
            value=query_shape.dimension,
            expected=f"{shape.dimension}, as {gallery} has",
        )
    about = {**_about(plan, shape), "source": gallery, "queries": queries, "metric": plan.metric}
    return _Gallery(gallery, queries, shape, query_shape, plan.metric, about["mapped"], about)


def _about(plan: StudyPlan, shape: Shape) -> dict[str, Any]:
    row_bytes = 4 * shape.rows * shape.dimension
    memory = plan.memory_bytes or available_bytes()
    return {
        "rows": shape.rows,
        "dimension": shape.dimension,
        "bytes": row_bytes,
        "beyond_memory": memory is not None and row_bytes > memory,
        "mapped": memory is not None and row_bytes > MAPPED_FROM_SHARE * memory,
    }


# ---- engines ---------------------------------------------------------------------------


def _runs(
    plan: StudyPlan,
    gallery: _Gallery,
    folder: Path,
    settings: dict[str, dict[str, Any]],
    say: Callable[[str], None],
) -> Iterator[dict[str, Any]]:
    for name in plan.engines:
        if not is_installed(name):
            yield {"engine": name, "status": "not_installed", "reason": "not installed"}
            continue
        title = f"{gallery.shape.rows:,} x {gallery.shape.dimension}, {name}"
        say(title)
        job = _job(plan, gallery, name, folder)
        outcome = run_job(
            job,
            time_limit_seconds=plan.time_limit_seconds,
            say=functools.partial(_say_of, say, title),
        )
        settings.setdefault(name, outcome.settings)
        yield {"engine": name, "status": outcome.status, "reason": outcome.reason, "k": job.k} | (
            _checked(plan, job, outcome) if outcome.status == "ok" else {}
        )


def _say_of(say: Callable[[str], None], title: str, what: str) -> None:
    say(f"{title}: {what}")


def _job(plan: StudyPlan, gallery: _Gallery, engine: str, folder: Path) -> Job:
    query_count = min(plan.query_count, gallery.query_shape.rows)
    single_queries = min(plan.single_queries, query_count)
    if gallery.mapped:
        single_queries = min(single_queries, MAPPED_SINGLE_QUERIES)
    return Job(
        engine=engine,
        threads=plan.threads or usable_threads(),
        device=plan.device,
        metric=gallery.metric,
        k=min(plan.k, gallery.shape.rows),
        gallery=gallery.source,
        queries=gallery.queries,
        query_count=query_count,
        single_queries=single_queries,
        batch_size=plan.batch_size or query_count,
        mapped=gallery.mapped,
        cold=plan.cold,
        minimum_seconds=plan.minimum_seconds,
        minimum_passes=min(plan.minimum_passes, MAPPED_PASSES if gallery.mapped else 1 << 30),
        minimum_calls=0 if gallery.mapped else plan.minimum_calls,
        folder=str(folder),
    )


def _checked(plan: StudyPlan, job: Job, outcome: Outcome) -> dict[str, Any]:
    """What was measured, with how right the answers were."""
    rows = map_rows(job.gallery) if job.mapped else read_rows(job.gallery)
    modes = outcome.result["modes"]
    for mode in MODES:
        found = np.load(Path(job.folder, f"found-{job.engine}-{mode}.npy"), allow_pickle=False)[
            : plan.checked_queries
        ]
        with QueryReader(job.queries) as reader:
            queries = reader.read(0, len(found))
        exact = exact_neighbours(queries, rows, job.k, job.metric)
        shares = recall(found, exact, queries, rows)
        modes[mode]["check"] = {"queries": len(found), "recall": shares._asdict()}
    return outcome.result


def _text_encoding(plan: StudyPlan, say: Callable[[str], None]) -> dict[str, Any]:
    """Times of the encoder, where one is given; they are in no other figure."""
    if plan.encoder is None or plan.texts is None:
        return {"status": "not_measured", "reason": "no encoder was given"}
    job = EncodeJob(
        encoder=plan.encoder,
        texts=plan.texts,
        query_count=plan.query_count,
        single_queries=plan.single_queries,
        batch_size=plan.batch_size,
        minimum_seconds=plan.minimum_seconds,
        minimum_passes=plan.minimum_passes,
    )
    outcome = run_job(job, time_limit_seconds=plan.time_limit_seconds, say=say)
    about = {"status": outcome.status, "reason": outcome.reason, "encoder": plan.encoder}
    return about | outcome.result


# ---- surroundings ----------------------------------------------------------------------


def _parameters(plan: StudyPlan) -> dict[str, Any]:
    names = (
        "query_count",
        "single_queries",
        "batch_size",
        "k",
        "seed",
        "device",
        "cold",
        "minimum_seconds",
        "minimum_passes",
        "minimum_calls",
        "checked_queries",
        "time_limit_seconds",
    )
    return {name: getattr(plan, name) for name in names} | {
        "threads": plan.threads or usable_threads()
    }


def _environment() -> dict[str, Any]:
    about = info()
    return {
        "fastvbench": about["version"],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cpu": cpu_model() or platform.processor() or platform.machine(),
        "cpu_level": about["cpu_level"],
        "cpu_levels": about["cpu_levels"],
        "cores": usable_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "available_memory_bytes": available_bytes(),
    }
