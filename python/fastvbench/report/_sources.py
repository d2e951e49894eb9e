"""What a report is made of: result files of any kind, and the rows beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError
from fastvbench.report._view import ResultView
from fastvbench.results._result import samples_path
from fastvbench.results._samples_file import read_result, read_samples, result_paths

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

__all__ = ["ReportSource", "open_sources"]

KINDS = ("score", "suite", "timing", "comparison")
_PLAIN_NAMES = {"result", "results", "timing", "comparison"}


@dataclass(frozen=True, slots=True)
class ReportSource:
    """One result file.

    Attributes:
        label: how a report calls it: the file's name, or the folder's where every file has one
            name; different for each.
        path: the result file.
        data: its content.
    """

    label: str
    path: Path
    data: dict[str, Any]

    @property
    def kind(self) -> str:
        """Which kind of result it is."""
        return str(self.data["kind"])

    def view(self, *, rows: bool = True) -> ResultView:
        """The scored benchmark in it.

        Args:
            rows: read the rows behind it, where the samples file is beside it.

        Raises:
            InputError: a samples file that cannot be read.
        """
        has_rows = rows and samples_path(self.path).is_file()
        if not has_rows:
            return ResultView(self.label, self.data)
        held = read_samples(self.path)
        several = len(held.setting_names) > 1
        return ResultView(self.label, self.data, held.of_setting(), held if several else None)


def open_sources(paths: Sequence[str | os.PathLike[str]]) -> list[ReportSource]:
    """Read result files, run folders and the results in folders of studies.

    Raises:
        InputError: one is no result, or of a kind that reports do not know, or given twice.
    """
    targets = result_paths(paths)
    seen: dict[Path, Path] = {}
    for target in targets:
        if target.resolve() in seen:
            raise InputError("given twice", path=target, expected="each result once")
        seen[target.resolve()] = target
    held = [read_result(target) for target in targets]
    for target, data in zip(targets, held, strict=True):
        if data["kind"] not in KINDS:
            raise InputError(
                "no report for this kind of result",
                path=target,
                field="kind",
                value=data["kind"],
                expected=", ".join(KINDS),
            )
        if data["kind"] == "score" and not {"main", "rules", "coverage", "protocol"} <= set(data):
            raise InputError(
                "a result file with a part missing",
                path=target,
                expected="what `fastvbench score -o` writes",
            )
    return [
        ReportSource(label, target, data)
        for label, target, data in zip(_labels(targets), targets, held, strict=True)
    ]


def _labels(targets: list[Path]) -> list[str]:
    """The shortest names that tell the files apart, from their own name and their folders'."""
    whole = [target.resolve() for target in targets]
    names = [
        path.parent.name if path.stem in _PLAIN_NAMES and path.parent.name else path.stem
        for path in whole
    ]
    for depth in (1, 2, 3):
        if len(set(names)) == len(names):
            return names
        names = [
            "/".join([*path.parts[1:-1][-depth:], path.stem]) if names.count(name) > 1 else name
            for name, path in zip(names, whole, strict=True)
        ]
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]
