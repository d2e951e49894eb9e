"""Files that others published, read where they are at hand."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from tests.python.formats.test_open import read

from fastvbench.core._errors import InputError
from fastvbench.formats import SubmissionRow, iter_json_lines, open_predictions, submission_bytes

FOLDER = os.environ.get("FASTVBENCH_REAL_DATA")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="FASTVBENCH_REAL_DATA names no folder")
ROOT = Path(FOLDER or ".")

PREDICTIONS = [
    ("timechat/example_pred_file.json", "timechat", 500, False),
    ("qvhighlights/sample_val_preds.jsonl.gz", "qvhighlights", 1550, False),
    ("vnbench/llava-ov-7b-videoniah-result.jsonl.gz", "jsonl", 5400, True),
    ("mlvu/test_res.json.gz", "json-rows", 502, False),
    ("mathvista/bard/output_bard.json.gz", "mathvista", 1000, True),
    ("mathvista/claude/output_claude_2shot_solution.json.gz", "mathvista", 1000, True),
    ("tempcompass/predictions/gemini/multi-choice.json.gz", "tempcompass", 1580, True),
    ("tempcompass/official/video-llava/multi-choice.json.gz", "tempcompass", 1580, True),
    ("vue_tr/results_GPT-4o.json.gz", "vue-tr", 1598, False),
    ("vue_tr/results_Gemini-2.0-Flash.json.gz", "vue-tr", 1598, False),
    ("vue_tr/results_Gemini-2.5-Pro.json.gz", "vue-tr", 1598, False),
    ("vue_tr/results_Vidi.json.gz", "vue-tr", 1598, False),
]
ANNOTATIONS = [
    "activitynet/val_1.json.gz",
    "charades_sta/charades.json.gz",
    "charades_sta/charades_sta_test.txt",
    "longvideobench/longvideobench_val_include_frame_idx.json.gz",
    "lvbench/video_info.meta.jsonl",
    "mathvista/testmini.json.gz",
    "mlvu/1_plotQA.json.gz",
    "mlvu/9_summary.json.gz",
    "qvhighlights/highlight_val_release.jsonl.gz",
    "timechat/example_gt_file.json.gz",
    "vue_tr/VUE-TR_ground_truth.json.gz",
]
SCORES = [
    "mathvista/bard/scores_bard.json",
    "qvhighlights/sample_val_preds_metrics_raw.json",
    "vue_tr/results_table.csv",
]


@pytest.mark.parametrize(("name", "format_name", "row_count", "carries_gold"), PREDICTIONS)
def test_predictions(name: str, format_name: str, row_count: int, carries_gold: bool) -> None:
    file = open_predictions(ROOT / name)
    columns = read(file)
    assert (file.format, len(columns["ids"]), file.carries_gold, file.ledger) == (
        format_name,
        row_count,
        carries_gold,
        {},
    )


@pytest.mark.parametrize("name", ANNOTATIONS)
def test_annotations_are_not_taken_for_predictions(name: str) -> None:
    with pytest.raises(InputError, match="annotations"):
        read(open_predictions(ROOT / name))


@pytest.mark.parametrize("name", [*SCORES, "README.md"])
def test_scores_are_not_taken_for_predictions(name: str) -> None:
    with pytest.raises(InputError, match=r"no predictions|no field|neither JSON nor a table"):
        read(open_predictions(ROOT / name))


def test_six_lvbench_logs_are_one_run() -> None:
    questions = {
        (video["key"], qa["question"].split("\n(A)")[0].strip())
        for _, video in iter_json_lines(ROOT / "lvbench/video_info.meta.jsonl")
        for qa in video["qa"]
    }
    rows: Counter[str] = Counter()
    correct = 0
    for path in sorted((ROOT / "lvbench/lmms_eval_logs_pure").iterdir()):
        file = open_predictions(path)
        assert (file.format, file.carries_gold) == ("lmms-eval-log", True)
        columns = read(file)
        fields = columns["fields"]
        assert columns["ids"] == [None] * len(columns["ids"])
        rows.update(fields["video_type"])
        for text, gold in zip(columns["texts"], fields["gold"], strict=True):
            correct += text == gold[1]  # "(D) TV show"
        for video, query in zip(fields["video"], fields["query"], strict=True):
            assert (video, query.strip()) in questions
    assert rows == {
        "cartoon": 283,
        "documentary": 197,
        "live": 262,
        "selfmedia": 317,
        "sport": 240,
        "tv": 250,
    }
    assert correct == 738


def test_empty_timechat_predictions() -> None:
    columns = read(open_predictions(ROOT / "timechat/example_pred_file.json"))
    assert sum(intervals == [] for intervals in columns["fields"]["intervals"]) == 280


def test_a_submission_to_mlvu_is_written_as_it_was_read() -> None:
    rows = []
    for batch in open_predictions(ROOT / "mlvu/test_res.json.gz").batches():
        types = batch.fields["question_type"]
        rows += [
            SubmissionRow(ident or "", text, columns={"question_type": kind})
            for ident, text, kind in zip(batch.ids, batch.texts, types, strict=True)
        ]
    original = json.loads(gzip.decompress((ROOT / "mlvu/test_res.json.gz").read_bytes()))
    assert json.loads(submission_bytes("mlvu-submission", rows)) == original
    assert len(rows) == 502
