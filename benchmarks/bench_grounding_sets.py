"""`robust` of benchmarks with several gold intervals, against the plain-Python meaning."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from benchmarks.rivals import grounding_sets_data as data
from tests.reference import grounding_sets as twin
from tests.reference import intervals as interval_twin
from tests.reference import timestamps as timestamp_twin

from fastvbench.protocols import get_protocol
from fastvbench.protocols._protocol import ScoreOptions
from fastvbench.protocols._rule import RuleBatch

SEED = 0
ROWS = 20_000
SUBMISSION_ROWS = 3_000
QVHIGHLIGHTS_GRADES = {"Fair": 2, "Good": 3, "VeryGood": 4}


def batch_of(protocol, annotations, texts, fields):
    gold = get_protocol(protocol).read_annotations(annotations, ScoreOptions())
    return RuleBatch(texts, fields, np.arange(len(gold)), gold)


def gold_rows(batch):
    return [[tuple(pair) for pair in row] for row in batch.gold.intervals.rows()]


def parsed(batch):
    durations = batch.gold.durations.tolist()
    return [
        [(said.start, said.end) for said in timestamp_twin.parse(text, duration).intervals]
        for text, duration in zip(batch.texts, durations, strict=True)
    ]


def same_columns(name, ours, theirs):
    for key, column in theirs.items():
        np.testing.assert_allclose(ours.scores[key], column, rtol=1e-9, err_msg=f"{name} {key}")


def against_twin(compare, protocol, batch, plain, *, case):
    rule = get_protocol(protocol).rule("robust")
    compare(lambda: rule.read(batch), {"twin": plain}, same_columns, case=case, rounds=3, warmup=1)


def bench_vue_tr_in_words(compare):
    batch = batch_of("vue_tr", *data.vue_tr(ROWS, SEED), {})
    gold = gold_rows(batch)

    def plain():
        rows = [
            {**twin.conventions(pred, wanted), "shares": twin.precision_and_recall(pred, wanted)}
            for pred, wanted in zip(parsed(batch), gold, strict=True)
        ]
        return {
            "iou_auc": [row["union"] for row in rows],
            "first_mean_iou": [row["first"] for row in rows],
            "one_to_one_mean_iou": [row["one_to_one"] for row in rows],
            "best_mean_iou": [row["best"] for row in rows],
            "precision_auc": [row["shares"][0] for row in rows],
            "recall_auc": [row["shares"][1] for row in rows],
        }

    against_twin(compare, "vue_tr", batch, plain, case="grounding sets/vue_tr in words")


def bench_activitynet_in_words(compare, tmp_path):
    annotations, texts = data.activitynet(ROWS, SEED)
    batch = batch_of("activitynet_captions", written(annotations, tmp_path), texts, {})
    gold = gold_rows(batch)

    def plain():
        pairs = list(zip(parsed(batch), gold, strict=True))
        return {
            "mean_iou": [interval_twin.set_iou(pred, wanted) for pred, wanted in pairs],
            "first_mean_iou": [interval_twin.first_iou(pred, wanted) for pred, wanted in pairs],
        }

    against_twin(
        compare, "activitynet_captions", batch, plain, case="grounding sets/activitynet in words"
    )


def written(annotations, folder):
    path = Path(folder) / "annotations.json"
    path.write_text(json.dumps(annotations))
    return path


def bench_qvhighlights_submission(compare):
    annotations, fields = data.qvhighlights(SUBMISSION_ROWS, SEED)
    batch = batch_of("qvhighlights", annotations, [None] * SUBMISSION_ROWS, fields)
    gold = gold_rows(batch)
    grades = [clip_grades(row) for row in annotations]

    def plain():
        columns = {}
        for windows, scores, saliency, wanted, clips in zip(
            *fields.values(), gold, grades, strict=True
        ):
            usable = twin.usable(windows, 150.0)
            pred = [(start, end) for _, start, end in usable]
            moments = twin.moments(pred, [scores[place] for place, _, _ in usable], wanted)
            for name, (precisions, _) in moments.items():
                columns.setdefault(f"MR-{name}-mAP", []).append(math.fsum(precisions) / 10)
            for name, minimum in QVHIGHLIGHTS_GRADES.items():
                precision, hit = twin.highlights(saliency, clips, minimum)
                columns.setdefault(f"HL-min-{name}-mAP", []).append(precision)
                columns.setdefault(f"HL-min-{name}-Hit1", []).append(hit)
        return columns

    against_twin(
        compare, "qvhighlights", batch, plain, case="grounding sets/qvhighlights submission"
    )


def clip_grades(annotation):
    rows = [[0, 0, 0] for _ in range(75)]
    for clip, grades in zip(
        annotation["relevant_clip_ids"], annotation["saliency_scores"], strict=True
    ):
        rows[clip] = grades
    return rows
