"""VUE-TR: every time range that a query is about (Vidi Team, 2025, arXiv:2504.15681)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from fastvbench.answers.rules import PublicScriptAborts, vue_tr_official
from fastvbench.core._status import Status
from fastvbench.protocols._annotations import annotation_records, row_id
from fastvbench.protocols._given_intervals import Pairs, given_intervals
from fastvbench.protocols._gold_windows import GoldRows, duration_of, raw_windows, windows_of
from fastvbench.protocols._grounding_rules import THRESHOLDS, read_intervals, row_spans
from fastvbench.protocols._protocol import AnswerProtocol, ScoreOptions
from fastvbench.protocols._rule import Reading, Rule, RuleBatch, apply_run_record, no_spans
from fastvbench.protocols._set_scores import (
    CONVENTION_METRICS,
    convention_ious,
    overlap_shares,
)
from fastvbench.protocols._task_plan import ASK_FOR_INTERVALS, TaskPlan
from fastvbench.results._metrics import Metric
from fastvbench.results._strata import Stratum

if TYPE_CHECKING:
    from fastvbench.protocols._gold import Gold

AREAS = (
    Metric("iou_auc", "IoU AUC %"),
    Metric("precision_auc", "precision AUC %"),
    Metric("recall_auc", "recall AUC %"),
)
RECALLS = tuple(Metric(f"recall@{t:g}", f"IoU>={t:g} %") for t in THRESHOLDS)

DURATIONS = ("ultra-short", "short", "medium", "long", "ultra-long")
FORMATS = ("keyword", "phrase", "sentence")
MODALITIES = ("vision", "audio", "vision+audio")
_STRATA = {
    "duration_category": DURATIONS,
    "query_format": FORMATS,
    "query_modality": MODALITIES,
}


def read_annotations(source: object, options: ScoreOptions) -> Gold:
    """Read the official records: query_id, video_id, duration, query, gt, and three attributes."""
    rows = GoldRows()
    attributes: dict[str, list[str | None]] = {name: [] for name in _STRATA}
    for record in annotation_records(source):
        values = record.values
        rows.add(
            row_id(values.get("query_id"), record, "query_id"),
            record.text("video_id"),
            str(values.get("query") or ""),
            windows_of(record, "gt"),
            duration_of(record, values.get("duration")),
        )
        for name, column in attributes.items():
            value = values.get(name)
            column.append(value if isinstance(value, str) else None)
    gold = rows.gold(options.durations)
    gold.strata = {name: Stratum.single(attributes[name], order) for name, order in _STRATA.items()}
    return gold


def _read_robust(batch: RuleBatch) -> Reading:
    assert batch.gold.intervals is not None
    predicted = read_intervals(batch)
    gold = batch.gold.intervals.take(batch.rows)
    status = predicted.status.copy()
    apply_run_record(batch, status)
    scores = convention_ious(predicted, gold)
    ious = scores["mean_iou"]
    precision, recall = overlap_shares(predicted, gold, ious)
    scores |= {"iou_auc": ious, "precision_auc": precision, "recall_auc": recall}
    for threshold, metric in zip(THRESHOLDS, RECALLS, strict=True):
        scores[metric.key] = np.where(np.isnan(ious), np.nan, ious >= threshold)
    return Reading(
        status=status,
        scores=scores,
        spans=row_spans(predicted),
        answers=lambda: [[list(pair) for pair in row] or None for row in predicted.rows()],
    )


def _parsed_ranges(batch: RuleBatch, k: int) -> Pairs | None:
    """Row k's ranges as the script takes them: numbers, or a text that is JSON of them.

    Raises:
        PublicScriptAborts: a text of any other kind.
    """
    given = given_intervals(batch.fields, k)
    text = batch.texts[k]
    if given is not None or text is None:
        return given
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    parsed = given_intervals({"intervals": [value]}, 0)
    if parsed is None:
        raise PublicScriptAborts("TypeError: the answer is a text, not a list of ranges")
    return parsed


def _read_official(batch: RuleBatch) -> Reading:
    size = len(batch)
    scores = {metric.key: np.zeros(size) for metric in AREAS}
    status = np.full(size, Status.NO_NUMBER, dtype=np.uint8)
    aborts = np.zeros(size, dtype=np.bool_)
    shown: list[object] = [None] * size
    for k, gold in enumerate(raw_windows(batch)):
        try:
            given = _parsed_ranges(batch, k)
        except PublicScriptAborts as stop:
            aborts[k], shown[k] = True, stop.shown
            continue
        if given is None:
            status[k] = Status.MISSING
        ranges = vue_tr_official.whole_seconds(given or [])
        if ranges:
            status[k], shown[k] = Status.OK, [list(pair) for pair in ranges]
        ratio = vue_tr_official.overlap_ratio(ranges, gold)
        shares = vue_tr_official.precision_and_recall(ranges, gold)
        scores["iou_auc"][k] = vue_tr_official.iou_area(ratio)
        for key, share in zip(("precision_auc", "recall_auc"), shares, strict=True):
            scores[key][k] = np.nan if share is None else vue_tr_official.reach_area(share)
    return Reading(
        status=status,
        scores=scores,
        spans=no_spans(size),
        answers=lambda: shown,
        aborts=aborts,
    )


PROTOCOL = AnswerProtocol(
    name="vue_tr",
    title="VUE-TR",
    citation="Vidi Team, 2025, Vidi: Large Multimodal Models for Video Understanding and Editing, "
    "arXiv:2504.15681",
    version=1,
    published_size=1598,
    rules=(
        Rule(
            name="robust",
            source="a careful reader's time ranges, merged on both sides; the exact area under "
            "each curve, which is the mean IoU, precision and recall; nothing read counts 0. "
            "Beside them the first range, the optimal matching and the best pair (an oracle)",
            read=_read_robust,
            metrics=(*AREAS, *RECALLS, *CONVENTION_METRICS[1:]),
            denominator="all annotated queries that have a gold range",
        ),
        Rule(
            name="official",
            source="bytedance/vidi, VUE_TR/qa_eval.py: ends rounded outwards to whole seconds, 101 "
            "thresholds, IoU must exceed one; precision and recall of ranges neither sorted nor "
            "merged",
            read=_read_official,
            metrics=AREAS,
            missing="dropped",
            denominator="queries in the result file; precision: those with predicted length",
        ),
    ),
    read_annotations=read_annotations,
    tasks=TaskPlan(own_prompt=ASK_FOR_INTERVALS),
    notes=(
        "VUE-TR is CC BY-NC 4.0 and not part of this package.",
        "Prompt and frame policy of its published results: not confirmed.",
    ),
    score_fields={"thresholds": THRESHOLDS},
)
