"""The Intervals column, and what is computed from two of them: IoU, matching, recall, precision."""

from __future__ import annotations

from fastvbench.intervals._average_precision import average_precision
from fastvbench.intervals._column import Intervals
from fastvbench.intervals._iou import interval_set_iou, mean_iou, temporal_iou
from fastvbench.intervals._matching import Matches, match_intervals
from fastvbench.intervals._on_device import DeviceIntervals
from fastvbench.intervals._recall import recall_at_iou

__all__ = [
    "DeviceIntervals",
    "Intervals",
    "Matches",
    "average_precision",
    "interval_set_iou",
    "match_intervals",
    "mean_iou",
    "recall_at_iou",
    "temporal_iou",
]
