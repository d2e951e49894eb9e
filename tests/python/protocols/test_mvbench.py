"""MVBench: annotation files by task, what counts as right without an answer, averages."""

from __future__ import annotations

import json

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

COLOURS = ["red", "blue", "green"]
ROWS = [
    ("action_count", COLOURS, "blue"),
    ("action_count", ["red", "blue", "red"], "red"),
    ("scene_transition", COLOURS, "navy"),
    ("scene_transition", COLOURS, "green"),
]
GOLD = [
    {
        "video": f"v{number}.mp4",
        "question": f"What is {number}?",
        "candidates": candidates,
        "answer": answer,
        "task_type": task,
    }
    for number, (task, candidates, answer) in enumerate(ROWS)
]
IDS = ["action_count_0", "action_count_1", "scene_transition_0", "scene_transition_1"]
API_FAILURE = "Failed to obtain answer via API."


def counts(result):
    found = {}
    for rule, entry in result.data["rules"].items():
        value = entry["overall"]["accuracy"]
        found[rule] = (round(value["value"] * value["n"]) if value["n"] else 0, value["n"])
    return found


def given(*texts):
    return counts(score("mvbench", dict(zip(IDS, texts, strict=True)), GOLD))


def test_each_rule_set_reads_its_own_way():
    assert given("(B) blue", "(C) red", "A", "It is green.") == {
        "robust": (3, 4),  # either red is right
        "official": (2, 4),  # of equal candidates the last, and letters only
        "videollama3": (2, 4),  # the first red is gold there
        "lmms-eval-2026-08": (1, 4),
        "vlmevalkit": (3, 4),
    }


def test_empty_answers_are_right_dropped_or_wrong():
    assert given("", "", "", "") == {
        "robust": (0, 4),
        "official": (4, 4),
        "videollama3": (0, 4),
        "lmms-eval-2026-08": (0, 0),
        "vlmevalkit": (4, 4),
    }


def test_missing_and_failed_answers_are_right_for_vlmevalkit_only():
    rows = {"action_count_0": None, "action_count_1": API_FAILURE}
    assert counts(score("mvbench", rows, GOLD[:2])) == {
        "robust": (0, 2),
        "official": (0, 2),
        "videollama3": (1, 2),  # the A of API
        "lmms-eval-2026-08": (0, 1),
        "vlmevalkit": (2, 2),
    }
    # A score list of 1, 0, NaN and -1 is three of four there.
    four = dict(zip(IDS[:2] + IDS[3:], ("B", "B", API_FAILURE), strict=True))
    assert counts(score("mvbench", four, GOLD))["vlmevalkit"] == (3, 4)


def test_scripts_that_stop_are_counted():
    data = score("mvbench", dict(zip(IDS, ("A, B", "none", "A", "C"), strict=True)), GOLD).data
    aborts = {rule: entry["public_script_aborts"] for rule, entry in data["rules"].items()}
    # VideoLLaMA3 stops on "A, B" and "none", lmms-eval on an answer that is no candidate.
    assert aborts == {
        "robust": 0,
        "official": 0,
        "videollama3": 2,
        "lmms-eval-2026-08": 1,
        "vlmevalkit": 0,
    }
    assert data["rules"]["lmms-eval-2026-08"]["overall"]["accuracy"]["n"] == 4


def test_macro_weighs_tasks_alike():
    data = score("mvbench", dict(zip(IDS, "BCAA", strict=True)), GOLD, rules=["official"]).data
    values = data["rules"]["official"]["overall"]
    assert (values["accuracy"]["value"], values["macro_accuracy"]["value"]) == (0.5, 0.5)
    rest = score("mvbench", dict(zip(IDS, "BCAC", strict=True)), GOLD[:3], rules=["official"]).data
    assert rest["rules"]["official"]["overall"]["macro_accuracy"]["value"] == 0.5
    assert rest["rules"]["official"]["overall"]["accuracy"]["value"] == pytest.approx(2 / 3)


def test_a_folder_names_the_tasks_by_its_files(tmp_path):
    for task in ("action_count", "scene_transition"):
        rows = [
            {key: value for key, value in row.items() if key != "task_type"}
            for row in GOLD
            if row["task_type"] == task
        ]
        (tmp_path / f"{task}.json").write_text(json.dumps(rows))
    gold = get_protocol("mvbench").read_annotations(tmp_path, ScoreOptions())
    assert gold.ids == IDS
    assert gold.strata["task"].categories == ("scene_transition", "action_count")


def test_tasks_have_one_name():
    row = {key: value for key, value in GOLD[0].items() if key != "task_type"}
    for name in ("Fine-grained Action", "fine_grained_action", "mvbench_fine_grained_action"):
        gold = get_protocol("mvbench").read_annotations([row | {"task": name}], ScoreOptions())
        assert gold.strata["task"].categories == ("fine_grained_action",)
    with pytest.raises(InputError, match="field 'task_type': names no task"):
        score("mvbench", {"x": "A"}, [row])


def test_vlmevalkits_table_carries_its_own_gold():
    rows = [
        {
            "index": number,
            "video": row["video"],
            "task_type": "Action Count",
            "question": row["question"],
            "answer": row["answer"],
            "candidates": str(row["candidates"]),
            "prediction": text,
        }
        for number, (row, text) in enumerate(zip(GOLD, ("B", "C", "A", "C"), strict=True))
    ]
    result = score("mvbench", rows)
    assert counts(result)["robust"] == (3, 4)
    assert list(result.data["rules"]["robust"]["strata"]["task"]) == ["action_count"]


def test_files_with_letters_only():
    rows = [
        {"doc_id": number, "target": letter, "resps": [[text]], "filtered_resps": [text]}
        for number, (letter, text) in enumerate([("B", "(B)"), ("A", "c"), ("E", "E.")])
    ]
    assert set(counts(score("mvbench", rows)).values()) == {(2, 3)}


@pytest.mark.parametrize(
    ("protocol", "row"),
    [
        ("mvbench", {"task_type": "action_count", "answer": "30"}),
        ("mlvu", {"question_type": "count", "answer": "30"}),
        ("longvideobench", {"id": "1", "video_id": "v", "correct_choice": 30}),
    ],
)
def test_more_options_than_letters_are_refused(protocol, row):
    row = {"video": "v", "question": "q", "candidates": list(map(str, range(40)))} | row
    with pytest.raises(InputError, match="too many options, got '40 options'"):
        score(protocol, {"1": "A"}, [row])
