"""LongVideoBench: questions of three to five options, random draws, strata, own gold."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

COLOURS = ["red", "blue", "green", "white", "three"]
ROWS = [("v1", COLOURS, 4, 15), ("v2", COLOURS[:3], 1, 600), ("v3", ["red", "3", "red"], 0, 600)]
GOLD = [
    {
        "id": f"{video}_{number}",
        "video_id": video,
        "question": f"What is {number}?",
        "candidates": candidates,
        "correct_choice": place,
        "duration_group": group,
        "duration": group - 1.5,
        "question_category": "S2E",
        "level": "L1-Perception",
        "topic_category": "NP-News-Programs",
    }
    for number, (video, candidates, place, group) in enumerate(ROWS)
]
IDS = ["v1_0", "v2_1", "v3_2"]


def counts(result, metric="accuracy"):
    found = {}
    for rule, entry in result.data["rules"].items():
        value = entry["overall"][metric]
        found[rule] = (round(value["value"] * value["n"]), value["n"])
    return found


def rights(*texts):
    given = counts(score("longvideobench", dict(zip(IDS, texts, strict=True)), GOLD))
    return {rule: right for rule, (right, _) in given.items()}


def test_each_rule_set_reads_its_own_way():
    assert rights("E", "It's blue.", "Answer: A") == {
        "robust": 3,
        "videollama3": 3,
        "lmms-eval-2026-08": 2,  # an option's text is no letter; "Answer" begins with an A
        "vlmevalkit": 2,
    }


def test_letters_beyond_a_questions_options():
    # "E" is no option of the second question: VideoLLaMA3 looks on, the others stop at it.
    given = rights("D", "Either B", "C")
    assert given == {"robust": 2, "videollama3": 1, "lmms-eval-2026-08": 0, "vlmevalkit": 0}


def test_equal_options_are_one_for_robust_only():
    assert rights("A", "A", "C") == {
        "robust": 1,
        "videollama3": 0,
        "lmms-eval-2026-08": 0,
        "vlmevalkit": 0,
    }


def test_of_equal_options_the_later_one_may_be_the_gold_one():
    gold = [GOLD[2] | {"correct_choice": 2}]
    given = [counts(score("longvideobench", {"v3_2": x}, gold)) for x in ("A", "C", "red", "B")]
    assert [each["robust"][0] for each in given] == [1, 1, 1, 0]
    assert [each["vlmevalkit"][0] for each in given] == [0, 1, 0, 0]


def test_random_draws_count_wrong_and_by_their_chance_beside():
    data = score(
        "longvideobench",
        dict(zip(IDS, ("no idea", "none", "A"), strict=True)),
        GOLD,
        rules=["lmms-eval-2026-08"],
    ).data
    entry = data["rules"]["lmms-eval-2026-08"]
    assert entry["overall"]["accuracy"]["value"] == pytest.approx(1 / 3)
    assert entry["overall"]["expected_accuracy"]["value"] == pytest.approx((1 / 5 + 1 / 3 + 1) / 3)
    assert entry["status"] == {"ok": 1, "no_answer": 2}


def test_a_failed_request_is_an_answer_for_vlmevalkit_only():
    gold = [GOLD[0] | {"correct_choice": 0}]
    given = counts(score("longvideobench", {"v1_0": "Failed to obtain answer via API."}, gold))
    assert given["vlmevalkit"] == given["lmms-eval-2026-08"] == (1, 1)
    assert given["robust"] == (0, 1)


def test_strata():
    gold = get_protocol("longvideobench").read_annotations(GOLD, ScoreOptions())
    assert gold.strata["duration_group"].categories == ("15", "600")
    assert gold.strata["level"].categories == ("L1-Perception",)
    assert gold.option_counts.tolist() == [5, 3, 3]
    assert gold.durations.tolist() == [13.5, 598.5, 598.5]


def test_the_published_tables_number_their_options():
    row = {key: value for key, value in GOLD[1].items() if key != "candidates"}
    row |= {f"option{place}": text for place, text in enumerate([*COLOURS[:3], "N/A", "N/A"])}
    gold = get_protocol("longvideobench").read_annotations([row], ScoreOptions())
    assert gold.options[0] == COLOURS[:3]


@pytest.mark.parametrize("place", [3, -1, None, "B", 1.0])
def test_a_place_outside_the_options_is_refused(place):
    with pytest.raises(InputError, match="line 1 field 'correct_choice': not one of the options"):
        score("longvideobench", {"v2_1": "B"}, [GOLD[1] | {"correct_choice": place}])


def test_vlmevalkits_table_carries_its_own_gold():
    rows = [
        {**row, "index": number, "candidates": str(row["candidates"]), "prediction": text}
        | {"correct_choice": str(row["correct_choice"])}
        for number, (row, text) in enumerate(zip(GOLD, ("E", "B", "A"), strict=True))
    ]
    for beside in (None, GOLD):
        result = score("longvideobench", rows, beside)
        assert set(counts(result).values()) == {(3, 3)}
        strata = result.data["rules"]["robust"]["strata"]
        assert list(strata["duration_group"]) == ["15", "600"]
        assert list(strata["question_category"]) == ["S2E"]


def test_lmms_evals_log_carries_its_own_gold():
    docs = [
        {key: value for key, value in row.items() if key != "candidates"}
        | {f"option{k}": text for k, text in enumerate([*row["candidates"], "N/A", "N/A"][:5])}
        for row in GOLD
    ]
    log = {
        "args": {},
        "logs": [
            {"doc": doc, "doc_id": k, "target": doc["correct_choice"], "resps": [[text]]}
            for k, (doc, text) in enumerate(zip(docs, ("E", "blue", "C"), strict=True))
        ],
    }
    result = score("longvideobench", log)
    assert counts(result)["robust"] == (3, 3)
    assert list(result.data["rules"]["robust"]["strata"]["duration_group"]) == ["15", "600"]


@pytest.mark.parametrize("letter", "ABCDE")
def test_the_validation_set_on_one_letter(real_data, letter):
    path = real_data / "longvideobench" / "longvideobench_val_include_frame_idx.json.gz"
    rows = json.loads(gzip.decompress(path.read_bytes()))
    gold = get_protocol("longvideobench").read_annotations(path, ScoreOptions())
    assert len(gold) == 1337
    assert Counter(gold.option_counts.tolist()) == {5: 984, 4: 352, 3: 1}
    assert sum(gold.letters == 4) == 182
    data = score("longvideobench", dict.fromkeys(gold.ids, letter), path, samples=False).data
    right = Counter(
        str(row["duration_group"]) for row in rows if "ABCDE"[row["correct_choice"]] == letter
    )
    place = "ABCDE".index(letter)
    read = sum(place < len(row["candidates"]) for row in rows)
    same_text = sum(
        row["candidates"][place] == row["candidates"][row["correct_choice"]]
        for row in rows
        if place < len(row["candidates"])
    )
    for rule, entry in data["rules"].items():
        wanted = same_text if rule == "robust" else right.total()
        assert round(entry["overall"]["accuracy"]["value"] * 1337) == wanted
        assert entry["overall"]["accuracy"]["n"] == 1337
    groups = data["rules"]["vlmevalkit"]["strata"]["duration_group"]
    assert list(groups) == ["15", "60", "600", "3600"]
    for name, entry in groups.items():
        assert round(entry["accuracy"]["value"] * entry["accuracy"]["n"]) == right[name]
    assert data["rules"]["robust"]["status"].get("ok", 0) == read


def test_a_truth_value_is_no_place():
    row = {"id": "1", "video_id": "v", "question": "q", "candidates": ["a", "b"]}
    with pytest.raises(
        InputError, match="field 'correct_choice': not one of the options, got True"
    ):
        score("longvideobench", {"1": "A"}, [row | {"correct_choice": True}])
