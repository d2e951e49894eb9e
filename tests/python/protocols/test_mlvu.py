"""MLVU: annotations, gold letters that scorers disagree on, each rule set, both averages."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

COLOURS = ["red", "blue", "green", "white"]
ROWS = [
    ("plotQA", "v1.mp4", COLOURS, "blue"),
    ("plotQA", "v1.mp4", ["red", "blue", "green", "blue"], "blue"),
    ("plotQA", "v2.mp4", COLOURS, "navy"),
    ("order", "v3.mp4", COLOURS, "green"),
]
GOLD = [
    {
        "video": video,
        "duration": 60.5,
        "question": f"What is {number}?",
        "candidates": candidates,
        "answer": answer,
        "question_type": name,
    }
    for number, (name, video, candidates, answer) in enumerate(ROWS)
]
IDS = ["plotQA_0", "plotQA_1", "plotQA_2", "order_0"]
API_FAILURE = "Failed to obtain answer via API."


def overall(result):
    """(right, of) by rule set."""
    found = {}
    for rule, entry in result.data["rules"].items():
        accuracy = entry["overall"]["accuracy"]
        found[rule] = (round(accuracy["value"] * accuracy["n"]), accuracy["n"])
    return found


def rights(*texts):
    """How many of four rows each rule set counts as right."""
    result = score("mlvu", dict(zip(IDS, texts, strict=True)), GOLD)
    return {rule: right for rule, (right, _) in overall(result).items()}


def test_each_rule_set_reads_its_own_way():
    assert rights("B. blue", "blue", "A", "(C) green") == {
        "robust": 3,
        "official": 1,  # "B. blue" is no letter, and "blue" none either
        "videollama3": 2,  # stops on "blue"; keeps D from the question before where none fits
        "lmms-eval-pre-1274": 1,
        "lmms-eval-2026-08": 2,
        "vlmevalkit": 2,  # "blue" stands twice
    }


def test_of_equal_candidates_robust_takes_either_and_the_scripts_the_last():
    first, last = rights("A", "B", "A", "A"), rights("A", "D", "A", "A")
    assert set(last.values()) == {1}
    assert {rule for rule, right in first.items() if right} == {"robust", "vlmevalkit"}


def test_an_answer_that_is_no_candidate_is_wrong_in_every_rule_but_one():
    # VideoLLaMA3 still has the gold letter of the question before, D.
    assert rights("A", "A", "D", "A") == {
        **dict.fromkeys(
            ("robust", "official", "lmms-eval-pre-1274", "lmms-eval-2026-08", "vlmevalkit"), 0
        ),
        "videollama3": 1,
    }
    gold = get_protocol("mlvu").read_annotations(GOLD, ScoreOptions())
    assert gold.ledger == {"answer_stands_twice": 1, "answer_is_no_option": 1}
    assert gold.ids == IDS
    assert gold.durations.tolist() == [60.5] * 4


def test_videollama3_stops_where_no_question_before_has_its_answer():
    result = score("mlvu", {"plotQA_0": "A"}, [GOLD[2]], rules=["videollama3"])
    assert result.data["rules"]["videollama3"]["public_script_aborts"] == 1
    assert overall(result) == {"videollama3": (0, 1)}


def test_a_failed_request_takes_one_off_in_vlmevalkit():
    texts = dict(zip(IDS, ("B", "C", API_FAILURE, "C"), strict=True))
    entry = score("mlvu", texts, GOLD, rules=["vlmevalkit"]).data["rules"]["vlmevalkit"]
    assert entry["overall"]["accuracy"]["value"] == 0.25  # two right, one off, of four
    assert entry["overall"]["accuracy_without_order"]["value"] == 0.0
    assert entry["overall"]["accuracy_without_order"]["n"] == 3
    assert entry["status"] == {"ok": 3, "error": 1}


def test_macro_weighs_tasks_alike_and_stands_beside_micro():
    data = score("mlvu", dict(zip(IDS, "BDAA", strict=True)), GOLD, rules=["official"]).data
    values = data["rules"]["official"]["overall"]
    assert values["accuracy"]["value"] == 0.5
    assert values["macro_accuracy"]["value"] == pytest.approx((2 / 3 + 0) / 2)
    assert data["main"]["metric"] == "macro_accuracy"
    groups = data["rules"]["official"]["strata"]["task_group"]
    assert groups["single-detail"]["accuracy"]["n"] == 3


def test_absent_rows_leave_only_videollama3s_denominator():
    given = overall(score("mlvu", {"plotQA_0": "B"}, GOLD))
    assert given.pop("videollama3") == (1, 1)
    assert set(given.values()) == {(1, 4)}


def test_vlmevalkits_table_carries_its_own_gold():
    rows = [
        {
            "index": number,
            "video": row["video"],
            "task_type": "needle",
            "question": row["question"],
            "answer": row["answer"],
            "candidates": str(row["candidates"]),
            "prediction": text,
        }
        for number, (row, text) in enumerate(zip(GOLD, ("B", "B", "A", "C"), strict=True))
    ]
    result = score("mlvu", rows)
    assert overall(result)["vlmevalkit"] == (3, 4)
    assert overall(result)["official"] == (2, 4)
    assert list(result.data["rules"]["official"]["strata"]["question_type"]) == ["findNeedle"]


def test_videollama3s_results_carry_places():
    rows = [
        {"data_id": number, "response": text, "ground_truth": place, "task_type": "AO:  (Order)"}
        for number, (text, place) in enumerate([("(B)", 1), ("C", 0), ("A, B", 0)])
    ]
    result = score("mlvu", rows)
    assert overall(result)["videollama3"] == (1, 3)
    assert overall(result)["vlmevalkit"] == (1, 3)
    assert overall(result)["robust"] == (1, 3)
    assert list(result.data["rules"]["robust"]["strata"]["question_type"]) == ["order"]


def test_the_official_results_join_by_video_and_question():
    rows = [
        {
            "pred": text,
            "gt": gold,
            "question": f"Question: {row['question']}\nOptions:\n"
            + "\n".join(f"({x}) {y}" for x, y in zip("ABCD", row["candidates"], strict=True)),
            "question_type": "needle",
            "video": f"./videos/{row['video']}",
        }
        for row, text, gold in zip(
            GOLD, ("B)", "D) blue", "A", "c"), ("(B)", "(D)", "(@) navy", "(C)"), strict=True
        )
    ]
    results = {"acc_dict": {"needle": [2, 4]}, "res_list": rows}
    for beside in (None, GOLD):
        given = overall(score("mlvu", results, beside))
        assert given["official"] == (2, 4)
        assert given["robust"] == (3, 4)


def test_a_folder_stands_for_its_files_and_open_questions_are_left_out(tmp_path):
    (tmp_path / "1_plotQA.json").write_text(json.dumps(GOLD[:3]))
    (tmp_path / "5_order.json.gz").write_bytes(gzip.compress(json.dumps(GOLD[3:]).encode()))
    (tmp_path / "9_summary.json").write_text(json.dumps([{"video": "v", "question": "Sum up."}]))
    data = score("mlvu", dict(zip(IDS, "BDAC", strict=True)), tmp_path, rules=["official"]).data
    assert data["rules"]["official"]["overall"]["accuracy"]["value"] == 0.75
    assert data["inputs"]["annotations"]["ledger"]["open_questions_left_out"] == 1
    assert len(data["inputs"]["annotations"]["sha256"]) == 64


def test_a_folder_without_annotations_is_refused(tmp_path):
    with pytest.raises(InputError, match="a folder without annotation files"):
        score("mlvu", {"plotQA_0": "B"}, tmp_path)


def test_questions_of_the_test_set_have_no_answer():
    test_row = {key: value for key, value in GOLD[0].items() if key != "answer"} | {
        "question_id": "NQA_7",
        "question_type": "needleQA",
        "candidates": list("uvwxyz"),
    }
    gold = get_protocol("mlvu").read_annotations([test_row], ScoreOptions(without_gold=True))
    assert gold.ids == ["NQA_7"]
    assert gold.letters.tolist() == [-1]
    assert gold.option_counts.tolist() == [6]
    assert gold.columns["unanswerable"] == [False]
    assert gold.strata["question_type"].categories == ("needleQA",)
    with pytest.raises(InputError, match="field 'answer'"):
        score("mlvu", {"NQA_7": "A"}, [test_row])


def official_by_hand(rows, letter):
    """Right answers of each task if every answer is one letter: the last equal candidate."""
    right = Counter()
    for row in rows:
        places = [k for k, text in enumerate(row["candidates"]) if text == row["answer"]]
        right[row["question_type"]] += bool(places) and "ABCD"[places[-1]] == letter
    return right


@pytest.mark.parametrize("letter", "ABCD")
def test_the_development_set_on_one_letter(real_data, tmp_path, letter):
    files = sorted((real_data / "mlvu").glob("[1-9]_*.json.gz"))
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    rows = [row for file in files for row in json.loads(gzip.decompress(file.read_bytes()))]
    rows = [row for row in rows if "candidates" in row]
    gold = get_protocol("mlvu").read_annotations(tmp_path, ScoreOptions())
    assert len(gold) == len(rows) == 2175
    # Eight questions have their answer twice or not at all among the candidates.
    assert gold.ledger == {
        "open_questions_left_out": 418,
        "answer_stands_twice": 5,
        "answer_is_no_option": 3,
    }
    data = score("mlvu", dict.fromkeys(gold.ids, letter), tmp_path, samples=False).data
    right, size = official_by_hand(rows, letter), Counter(row["question_type"] for row in rows)
    for rule in ("official", "lmms-eval-pre-1274", "lmms-eval-2026-08"):
        values = data["rules"][rule]["overall"]
        assert values["accuracy"]["value"] == pytest.approx(sum(right.values()) / 2175, abs=1e-12)
        macro = sum(right[task] / size[task] for task in size) / 7
        assert values["macro_accuracy"]["value"] == pytest.approx(macro, abs=1e-12)
        assert values["macro_accuracy"]["value"] != values["accuracy"]["value"]
    by_rule = {
        rule: round(entry["overall"]["accuracy"]["value"] * 2175) - sum(right.values())
        for rule, entry in data["rules"].items()
    }
    # The two needles without a right candidate follow questions whose gold letters are D and C;
    # equal candidates give robust and VLMEvalKit more letters, and the one without any text
    # (gold letter D) is right for the scripts only.
    stale = {"C": 1, "D": 1}.get(letter, 0)
    twins = {"A": 4, "B": 1}.get(letter, 0)
    assert by_rule == {
        "robust": twins - (letter == "D"),
        "official": 0,
        "videollama3": stale,
        "lmms-eval-pre-1274": 0,
        "lmms-eval-2026-08": 0,
        "vlmevalkit": twins + (letter == "A"),
    }


def test_a_file_without_candidates_is_named(tmp_path):
    path = tmp_path / "summary.json"
    path.write_text('[{"video": "v", "question": "q", "answer": "a", "question_type": "summary"}]')
    with pytest.raises(InputError, match=r"summary\.json:1 field 'candidates': no question has"):
        score("mlvu", {"1": "A"}, path)
