"""What LVBench and ForeSeaQA say goes wrong with models: each of it is found and said."""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench import score

COUNT = 60
LVBENCH = [
    {
        "key": f"v{v}",
        "type": "tv",
        "video_info": {"duration_minutes": 70},
        "qa": [
            {
                "uid": f"{v}-{i}",
                "question": "Q?\n(A) w\n(B) x\n(C) y\n(D) z",
                "answer": "ABCD"[(v + i) % 4],
                "time_reference": "05:00-05:08",
            }
            for i in range(4)
        ],
    }
    for v in range(COUNT // 4)
]
RIGHT = {q["uid"]: q["answer"] for video in LVBENCH for q in video["qa"]}
FORESEA = [
    {
        "id": str(i), "video": f"v{i // 3}", "question": "Q?", "options": ["1", "2", "3"],
        "answer": "C", "interval": [100.0, 130.0], "duration": 3600,
        "modality": "text" if i % 2 else "image+text", "task": "counting" if i % 3 else "search",
    }
    for i in range(COUNT)
]  # fmt: skip


def lvbench(answers):
    return score("lvbench", answers, LVBENCH, samples=False).data


def foreseaqa(letter, interval):
    rows = [{"id": str(i), "answer": letter(i), "interval": interval(i)} for i in range(COUNT)]
    return score("foreseaqa", rows, FORESEA, samples=False).data


def test_lvbench_none_of_the_above_in_place_of_a_letter():
    answers = {
        k: "None of the above" if i % 5 == 0 else v for i, (k, v) in enumerate(RIGHT.items())
    }
    data = lvbench(answers)
    failures = data["diagnostics"]["parse_failures"]
    assert failures["alarm"]
    assert failures["value"] == pytest.approx(0.2)
    assert sum(failures["by_status"].values()) == COUNT // 5
    assert data["diagnostics"]["output_constraint"]["recovered"] == 0


def test_lvbench_a_letter_in_a_sentence_is_recovered_and_counted():
    data = lvbench({k: f"The best answer is ({v})." for k, v in RIGHT.items()})
    assert data["rules"]["robust"]["overall"]["accuracy"]["value"] == 1.0
    assert data["diagnostics"]["output_constraint"]["recovered"] == COUNT
    assert not data["diagnostics"]["parse_failures"]["alarm"]


def test_lvbench_sparse_frames_are_near_random():
    drawn = np.random.default_rng(2).integers(0, 4, COUNT).tolist()
    rows = [
        {"id": ident, "text": "ABCD"[k], "frames": 32}
        for ident, k in zip(RIGHT, drawn, strict=True)
    ]
    found = lvbench(rows)["diagnostics"]
    assert found["near_chance"]["alarm"]
    assert found["near_chance"]["chance"] == 0.25
    assert found["frames_per_minute"]["alarm"]
    assert found["frames_per_minute"]["value"] == pytest.approx(32 / 70)
    assert found["frames_per_minute"]["missable_share"] == 1.0  # 8 s of evidence, 131 s apart


def test_lvbench_one_frame_a_second_is_no_cause_for_alarm():
    rows = [{"id": k, "text": v, "frames": 70 * 60} for k, v in RIGHT.items()]
    found = lvbench(rows)["diagnostics"]["frames_per_minute"]
    assert not found["alarm"]
    assert found["share_of_one_per_second"] == 1.0
    assert found["missable_share"] == 0.0


def test_lvbench_defaulting_to_a_gains_nothing_once_bias_is_taken_out():
    found = lvbench({k: "A" if i % 3 else v for i, (k, v) in enumerate(RIGHT.items())})[
        "diagnostics"
    ]
    assert found["response_bias"]["alarm"]
    assert found["response_bias"]["letter"] == "A"
    assert found["always_one_letter"]["by_letter"]["A"] == pytest.approx(0.25)


def test_foreseaqa_right_answers_from_the_wrong_time():
    found = foreseaqa(lambda i: "C", lambda i: [2000.0, 2600.0])["diagnostics"]
    assert found["answered_from_context"]["alarm"]
    assert found["answered_from_context"]["value"] == 1.0
    assert found["whole_video_baseline"]["alarm"]


def test_foreseaqa_image_queries_are_harder():
    data = foreseaqa(lambda i: "C" if i % 2 else "ABC"[i % 3], lambda i: [100.0, 130.0])
    gap = data["diagnostics"]["modality_gap.accuracy"]
    assert gap["alarm"]
    assert gap["value"] == pytest.approx(2 / 3)
    assert "modality_gap.mean_iou" in data["diagnostics"]


def test_foreseaqa_counts_are_too_low_and_badly_formatted():
    found = foreseaqa(lambda i: "AB"[i % 2], lambda i: [100.0, 130.0])["diagnostics"]
    assert found["under_count"]["alarm"]
    assert found["under_count"]["too_low"] == COUNT * 2 // 3
    found = foreseaqa(lambda i: "a few" if i % 3 else "C", lambda i: [100.0, 130.0])["diagnostics"]
    assert found["counting_format"]["alarm"]
    assert found["counting_format"]["value"] == 1.0
