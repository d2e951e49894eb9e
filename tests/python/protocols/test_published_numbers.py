"""Scores that others published, from their own files, to the last count."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from fastvbench import interval_set_iou, score
from fastvbench.intervals import Intervals

LVBENCH_TYPES = {
    "key information retrieval": (144, 291),
    "event understanding": (308, 647),
    "summarization": (16, 58),
    "entity recognition": (323, 677),
    "reasoning": (100, 201),
    "temporal grounding": (95, 220),
}
LVBENCH_VIDEO_TYPES = {
    "cartoon": (128, 283),
    "documentary": (100, 197),
    "live": (123, 262),
    "selfmedia": (150, 317),
    "sport": (120, 240),
    "tv": (117, 250),
}


def counts(entry):
    """(right, of) of an accuracy entry."""
    n = entry["accuracy"]["n"]
    right = entry["accuracy"]["value"] * n
    assert right == pytest.approx(round(right), abs=1e-9)
    return round(right), n


@pytest.mark.parametrize("joined", [False, True], ids=["own-gold", "joined-by-video-and-question"])
def test_lvbench_from_six_lmms_eval_logs(real_data, joined):
    logs = sorted((real_data / "lvbench" / "lmms_eval_logs_pure").glob("*.json.gz"))
    assert len(logs) == 6
    annotations = real_data / "lvbench" / "video_info.meta.jsonl" if joined else None
    data = score("lvbench", logs, annotations, rules=["official", "robust"]).data
    official = data["rules"]["official"]
    assert counts(official["overall"]) == (738, 1549)
    strata = official["strata"]
    assert {name: counts(e) for name, e in strata["question_type"].items()} == LVBENCH_TYPES
    assert {name: counts(e) for name, e in strata["video_type"].items()} == LVBENCH_VIDEO_TYPES
    assert counts(data["rules"]["robust"]["overall"]) == (738, 1549)
    assert data["coverage"]["scored"] == 1549
    assert data["interval_method"]["clusters"] == 103


def test_lvbench_submission_file_by_uid(real_data, tmp_path):
    rows = json.loads((real_data / "lvbench" / "uid_to_log_row.json").read_text())
    texts = {}
    for path in (real_data / "lvbench" / "lmms_eval_logs_pure").glob("*.json.gz"):
        task = path.name.removesuffix(".json.gz")
        for log in json.loads(gzip.decompress(path.read_bytes()))["logs"]:
            texts[f"{task}:{log['doc_id']}"] = log["resps"][0][0]
    submission = {uid: texts[place] for uid, place in rows.items()}
    dropped = dict(list(submission.items())[100:])
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(dropped))
    data = score("lvbench", path, real_data / "lvbench" / "video_info.meta.jsonl").data
    wanted = sum(
        dropped[q["uid"]] == q["answer"]
        for line in (real_data / "lvbench" / "video_info.meta.jsonl").read_text().splitlines()
        for q in json.loads(line)["qa"]
        if q["uid"] in dropped
    )
    assert counts(data["rules"]["official"]["overall"]) == (wanted, 1449)
    assert counts(data["rules"]["robust"]["overall"]) == (wanted, 1549)
    assert data["coverage"]["missing"] == 100


def test_timechat_example(real_data):
    data = score(
        "charades_sta",
        real_data / "timechat" / "example_pred_file.json",
        real_data / "timechat" / "example_gt_file.json.gz",
        rules=["timechat"],
    ).data
    overall = data["rules"]["timechat"]["overall"]
    assert [round(100 * overall[f"recall@{t}"]["value"], 6) for t in (0.3, 0.5, 0.7)] == [
        9.0,
        3.4,
        1.4,
    ]
    assert 100 * overall["mean_iou"]["value"] == pytest.approx(6.299805866916596, abs=1e-12)
    assert overall["mean_iou"]["n"] == 500
    assert data["rules"]["timechat"]["status"] == {"ok": 220, "missing": 3220, "no_number": 280}


def test_videollama3_sums_and_merged_union_on_vue_tr(real_data):
    """The sum formula against the merged union, on the queries with one gold interval."""
    folder = real_data / "vue_tr"
    gold = json.loads(gzip.decompress((folder / "VUE-TR_ground_truth.json.gz").read_bytes()))
    answers = json.loads(gzip.decompress((folder / "results_Gemini-2.5-Pro.json.gz").read_bytes()))
    given = {row["query_id"]: row["answer"] for row in answers}
    single = [row for row in gold if len(row["gt"]) == 1]
    annotations = [
        {
            "id": row["query_id"],
            "video": row["video_id"],
            "caption": row["query"],
            "timestamp": row["gt"][0],
        }
        for row in single
    ]
    predictions = [
        {"id": row["query_id"], "intervals": given.get(row["query_id"], [])} for row in single
    ]
    data = score("charades_sta", predictions, annotations, rules=["videollama3", "robust"]).data
    summed, robust = data["rules"]["videollama3"]["overall"], data["rules"]["robust"]["overall"]
    assert summed["mean_iou"]["n"] == 1140
    assert round(100 * summed["mean_iou"]["value"], 2) == 18.13
    assert round(100 * summed["recall@0.5"]["value"], 2) == 17.63
    assert round(100 * robust["mean_iou"]["value"], 2) == 16.92
    assert round(100 * robust["recall@0.5"]["value"], 2) == 16.58
    assert round(100 * robust["first_mean_iou"]["value"], 2) == 14.66
    assert round(100 * robust["first_recall@0.5"]["value"], 2) == 14.65
    # The kernel alone, without a protocol around it.
    predicted = Intervals.from_rows(
        [sorted((min(p), max(p)) for p in given.get(row["query_id"], [])) for row in single]
    )
    wanted = Intervals.from_rows([[tuple(map(float, row["gt"][0]))] for row in single])
    assert round(100 * float(np.mean(interval_set_iou(predicted, wanted))), 2) == 16.92
