"""Prints a timing study: times per query, the ledger of stages, what was not measured and why."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from fastvbench.cli._text import table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["has_wrong_answers", "print_study"]

_MODES = {"single_query": "single", "batch": "batch"}
_STAGES = {
    "read_gallery": "read gallery",
    "prepare_index": "prepare",
    "read_queries": "read queries",
    "transfer": "transfer",
    "search": "search",
    "write_ranking": "write ranking",
    "other": "other",
}


def print_study(study: dict[str, Any], file: IO[str]) -> None:
    """Print a study's tables.

    Args:
        study: as ``retrieval.timing.run_study`` returns it.
        file: where to.
    """
    parameters, environment = study["parameters"], study["environment"]
    print(
        f"exact top-{parameters['k']}, {parameters['threads']} threads, {environment['cpu']}, "
        f"CPU level {environment['cpu_level']}\n"
        "ms per query (mean, p50, p95) and of one pass over the queries (total)\n"
        "single: one query a call; batch: many; recall: float32 ties with the exact rows count\n"
        "without I/O: resident vectors; I/O warm, cold: from the files to the ranking on disk\n",
        file=file,
    )
    header = ["gallery", "mode", "engine", "without I/O", "p50", "p95", "total"]
    header += ["I/O warm", "p50", "p95", "total", "I/O cold", "total", "recall"]
    print(table(header, list(_time_rows(study)), align="<<<"), file=file)

    print("\nwhere a pass with I/O goes, in ms; the stages add up to the wall time\n", file=file)
    header = ["gallery", "mode", "engine", "cache", *_STAGES.values(), "wall"]
    print(table(header, list(_stage_rows(study)), align="<<<<"), file=file)
    print(
        f"\ntext encoding, in none of these times: {_encoding(study['text_encoding'])}", file=file
    )

    notes = list(dict.fromkeys(_notes(study)))
    if notes:
        print("\n" + "\n".join(notes), file=file)


def _encoding(encoding: dict[str, Any]) -> str:
    if encoding["status"] != "ok":
        return f"{encoding['status'].replace('_', ' ')}: {encoding['reason']}"
    times = [
        "{} {} ms a text (p50 {}, p95 {})".format(
            _MODES[mode], *_figures(measured["time_ms"], "mean", "p50", "p95")
        )
        for mode, measured in encoding["modes"].items()
    ]
    return f"{encoding['encoder']}: {'; '.join(times)}"


def _measured(study: dict[str, Any]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Gallery, mode, engine, what was measured; engines of one mode beside each other."""
    for number, gallery in enumerate(study["galleries"]):
        for mode, short in _MODES.items():
            for run in study["runs"]:
                if run["gallery"] == number and run["status"] == "ok":
                    yield _name(gallery), short, run["engine"], run["modes"][mode]


def _time_rows(study: dict[str, Any]) -> Iterator[list[str]]:
    for gallery, mode, engine, measured in _measured(study):
        caches = measured["time_with_io_ms"]
        warm = caches.get("warm", caches.get("network", {}))
        shares = measured["check"]["recall"]
        yield [
            gallery,
            mode,
            engine,
            *_figures(measured["time_without_io_ms"], "mean", "p50", "p95", "total"),
            *_figures(warm, "mean", "p50", "p95", "total"),
            *_figures(caches.get("cold", {}), "mean", "total"),
            f"{shares['with_ties']:.4f}",
        ]


def _stage_rows(study: dict[str, Any]) -> Iterator[list[str]]:
    for gallery, mode, engine, measured in _measured(study):
        for cache, entry in measured["time_with_io_ms"].items():
            if "stages_ms" in entry:
                stages = [_duration(entry["stages_ms"][name]) for name in _STAGES]
                yield [gallery, mode, engine, cache, *stages, _duration(entry["wall_ms"])]


def has_wrong_answers(study: dict[str, Any]) -> bool:
    """Whether an engine's answers were not the exact ones, float32 ties aside."""
    checks = (measured["check"]["recall"] for *_, measured in _measured(study))
    return any(shares["with_ties"] < 1.0 for shares in checks)


def _notes(study: dict[str, Any]) -> Iterator[str]:
    """What is missing, and what makes a figure doubtful."""
    for run in study["runs"]:
        gallery = _name(study["galleries"][run["gallery"]])
        if run["status"] == "not_installed":
            yield f"{run['engine']}: not installed"
            continue
        if run["status"] != "ok":
            status = run["status"].replace("_", " ")
            yield f"{run['engine']}, {gallery}: {status}: {run['reason']}"
            continue
        for mode, measured in run["modes"].items():
            title = f"{run['engine']}, {gallery}, {_MODES[mode]}"
            shares = measured["check"]["recall"]
            if shares["with_ties"] < 1.0:
                yield f"{title}: WRONG ANSWERS, recall {shares['with_ties']:.6f}"
            without = measured["time_without_io_ms"]
            if "not_possible" in without:
                yield f"{gallery}: no time without I/O: {without['not_possible']}"
            for cache, entry in measured["time_with_io_ms"].items():
                if "not_possible" in entry:
                    yield f"{cache} page cache not possible: {entry['not_possible']}"
                elif not entry["other_within_tolerance"]:
                    other = _duration(entry["stages_ms"]["other"])
                    yield f"{title}, {cache}: {other} ms are in no stage"


def _figures(entry: dict[str, Any], *names: str) -> list[str]:
    return [_duration(entry[name]) if name in entry else "-" for name in names]


def _duration(milliseconds: float) -> str:
    """Three digits that mean something."""
    if milliseconds >= 100:
        return f"{milliseconds:,.0f}"
    return f"{milliseconds:.3g}" if milliseconds >= 0.001 else f"{milliseconds:.4f}"


def _name(gallery: dict[str, Any]) -> str:
    return f"{gallery['rows']:,} x {gallery['dimension']}"
