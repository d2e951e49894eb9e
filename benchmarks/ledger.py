"""What a run measured: its rows, the floors that hold them, and the machine they were taken on."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

Floors = Mapping[str, Mapping[str, float]]

# Whose version a ratio depends on.
PACKAGES = (
    "fastvbench",
    "av",
    "faiss-cpu",
    "numpy",
    "numba",
    "orjson",
    "polars",
    "pyarrow",
    "rapidfuzz",
    "scipy",
    "torch",
    "torchcodec",
)


@dataclass(frozen=True)
class Row:
    """One rival in one case: a line of the table and of the results file."""

    case: str
    rival: str
    ours_seconds: float  # median of one call
    rival_seconds: float
    ratio: float  # of the medians
    ratio_low: float  # quartiles of the ratios round by round
    ratio_high: float
    rounds: int
    floor: float | None
    remeasured: bool = False  # the first measurement missed the floor

    @property
    def passed(self) -> bool:
        return self.floor is None or self.ratio >= self.floor


@dataclass
class Ledger:
    """What one run of the benchmarks measured, and the floors that it is held to."""

    floors: Floors = field(default_factory=dict)
    gate: bool = False
    load_at_start: float = 0.0  # processes that wanted a core during the last minute
    rows: list[Row] = field(default_factory=list)

    def missed(self) -> list[Row]:
        return [row for row in self.rows if not row.passed]

    def unmeasured(self) -> list[str]:
        """Floors that no case of this run measured, as "case: rival"."""
        measured = {(row.case, row.rival) for row in self.rows}
        wanted = [(case, rival) for case, rivals in self.floors.items() for rival in rivals]
        return [f"{case}: {rival}" for case, rival in wanted if (case, rival) not in measured]

    def warnings(self) -> list[str]:
        """What makes this run's ratios doubtful."""
        cores = os.cpu_count() or 1
        if self.load_at_start < cores / 2:
            return []
        warning = (
            f"load average {self.load_at_start:.1f} on {cores} cores before the start: other work "
            "takes more from whoever uses all cores, so measure again on an idle machine"
        )
        return [warning]

    def write(self, path: Path) -> None:
        surroundings = {**environment(), "load_at_start": self.load_at_start}
        content = {"environment": surroundings, "rows": [asdict(row) for row in self.rows]}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load_floors(path: Path, cpu_level: str) -> Floors:
    """The floors of one CPU level: {case: {rival: lowest ratio}}.

    Raises:
        ValueError: the file has no floors for that level.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # pytest brings it there
        import tomli as tomllib

    levels = tomllib.loads(path.read_text(encoding="utf-8"))
    if cpu_level not in levels:
        known = ", ".join(levels)
        raise ValueError(f"{path.name} has no floors for CPU level {cpu_level!r}, only for {known}")
    floors: Floors = levels[cpu_level]
    return floors


def table(rows: list[Row]) -> list[str]:
    """The rows as aligned lines of text, a heading first."""
    cells = [("case", "rival", "ours", "rival's", "ratio", "quartiles", "floor", "")]
    for row in rows:
        floor = "" if row.floor is None else f"{row.floor:.3g}x"
        verdict = "" if row.passed else "MISSED"
        if row.remeasured:
            verdict = f"{verdict} (measured twice)".strip()
        cells.append(
            (
                row.case,
                row.rival,
                _duration(row.ours_seconds),
                _duration(row.rival_seconds),
                f"{row.ratio:.2f}x",
                f"{row.ratio_low:.2f}-{row.ratio_high:.2f}",
                floor,
                verdict,
            )
        )
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def _duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def environment() -> dict[str, object]:
    """What a ratio depends on: the machine, the CPU level, threads and versions."""
    from fastvbench import _core

    versions = {}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return {
        "cpu": _cpu_model(),
        "cpu_level": _core.cpu_level(),
        "cpu_levels": list(_core.available_cpu_levels()),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "default_threads": _core.default_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
        "thread_variables": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.endswith("_NUM_THREADS")
        },
    }


def _cpu_model() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
