"""What a report is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.report._sources import ReportSource

__all__ = ["page_title"]


def page_title(sources: Sequence[ReportSource], title: str | None) -> str:
    """The title that was asked for, else the benchmarks' names."""
    return title or " · ".join(dict.fromkeys(_title_of(source) for source in sources))


def _title_of(source: ReportSource) -> str:
    if source.kind == "timing":
        return f"Timing of retrieval, {source.data.get('study', '')}"
    protocol = source.data.get("protocol", {})
    return str(protocol.get("title", protocol.get("name", source.kind)))
