"""The rules on other people's real outputs give the numbers that were published or recomputed."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from statistics import fmean

import pytest

from fastvbench.answers.rules import timechat, videollama3, vtimellm

FOLDER = os.environ.get("FASTVBENCH_REAL_DATA")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="FASTVBENCH_REAL_DATA is not set")


def load(*parts):
    path = Path(FOLDER, *parts)
    if not path.is_file():
        pytest.skip(f"{'/'.join(parts)} is not in FASTVBENCH_REAL_DATA")
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as stream:
        return json.load(stream)


def recall_percent(ious, threshold):
    return sum(iou >= threshold for iou in ious) / len(ious) * 100


def test_timechat_example_file():
    gold = {
        row["id"]: tuple(row["timestamp"])
        for row in load("timechat", "example_gt_file.json.gz")["annotations"]
    }
    rows = load("timechat", "example_pred_file.json")
    ious = [
        timechat.hull_iou(tuple(row["timestamp"][0]), gold[int(row_id)])
        if row["timestamp"]
        else 0.0
        for row_id, row in rows.items()
    ]
    assert len(ious) == 500
    assert [round(recall_percent(ious, t), 10) for t in (0.3, 0.5, 0.7)] == [9.0, 3.4, 1.4]
    assert fmean(ious) * 100 == pytest.approx(6.299805866916596, abs=1e-12)
    assert sum(not row["timestamp"] for row in rows.values()) == 280


def merge(intervals):
    merged = []
    for start, end in sorted((min(pair), max(pair)) for pair in intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def merged_iou(intervals, gold):
    merged = merge(intervals)
    overlap = sum(max(0.0, min(e, gold[1]) - max(s, gold[0])) for s, e in merged)
    union = gold[1] - gold[0] + sum(e - s for s, e in merged) - overlap
    return overlap / union if union else 0.0


def test_videollama3_sum_formula_on_vue_tr():
    gold = {row["query_id"]: row["gt"] for row in load("vue_tr", "VUE-TR_ground_truth.json.gz")}
    rows = load("vue_tr", "results_Gemini-2.5-Pro.json.gz")
    single = [
        (row["answer"], tuple(gold[row["query_id"]][0]))
        for row in rows
        if len(gold[row["query_id"]]) == 1
    ]
    assert len(single) == 1140

    summed = [videollama3.summed_iou(answer, truth) for answer, truth in single]
    merged = [merged_iou(answer, truth) for answer, truth in single]
    first = [merged_iou(answer[:1], truth) for answer, truth in single]
    figures = [
        (round(fmean(i) * 100, 2), round(recall_percent(i, 0.5), 2))
        for i in (summed, merged, first)
    ]
    assert figures == [(18.13, 17.63), (16.92, 16.58), (14.66, 14.65)]
    assert sum(iou > 1 for iou in summed) == 7
    assert max(merged) <= 1


def test_vtimellm_rounding_lifts_real_scores():
    gold = {row["query_id"]: row["gt"] for row in load("vue_tr", "VUE-TR_ground_truth.json.gz")}
    pairs = [
        (tuple(sorted(row["answer"][0])), tuple(gold[row["query_id"]][0]))
        for row in load("vue_tr", "results_Vidi.json.gz")
        if len(gold[row["query_id"]]) == 1 and row["answer"]
    ]
    assert len(pairs) == 1140
    exact = [timechat.hull_iou(*pair) for pair in pairs]
    rounded = [vtimellm.rounded_iou(*pair) for pair in pairs]
    assert [sum(iou >= t for iou in exact) for t in (0.3, 0.5, 0.7)] == [582, 438, 295]
    assert [sum(iou >= t for iou in rounded) for t in (0.3, 0.5, 0.7)] == [588, 439, 299]
