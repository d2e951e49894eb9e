"""What a report shows beside the results themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

__all__ = ["ReportOptions"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What is asked for.

    Attributes:
        title: heading; None names the benchmarks.
        published: whether to show what others report.
        x: what a sweep varied: ``frames``, or the dotted name of a number in the runs; None where
            the results are no sweep.
        prices: file with prices of tokens by model.
        baseline: result of a run that saw no frames.
        names: file that maps names of models and benchmarks to those to show.
        rule: rule set of tables of models; None for the main one.
        metric: metric of tables of models; None for the main one.
        mixed: let tables of models show different declarations of a protocol in one column.
    """

    title: str | None = None
    published: bool = False
    x: str | None = None
    prices: str | os.PathLike[str] | None = None
    baseline: str | os.PathLike[str] | None = None
    names: str | os.PathLike[str] | None = None
    rule: str | None = None
    metric: str | None = None
    mixed: bool = False
