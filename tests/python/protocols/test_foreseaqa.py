"""ForeSeaQA: the card's recipe beside the careful one, grounded accuracy, the modality gap."""

from __future__ import annotations

import pytest

from fastvbench import InputError, score

GOLD = [
    {
        "id": "1", "video": "a", "question": "When?", "options": ["x", "y"], "answer": "A",
        "interval": [10.0, 20.0], "modality": "text", "task": "counting", "duration": 100,
    },
    {
        "id": "2", "video": "a", "question": "Who?", "options": ["x", "y"], "answer": "B",
        "interval": [30.0, 50.0], "modality": "image+text", "task": "search", "duration": 100,
    },
    {
        "id": "3", "video": "b", "question": "Where?", "options": ["x", "y"], "answer": "B",
        "interval": None, "modality": "text", "task": "search", "duration": 50,
    },
]  # fmt: skip


def values(predictions, rule):
    overall = score("foreseaqa", predictions, GOLD).data["rules"][rule]["overall"]
    return {key: (entry["value"], entry["n"]) for key, entry in overall.items()}


def test_free_text_gives_letter_and_interval():
    given = values(
        [
            {"id": "1", "text": "A. From 10 to 15 seconds."},
            {"id": "2", "text": "The answer is B, between 0:30 and 0:50."},
            {"id": "3", "text": "B"},
        ],
        "robust",
    )
    assert given["accuracy"] == (1.0, 3)
    assert given["mean_iou"] == (pytest.approx(0.75), 2)
    assert given["grounded_accuracy@0.3"] == (1.0, 2)
    assert given["grounded_accuracy@0.5"] == (1.0, 2)
    assert given["whole_video_iou"] == (pytest.approx((0.1 + 0.2) / 2), 2)


def test_fields_and_text_are_the_same_to_both_rule_sets():
    fields = [
        {"id": "1", "answer": "A", "interval": [12, 20]},
        {"id": "2", "answer": "(B)", "interval": "30-40"},
    ]
    texts = [{"id": "1", "text": "A, 12 - 20 s"}, {"id": "2", "text": "(B) 30-40"}]
    for rule in ("robust", "paper"):
        assert values(fields, rule) == values(texts, rule)


def test_reversed_interval_is_swapped_by_robust_and_scored_as_given_by_paper():
    rows = [
        {"id": "1", "answer": "A", "interval": [20, 10]},
        {"id": "2", "text": "B from 50 to 30 s"},
    ]
    assert values(rows, "robust")["mean_iou"] == (1.0, 2)
    assert values(rows, "paper")["mean_iou"] == (0.0, 2)


def test_missing_and_unreadable_are_zero_in_the_recipe():
    rows = [{"id": "1", "text": "A"}]
    given = values(rows, "paper")
    assert given["accuracy"] == (pytest.approx(1 / 3), 3)
    assert given["mean_iou"] == (0.0, 2)


def test_first_interval_counts_in_the_recipe_and_the_union_in_robust():
    rows = [{"id": "1", "text": "A: 10-20 and 40-50"}, {"id": "2", "text": "B"}]
    assert values(rows, "paper")["mean_iou"] == (0.5, 2)
    assert values(rows, "robust")["mean_iou"] == (0.25, 2)


def test_gap_between_modalities_has_an_interval():
    rows = [
        {"id": "1", "text": "A. 10-20"},
        {"id": "2", "text": "A. 30-50"},
        {"id": "3", "text": "B"},
    ]
    gaps = score("foreseaqa", rows, GOLD).data["rules"]["robust"]["contrasts"]
    by_metric = {gap["metric"]: gap for gap in gaps}
    assert by_metric["accuracy"]["value"] == 1.0
    assert by_metric["mean_iou"]["value"] == 0.0
    assert (by_metric["accuracy"]["a"], by_metric["accuracy"]["b"]) == ("text", "image+text")


