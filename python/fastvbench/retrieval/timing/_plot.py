"""Time per query against gallery size, log-log: a line per engine, with and without I/O."""

from __future__ import annotations

import importlib.util
import io
from typing import TYPE_CHECKING, Any, NamedTuple

from fastvbench.core import MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_plot", "plot_study"]

# Colours and marks that stay apart in grey and for most colour-blind eyes (Okabe and Ito).
_LOOKS = {
    "fastvbench": ("#0072B2", "o"),
    "faiss": ("#D55E00", "s"),
    "torch": ("#009E73", "^"),
    "numpy": ("#666666", "D"),
}
_MODE_TITLES = {"single_query": "one query a call", "batch": "many queries a call"}


class _Line(NamedTuple):
    rows: list[int]
    times_ms: list[float]


def check_plot() -> None:
    """Refuse early what `plot_study` would refuse after the work.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("the plot of a timing study", "timing")


def plot_study(study: dict[str, Any], path: Path) -> bytes:
    """Draw a study.

    Args:
        study: what `run_study` returns.
        path: its suffix names the format: .png, .svg or .pdf.

    Returns:
        The picture's bytes.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    check_plot()
    from matplotlib.figure import Figure  # noqa: PLC0415

    dimensions = sorted({gallery["dimension"] for gallery in study["galleries"]})
    figure = Figure(figsize=(10, 1 + 3.6 * len(dimensions)), layout="constrained")
    panels = figure.subplots(len(dimensions), len(_MODE_TITLES), squeeze=False, sharex=True)
    for panel_row, dimension in zip(panels, dimensions, strict=True):
        for panel, mode in zip(panel_row, _MODE_TITLES, strict=True):
            _draw(panel, study, dimension, mode)
    environment = study["environment"]
    figure.suptitle(
        f"Exact top-{study['parameters']['k']} search, {study['parameters']['threads']} threads, "
        f"{environment['cpu']} ({environment['cpu_level']})"
    )
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], dpi=120)
    return picture.getvalue()


def _draw(panel: Any, study: dict[str, Any], dimension: int, mode: str) -> None:
    for engine, (colour, mark) in _LOOKS.items():
        for with_io, style in ((False, "-"), (True, "--")):
            line = _line(study, dimension, mode, engine, with_io=with_io)
            if line.rows:
                label = f"{engine}, {'with' if with_io else 'without'} I/O"
                panel.plot(
                    line.rows, line.times_ms, style, color=colour, marker=mark, label=label, ms=5
                )
    panel.set_xscale("log")
    sizes = sorted({gallery["rows"] for gallery in study["galleries"]})
    panel.set_xticks(sizes, [f"{rows:,}" for rows in sizes])
    panel.set_xticks([], minor=True)
    panel.set_yscale("log")
    panel.set_title(f"{_MODE_TITLES[mode]}, dimension {dimension}")
    panel.set_xlabel("rows of the gallery")
    panel.set_ylabel("ms per query (mean)")
    panel.grid(visible=True, which="both", alpha=0.25)
    if panel.lines:
        panel.legend(fontsize=7, handlelength=4)  # long enough to show dashes


def _line(study: dict[str, Any], dimension: int, mode: str, engine: str, *, with_io: bool) -> _Line:
    points = []
    for run in study["runs"]:
        gallery = study["galleries"][run["gallery"]]
        if (run["engine"], run["status"], gallery["dimension"]) != (engine, "ok", dimension):
            continue
        measured = run["modes"][mode]
        if with_io:
            caches = measured["time_with_io_ms"]
            entry = caches.get("warm", caches.get("network"))
        else:
            entry = measured["time_without_io_ms"]
        if "mean" in entry:
            points.append((gallery["rows"], entry["mean"]))
    points.sort()
    return _Line([rows for rows, _ in points], [time_ms for _, time_ms in points])
