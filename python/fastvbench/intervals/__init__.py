"""The Intervals column, and what is computed from two of them: IoU, matching, recall, precision."""

from __future__ import annotations

from fastvbench.intervals._column import Intervals

__all__ = ["Intervals"]
