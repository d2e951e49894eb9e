"""What looking at the video is worth: the gain over a run that saw none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.report.parts._comparison import difference_charts, pair_charts
from fastvbench.results._compare import compare

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from fastvbench.report.charts._chart import Chart

__all__ = ["baseline_charts"]


def baseline_charts(
    result: str | os.PathLike[str], label: str, baseline: str | os.PathLike[str]
) -> Iterator[Chart]:
    """Paired differences from the baseline, in all and by group.

    Args:
        result: result file.
        label: how the report calls it.
        baseline: result file of the run without frames.

    Raises:
        InputError: the two cannot be compared.
    """
    name = "no frames" if label != "no frames" else "the baseline"
    data = compare(result, baseline, names=[label, name], every_metric=False).data
    yield from difference_charts(data)
    yield from pair_charts(data, data["pairs"][0])
