"""Small calls of the interval kernels, see small_calls.py."""

from __future__ import annotations

import numpy as np

import fastvbench as fvb


def small_calls(torch) -> None:
    generator = np.random.default_rng(5)
    counts = generator.integers(0, 12, 70)
    counts[33] = 60  # done by a whole warp, and contested
    offsets = np.concatenate([[0], np.cumsum(counts)])
    values = np.sort(generator.integers(0, 40, (offsets[-1], 2)) / 2, axis=1)
    column = fvb.DeviceIntervals(torch.from_numpy(values).cuda(), torch.from_numpy(offsets).cuda())
    fvb.temporal_iou(column.values, column.values)
    fvb.interval_set_iou(column, column)
    for method in ("optimal", "greedy"):
        fvb.match_intervals(column, column, method=method)
    for convention in ("first", "best", "union", "one_to_one"):
        fvb.recall_at_iou(column, column, convention=convention)
