"""Timing studies: time per query with and without I/O, and where a pass goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.report.charts._chart import Axis, IntervalChart, Line, LineChart, Series, StackChart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.report.charts._chart import Chart

__all__ = ["timing_charts"]

_MODES = {"single_query": "one query a call", "batch": "many queries a call"}
MOST_TICKS = 5
_Point = tuple[float, float]


def timing_charts(study: dict[str, Any]) -> Iterator[Chart]:
    """A chart a dimension and mode against the gallery's size, and the stages of a pass."""
    dimensions = sorted({gallery["dimension"] for gallery in study["galleries"]})
    for dimension in dimensions:
        for mode, words in _MODES.items():
            sizes = {g["rows"] for g in study["galleries"] if g["dimension"] == dimension}
            if len(sizes) > 1:
                yield from _against_size(study, dimension, mode, words)
            else:
                yield from _one_size(study, dimension, mode, words, next(iter(sizes)))
    for number, gallery in enumerate(study["galleries"]):
        for mode, words in _MODES.items():
            yield from _stages(study, number, gallery, mode, words)


def _time_ms(measured: dict[str, Any], *, with_io: bool) -> float | None:
    """Mean time per query; with I/O from files that are in memory already (or come by network)."""
    if with_io:
        caches = measured["time_with_io_ms"]
        entry = caches.get("warm", caches.get("network", {}))
    else:
        entry = measured["time_without_io_ms"]
    mean = entry.get("mean")
    return None if mean is None else float(mean)


def _runs(study: dict[str, Any], dimension: int, mode: str) -> Iterator[tuple[str, int, Any]]:
    """Engine, gallery size and what was measured."""
    for run in study["runs"]:
        gallery = study["galleries"][run["gallery"]]
        if run["status"] == "ok" and gallery["dimension"] == dimension:
            yield run["engine"], gallery["rows"], run["modes"][mode]


def _against_size(
    study: dict[str, Any], dimension: int, mode: str, words: str
) -> Iterator[LineChart]:
    points: dict[tuple[str, bool], list[_Point]] = {}
    for engine, rows, measured in _runs(study, dimension, mode):
        for with_io in (False, True):
            time_ms = _time_ms(measured, with_io=with_io)
            if time_ms is not None:
                points.setdefault((engine, with_io), []).append((float(rows), time_ms))
    if not points:
        return
    lines = []
    for (engine, with_io), found in points.items():
        found.sort()
        name = f"{engine} + I/O" if with_io else engine
        lines.append(Line(name, [x for x, _ in found], [y for _, y in found], dashed=with_io))
    without = {line.name: line.y[-1] for line in lines if not line.dashed}
    yield LineChart(
        f"Time per query, {words}, dimension {dimension}",
        "Mean milliseconds per query against rows of the gallery, both in factors; dashed with I/O "
        "(files in memory already), else without." + _least_words(without),
        lines,
        Axis("rows of the gallery", log=True, decimals=0, ticks=_sizes(lines)),
        Axis("ms per query", log=True, decimals=4),
    )


def _least_words(times_ms: dict[str, float]) -> str:
    """Which of some times is the least, as a sentence."""
    if not times_ms:
        return ""
    fastest = min(times_ms, key=lambda name: times_ms[name])
    return (
        f" In the largest gallery the least without I/O is {times_ms[fastest]:.3g} ms: {fastest}."
    )


def _sizes(lines: list[Line]) -> tuple[float, ...] | None:
    """Ticks at the sizes that were measured; None where there are too many of them."""
    sizes = sorted({x for line in lines for x in line.x})
    return tuple(sizes) if len(sizes) <= MOST_TICKS else None


def _one_size(
    study: dict[str, Any], dimension: int, mode: str, words: str, rows: int
) -> Iterator[IntervalChart]:
    engines, without, with_io = [], [], []
    for engine, _, measured in _runs(study, dimension, mode):
        engines.append(engine)
        without.append(_time_ms(measured, with_io=False))
        with_io.append(_time_ms(measured, with_io=True))
    known = [
        (value, engine) for engine, value in zip(engines, without, strict=True) if value is not None
    ]
    if not known:
        return
    least = min(known)
    yield IntervalChart(
        f"Time per query, {words}, {rows:,} rows of dimension {dimension}",
        "Mean milliseconds per query, with and without I/O. The least without I/O is "
        f"{least[0]:.3g} ms: {least[1]}.",
        "engine",
        engines,
        [Series("without I/O", without), Series("with I/O", with_io)],
        Axis("ms per query", low=0, decimals=4),
    )


def _stages(
    study: dict[str, Any], number: int, gallery: dict[str, Any], mode: str, words: str
) -> Iterator[StackChart]:
    """Where the median pass with I/O goes; the stages add up to its wall time."""
    bars: list[str] = []
    stages: dict[str, list[int]] = {}
    for run in study["runs"]:
        if run["gallery"] != number or run["status"] != "ok":
            continue
        for cache, entry in run["modes"][mode]["time_with_io_ms"].items():
            held = entry.get("stages_ms")
            if held is None:
                continue
            for name in held:
                stages.setdefault(name.replace("_", " "), [0] * len(bars))
            bars.append(f"{run['engine']}, {cache}")
            for name, counts in stages.items():
                # Microseconds: parts of a bar are whole numbers.
                counts.append(round(1000 * held.get(name.replace(" ", "_"), 0.0)))
    if not bars:
        return
    largest = max(stages, key=lambda name: sum(stages[name]))
    yield StackChart(
        f"Where a pass with I/O goes, {words}, {gallery['rows']:,} rows of dimension "
        f"{gallery['dimension']}",
        "Microseconds of each stage of the pass with the median wall time, by engine and state of "
        f"the page cache. Over all bars most time goes to: {largest}.",
        "engine, cache",
        bars,
        stages,
        Axis("microseconds", low=0, decimals=0),
    )
