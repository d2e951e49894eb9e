"""Are answers grounded in the right part of the video, and do scores hang on a threshold?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.results._diagnostics._entry import Entry, entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.results._diagnostics._columns import DiagnosticColumns

__all__ = ["grounding_diagnostics"]

GROUNDED_IOU = 0.3
MOST_UNGROUNDED_SHARE = 0.5
MOST_PROMPT_ECHO_SHARE = 0.01
EDGE = 0.02
MOST_EDGE_SHARE = 0.05
MOST_TIED_SHARE = 0.005
ANLS_THRESHOLD = 0.5


def grounding_diagnostics(columns: DiagnosticColumns) -> Iterator[Entry]:
    """Context answers, prompt examples, whole videos, thresholds at their edge, modality gaps."""
    if columns.ious is not None:
        yield from _from_context(columns)
        yield from _prompt_echo(columns)
        yield from _whole_video(columns)
        yield from _iou_edges(columns)
    if "anls" in columns.scores:
        yield from _anls_edge(columns.scores["anls"])
    for contrast in columns.contrasts:
        if contrast.stratum != "modality" or contrast.value is None:
            continue
        interval = contrast.interval
        yield entry(
            f"modality_gap.{contrast.metric}",
            contrast.value,
            f"{contrast.metric} of {contrast.a} questions minus that of {contrast.b} questions. "
            "Alarm: its 95 % interval lies above 0.",
            alarm=interval is not None and interval[0] > 0,
            says=f"{contrast.a} questions score {100 * contrast.value:+.1f} points against "
            f"{contrast.b} questions",
            rows=len(columns),
            interval=None if interval is None else list(interval),
        )


def _from_context(columns: DiagnosticColumns) -> Iterator[Entry]:
    if columns.correct is None:
        return
    assert columns.ious is not None
    right = (columns.correct > 0) & ~np.isnan(columns.ious)
    if not right.any():
        return
    rows, low = int(right.sum()), columns.ious[right] < GROUNDED_IOU
    share = float(low.mean())
    yield entry(
        "answered_from_context",
        share,
        f"Share of the right answers whose interval has an IoU below {GROUNDED_IOU} with the right "
        "one: the answer came from the video as a whole, not from the evidence. Alarm: more than "
        f"{MOST_UNGROUNDED_SHARE:.0%}.",
        alarm=share > MOST_UNGROUNDED_SHARE,
        says=f"{int(low.sum()):,} of {rows:,} right answers name the wrong time",
        rows=rows,
    )


def _prompt_echo(columns: DiagnosticColumns) -> Iterator[Entry]:
    if columns.prompt_echo is None or not columns.seen.any():
        return
    rows, echoes = int(columns.seen.sum()), int(columns.prompt_echo[columns.seen].sum())
    yield entry(
        "prompt_echo",
        echoes / rows,
        "Share of the answers that are the example interval of a published grounding prompt "
        f"(20.8 to 30.0, 12.54 to 17.83 seconds). Alarm: more than {MOST_PROMPT_ECHO_SHARE:.0%}.",
        alarm=echoes / rows > MOST_PROMPT_ECHO_SHARE,
        says=f"{echoes:,} of {rows:,} answers repeat the prompt's example",
        rows=rows,
    )


def _whole_video(columns: DiagnosticColumns) -> Iterator[Entry]:
    assert columns.ious is not None
    known = ~np.isnan(columns.ious) & (columns.durations_seconds > 0)
    known &= ~np.isnan(columns.gold_lengths_seconds)
    if not known.any():
        return
    shares = columns.gold_lengths_seconds[known] / columns.durations_seconds[known]
    baseline, reached = float(np.minimum(shares, 1.0).mean()), float(columns.ious[known].mean())
    yield entry(
        "whole_video_baseline",
        baseline,
        "Mean IoU of naming the whole video each time. Alarm: the model is no better.",
        alarm=reached <= baseline,
        says=f"the whole video would reach a mean IoU of {baseline:.3f}, the model {reached:.3f}",
        rows=int(known.sum()),
        mean_iou=reached,
    )


def _iou_edges(columns: DiagnosticColumns) -> Iterator[Entry]:
    assert columns.ious is not None
    ious = columns.ious[~np.isnan(columns.ious)]
    if not len(ious):
        return
    edges = {}
    for key in columns.scores:
        if not key.startswith("recall@"):
            continue
        threshold = float(key.removeprefix("recall@"))
        edges[key] = {
            "value": float((ious >= threshold).mean()),
            "at_the_threshold": float((ious == threshold).mean()),
            f"at_{threshold - EDGE:.2f}": float((ious >= threshold - EDGE).mean()),
            f"at_{threshold + EDGE:.2f}": float((ious >= threshold + EDGE).mean()),
            "near": float((np.abs(ious - threshold) <= EDGE).mean()),
        }
    if not edges:
        return
    worst = max(edges, key=lambda key: edges[key]["near"])
    near = edges[worst]["near"]
    tied = max(edge["at_the_threshold"] for edge in edges.values())
    yield entry(
        "threshold_edge",
        near,
        f"Largest share of rows whose IoU is within {EDGE} of a threshold of recall; thresholds "
        f"has each recall as it is and {EDGE} to either side, and the share exactly at the "
        "threshold, which scorers count differently (> or >=). Alarm: more than "
        f"{MOST_EDGE_SHARE:.0%} near, or more than {MOST_TIED_SHARE:.1%} exactly at one.",
        alarm=near > MOST_EDGE_SHARE or tied > MOST_TIED_SHARE,
        says=f"{near:.1%} of the rows are within {EDGE} of the threshold of {worst}, "
        f"{tied:.1%} exactly at one",
        rows=len(ious),
        thresholds=edges,
    )


def _anls_edge(anls: np.ndarray) -> Iterator[Entry]:
    counted = anls[~np.isnan(anls)]
    if not len(counted):
        return
    near = (counted >= ANLS_THRESHOLD) & (counted <= ANLS_THRESHOLD + EDGE)
    share = float(near.mean())
    yield entry(
        "threshold_edge",
        share,
        f"Share of rows whose ANLS is at most {EDGE} above {ANLS_THRESHOLD}, below which it counts "
        f"0; without them it is lower by score_at_stake. Alarm: more than {MOST_EDGE_SHARE:.0%}.",
        alarm=share > MOST_EDGE_SHARE,
        says=f"{share:.1%} of the rows have an ANLS just above the threshold",
        rows=len(counted),
        score_at_stake=float(counted[near].sum() / len(counted)),
    )
