"""Intervals: how well they overlap, and whether right answers rest on the right place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench.report.charts._chart import Axis, HistogramChart, Line, LineChart
from fastvbench.results._metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.report._view import ResultView
    from fastvbench.report.charts._chart import Chart

__all__ = ["grounding_charts"]

_IOU_KEYS = ("mean_iou", "iou_auc")
_EDGES = np.linspace(0.0, 1.0, 21)
_THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 21))
GROUNDED_IOU = 0.5
CONTEXT_IOU = 0.3
_IOU_AXIS = Axis("IoU", low=0, high=1)
FloatArray = npt.NDArray[np.float64]


def grounding_charts(view: ResultView) -> Iterator[Chart]:
    """Distribution of IoU, recall at every IoU, and right answers against IoU."""
    if view.rows is None:
        return
    scores = view.rows.rules[view.main_rule].scores
    key = next((k for k in _IOU_KEYS if k in scores), None)
    if key is None or np.isnan(scores[key]).all():
        return
    iou = scores[key]
    yield _distribution(iou)
    yield _recall_curve(view, iou)
    accuracy = scores.get("accuracy")
    if accuracy is not None:
        yield from _joint(iou, accuracy)


def _counts(iou: FloatArray) -> list[int]:
    # A published rule may pass 1.0; what is beyond the axis belongs to its last bin.
    return [int(count) for count in np.histogram(np.clip(iou, 0.0, 1.0), _EDGES)[0]]


def _distribution(iou: FloatArray) -> HistogramChart:
    known = iou[~np.isnan(iou)]
    none, half = int((known == 0).sum()), int((known >= GROUNDED_IOU).sum())
    return HistogramChart(
        "How well intervals overlap",
        f"Rows by IoU with the right interval, in steps of 0.05. Of {len(known):,} rows, {none:,} "
        f"do not overlap at all and {half:,} have an IoU of at least {GROUNDED_IOU}; "
        f"mean {known.mean():.3f}, median {np.median(known):.3f}.",
        _EDGES.tolist(),
        {"rows": _counts(known)},
        _IOU_AXIS,
        marks=(0.3, 0.5, 0.7),
    )


def _recall_curve(view: ResultView, iou: FloatArray) -> LineChart:
    columns = {
        f"{threshold:g}": np.where(np.isnan(iou), np.nan, iou >= threshold)
        for threshold in _THRESHOLDS
    }
    metric = Metric("recall@iou", "share of rows %")
    overall = view.summarized(columns, metric, {})["overall"]
    entries = [overall[f"{threshold:g}"] for threshold in _THRESHOLDS]
    values = [100 * entry["value"] for entry in entries]
    ends = [entry["interval"] for entry in entries]
    known = all(interval is not None for interval in ends)
    at = dict(zip(_THRESHOLDS, values, strict=True))
    return LineChart(
        "Recall at every IoU",
        "Share of rows whose IoU reaches a threshold, with its 95 % interval. At 0.3: "
        f"{at[0.3]:.1f} %, at 0.5: {at[0.5]:.1f} %, at 0.7: {at[0.7]:.1f} %.",
        [
            Line(
                view.main_rule,
                list(_THRESHOLDS),
                values,
                [100 * interval[0] for interval in ends] if known else [],
                [100 * interval[1] for interval in ends] if known else [],
            )
        ],
        Axis("IoU threshold", low=0, high=1),
        Axis("rows at or above it %", low=0, high=100),
    )


def _joint(iou: FloatArray, accuracy: FloatArray) -> Iterator[HistogramChart]:
    both = ~np.isnan(iou) & ~np.isnan(accuracy)
    if not both.any():
        return
    # A row's accuracy is a mean over the runs; most of them decide.
    right = accuracy[both] >= 0.5
    overlap = iou[both]
    total = len(overlap)
    grounded = int((right & (overlap >= GROUNDED_IOU)).sum())
    context = int((right & (overlap < CONTEXT_IOU)).sum())
    yield HistogramChart(
        "Right answers and the place they rest on",
        f"Rows by IoU, split by whether the answer is right. Of {total:,} rows with both, "
        f"{int(right.sum()):,} are answered right; {grounded:,} of them with an IoU of at least "
        f"{GROUNDED_IOU} (grounded), {context:,} with an IoU below {CONTEXT_IOU}: those were "
        "answered from something other than the evidence.",
        _EDGES.tolist(),
        {"right": _counts(overlap[right]), "wrong": _counts(overlap[~right])},
        _IOU_AXIS,
        marks=(CONTEXT_IOU, GROUNDED_IOU),
    )
