"""Reports: one page that opens offline, a picture, tables."""

from __future__ import annotations

from fastvbench.report._write import SUFFIXES, write_report

__all__ = ["SUFFIXES", "write_report"]
