"""ChartQA: annotations, the definitions of relaxed accuracy side by side, halves and judges."""

from __future__ import annotations

import json

import pytest

from fastvbench import get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions


def chart(query, label, split="human_test"):
    return {"imgname": "c.png", "query": query, "label": label, "type": split}


def relaxed(prediction, label):
    """What each rule set gives one answer."""
    data = score("chartqa", {"0": prediction}, [chart("Q?", label)]).data["rules"]
    return {
        rule: entry["overall"][
            "exact_match" if rule == "paper" else "relaxed_accuracy"
        ]["value"]
        for rule, entry in data.items()
    }  # fmt: skip


STACKS = ("official", "lmms-eval-2026-08", "vlmevalkit", "vlmevalkit-pre-1204", "videollama3")


@pytest.mark.parametrize(
    ("prediction", "label", "robust", "stacks"),
    [
        ("100", "100", 1, (1, 1, 1, 1, 1)),
        ("95", "100", 1, (1, 1, 1, 0, 1)),  # swapped: 5 of 95 is more than 5 %
        ("105.2", "100", 0, (0, 0, 0, 1, 0)),
        ("10000", "100", 0, (0, 0, 0, 0, 1)),  # VideoLLaMA3 takes a hundredfold
        ("1", "100", 0, (0, 0, 0, 0, 1)),
        ("2019", "2021", 0, (1, 1, 1, 1, 1)),  # a year is no measurement
        ("2021", "2021", 1, (1, 1, 1, 1, 1)),
        ("0.0", "0", 1, (0, 0, 0, 0, 0)),  # a gold of zero is text to all of them
        ("0.04", "0", 0, (0, 0, 0, 0, 0)),
        ("1,000", "1000", 1, (0, 0, 0, 0, 0)),
        ("50%", "0.5", 1, (1, 1, 1, 1, 1)),
        ("50", "50%", 1, (0, 0, 0, 0, 1)),
        ("nan", "5", 0, (0, 0, 0, 0, 0)),
        ("1_000", "1000", 0, (1, 1, 1, 1, 1)),
        ("Blue", "blue", 1, (1, 1, 1, 1, 1)),
        (" blue", "blue", 1, (0, 0, 1, 1, 1)),  # lmms-eval and pix2struct do not trim
        ("blue.", "blue", 1, (0, 0, 0, 0, 0)),
        ("The answer is 12 apples.", "12", 1, (0, 0, 0, 0, 0)),
        ("", "blue", 0, (0, 0, 0, 0, 0)),
    ],
)
def test_definitions_side_by_side(prediction, label, robust, stacks):
    given = relaxed(prediction, label)
    assert given["robust"] == robust
    assert tuple(given[rule] for rule in STACKS) == stacks


def test_what_videollama3_would_ask_a_judge_is_counted_apart():
    gold = [chart("Q1", "blue"), chart("Q2", "12"), chart("Q3", "7")]
    answers = {"0": "dark blue", "1": "12", "2": "seven"}
    entry = score("chartqa", answers, gold, rules="videollama3").data["rules"]["videollama3"]
    assert entry["status"] == {"ok": 1, "needs_judge": 2}
    assert entry["overall"]["relaxed_accuracy"]["value"] == pytest.approx(1 / 3)
    assert entry["overall"]["relaxed_accuracy"]["value_if_all_right"] == 1.0
    judged = score(
        "chartqa", answers, gold, rules="videollama3", verdicts={"0": False, "2": "correct"}
    ).data["rules"]["videollama3"]
    assert judged["overall"]["relaxed_accuracy"]["value"] == pytest.approx(2 / 3)


def test_verdicts_recorded_in_videollama3_files_count():
    rows = [
        {"human": 1, "Overall": 1},
        {"data_id": "a", "response": "dark blue", "prediction": "dark blue",
         "ground_truth": "blue", "score": True, "task_type": "human"},
        {"data_id": "b", "response": "navy", "prediction": "navy",
         "ground_truth": "blue", "score": False, "task_type": "augmented"},
    ]  # fmt: skip
    entry = score("chartqa", rows).data["rules"]["videollama3"]
    assert entry["overall"]["relaxed_accuracy"]["value"] == 0.5
    assert "value_if_all_right" not in entry["overall"]["relaxed_accuracy"]
    assert entry["status"] == {"ok": 2}


def test_overall_is_the_mean_of_the_halves():
    gold = [chart("1", "a"), chart("2", "b"), chart("3", "c"), chart("4", "d", "augmented_test")]
    rules = score("chartqa", {"0": "a", "1": "b", "2": "c", "3": "x"}, gold).data["rules"]
    for rule in ("robust", "official", "videollama3"):
        overall = rules[rule]["overall"]
        assert overall["relaxed_accuracy"]["value"] == 0.75
        assert overall["macro_relaxed_accuracy"]["value"] == 0.5
    assert get_protocol("chartqa").rule("videollama3").metrics[0].key == "macro_relaxed_accuracy"


def test_official_files_and_their_folder(tmp_path):
    row = {"imgname": "1.png", "query": "Q?", "label": "3"}
    for half in ("augmented", "human"):
        (tmp_path / f"test_{half}.json").write_text(json.dumps([{**row, "query": half}]))
    gold = get_protocol("chartqa").read_annotations(tmp_path, ScoreOptions())
    assert gold.ids == ["0", "1"]
    assert gold.strata["split"].of_row() == {0: ["augmented"], 1: ["human"]}
    assert gold.videos == ["1.png", "1.png"]
    predictions = [{"imgname": "1.png", "query": "human", "pred": "3"}]
    data = score("chartqa", predictions, tmp_path, rules="robust").data
    assert data["coverage"]["scored"] == 1
    assert data["rules"]["robust"]["strata"]["split"]["human"]["relaxed_accuracy"]["value"] == 1.0


def test_rows_of_the_public_copies():
    rows = [
        {"question": "Q", "answer": "3", "type": "augmented_test", "image": None},
        {"query": "Q", "label": ["4"], "human_or_machine": 0},
        {"question": "Q", "answers": ["5", "five"], "question_id": "x", "split": "test_human"},
    ]
    gold = get_protocol("chartqa").read_annotations(rows, ScoreOptions())
    assert gold.ids == ["0", "1", "x"]
    assert gold.answers == [["3"], ["4"], ["5", "five"]]
    assert gold.strata["split"].of_row() == {0: ["augmented"], 1: ["human"], 2: ["human"]}


def test_tables_of_vlmevalkit_carry_their_gold():
    rows = [
        {"index": 0, "question": "Q", "answer": "3", "split": "test_human", "prediction": " 3 "},
        {"index": 1, "question": "P", "answer": "4", "split": "test_augmented", "prediction": "5"},
    ]
    entry = score("chartqa", rows).data["rules"]["vlmevalkit"]
    assert entry["strata"]["split"]["human"]["relaxed_accuracy"]["value"] == 1.0
    assert entry["strata"]["split"]["augmented"]["relaxed_accuracy"]["value"] == 0.0