def test_status_of_letters_and_of_intervals_by_task():
    rows = [{"id": "1", "text": "A"}, {"id": "2", "text": "B. 30-50"}]
    entry = score("foreseaqa", rows, GOLD).data["rules"]["robust"]
    assert entry["status"] == {"ok": 2, "missing": 1}
    assert entry["interval_status"] == {"ok": 1, "missing": 1, "no_number": 1}
    assert entry["status_by_stratum"]["task"]["search"] == {"ok": 1, "missing": 1}


def test_says_that_no_published_scorer_verifies_it():
    data = score("foreseaqa", {"1": "A"}, GOLD).data
    assert any("Not verified against a published scorer" in w for w in data["warnings"])


def test_reversed_and_zero_length_gold_is_counted():
    gold = [GOLD[0] | {"interval": [20.0, 10.0]}, GOLD[1] | {"interval": [30.0, 30.0]}]
    data = score("foreseaqa", {"1": "A. 10-20", "2": "B 30-30"}, gold).data
    assert data["inputs"]["annotations"]["ledger"] == {
        "gold_reversed_swapped": 1,
        "gold_zero_length": 1,
    }
    assert data["rules"]["robust"]["overall"]["mean_iou"]["value"] == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"interval": [1, "x"]}, r"field 'interval': not an interval, got \[1, 'x'\]"),
        ({"interval": [1, float("inf")]}, r"field 'interval': not an interval"),
        ({"modality": "audio"}, r"field 'modality': no such modality, got 'audio'"),
        ({"duration": -1}, r"field 'duration': not a duration, got -1"),
        ({"id": None}, r"field 'id': not an id, got None"),
    ],
)
def test_bad_annotations_name_the_field(change, message):
    with pytest.raises(InputError, match=message):
        score("foreseaqa", {"1": "A"}, [GOLD[0] | change])


def test_the_whole_video_is_compared_with_all_gold_intervals_by_robust_alone():
    gold = [
        {"id": "1", "video": "v", "answer": "A", "intervals": [[0, 10], [50, 60]], "duration": 100}
    ]
    data = score("foreseaqa", [{"id": "1", "text": "A"}], gold).data
    values = {name: rule["overall"]["whole_video_iou"] for name, rule in data["rules"].items()}
    assert values["robust"]["value"] == pytest.approx(0.2)
    assert values["paper"]["value"] == pytest.approx(0.1)


def test_video_lengths_may_come_from_a_file(tmp_path):
    path = tmp_path / "lengths.json"
    path.write_text('{"v.mp4": 40, "w": 50}')
    gold = [
        {"id": "1", "video": "v", "answer": "A", "interval": [0, 10]},
        {"id": "2", "video": "w", "answer": "A", "interval": [0, 10], "duration": 20},
        {"id": "3", "video": "x", "answer": "A", "interval": [0, 10]},
    ]
    data = score("foreseaqa", {"1": "A", "2": "A"}, gold, durations=path).data
    baseline = data["rules"]["robust"]["overall"]["whole_video_iou"]
    assert (baseline["value"], baseline["n"]) == (pytest.approx((0.25 + 0.5) / 2), 2)
    assert data["inputs"]["annotations"]["ledger"] == {"duration_unknown": 1}


@pytest.mark.parametrize("end", ["NaN", "-Infinity", "9" * 400, "1e400"])
def test_interval_fields_that_are_no_times_count_as_misses(tmp_path, end):
    path = tmp_path / "answers.jsonl"
    path.write_text(f'{{"id": "1", "answer": "A", "interval": [5, {end}]}}\n')
    gold = [{"id": "1", "video": "v", "answer": "A", "interval": [0, 10]}]
    for rule in score("foreseaqa", path, gold).data["rules"].values():
        assert rule["overall"]["accuracy"]["value"] == 1.0
        assert (rule["overall"]["mean_iou"]["value"], rule["overall"]["mean_iou"]["n"]) == (0.0, 1)


def test_options_must_be_a_list():
    gold = [{"id": "1", "video": "v", "answer": "A", "options": "ab"}]
    with pytest.raises(InputError, match="field 'options': wrong type, got 'ab'"):
        score("foreseaqa", {"1": "A"}, gold)
