"""VUE-TR: the published table, and where `robust` differs from the public script and why."""

from __future__ import annotations

import csv
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.intervals import columns
from tests.reference import grounding_sets as twin

from fastvbench import InputError, score

MODELS = ("Vidi", "Gemini-2.0-Flash", "Gemini-2.5-Pro", "GPT-4o")
KEYS = ("iou_auc", "precision_auc", "recall_auc")


def annotation(query_id, gt, **other):
    return {"query_id": query_id, "video_id": "v", "duration": 100, "query": "q", "gt": gt} | other


def result_row(query_id, answer):
    return {"query_id": query_id, "video_id": "v", "query": "q", "answer": answer}


def values(data, rule):
    overall = data["rules"][rule]["overall"]
    return {key: (entry["value"], entry["n"]) for key, entry in overall.items()}


@pytest.mark.parametrize("model", MODELS)
def test_published_table(real_data, model):
    folder = real_data / "vue_tr"
    data = score(
        "vue_tr",
        folder / f"results_{model}.json.gz",
        folder / "VUE-TR_ground_truth.json.gz",
        rules=["official"],
        samples=False,
    ).data
    official = data["rules"]["official"]
    found = {"overall": official["overall"]}
    for categories in official["strata"].values():
        found |= categories
    with (folder / "results_table.csv").open() as file:
        published = [row for row in csv.DictReader(file) if row["method"] == model]
    assert len(published) == 12
    for row in published:
        for key in KEYS:
            shown = f"{100 * found[row['attribute']][key]['value']:.1f}%"
            assert shown == row[key.removesuffix("_auc")], (row["attribute"], key)
    expected = json.loads((real_data / "expected.json").read_text())
    area = expected["vue_tr IoU AUC in percent (pred floor/ceil, strict >, 101 thresholds)"][model]
    assert round(100 * found["overall"]["iou_auc"]["value"], 2) == area
    assert data["protocol"]["published_size"] == data["coverage"]["scored"] == 1598


def test_a_perfect_answer_is_perfect_only_in_robust():
    gold = [annotation(1, [[10, 20]])]
    data = score("vue_tr", [result_row(1, [[10, 20]])], gold).data
    assert values(data, "robust")["iou_auc"] == (1.0, 1)
    assert values(data, "official")["iou_auc"][0] == pytest.approx(0.995)


def test_robust_needs_no_order_and_counts_no_second_twice():
    gold = [annotation(1, [[0, 10], [50, 60]])]
    unsorted = [result_row(1, [[50, 60], [0, 10], [0, 10]])]
    data = score("vue_tr", unsorted, gold).data
    robust, official = values(data, "robust"), values(data, "official")
    assert [robust[key][0] for key in KEYS] == [1.0, 1.0, 1.0]
    assert official["precision_auc"][0] < 0.4
    assert official["recall_auc"][0] < 0.6


def test_empty_answers_stay_in_the_denominator_of_robust():
    gold = [annotation(1, [[10, 20]]), annotation(2, [[10, 20]]), annotation(3, [[10, 20]])]
    data = score("vue_tr", [result_row(1, [[10, 20]]), result_row(2, [])], gold).data
    robust, official = values(data, "robust"), values(data, "official")
    assert robust["precision_auc"] == (pytest.approx(1 / 3), 3)
    assert official["precision_auc"] == (1.0, 1)
    assert official["recall_auc"][1] == 2
    assert data["coverage"]["missing"] == 1


def test_answers_in_words():
    gold = [annotation(1, [[60, 90]]), annotation(2, [[10, 20]])]
    answers = {"1": "It happens from 1:00 to 1:30.", "2": "[[10, 20]]"}
    data = score("vue_tr", answers, gold).data
    assert values(data, "robust")["iou_auc"] == (1.0, 2)
    assert data["rules"]["official"]["public_script_aborts"] == 1  # it reads no text


def test_conventions_are_named():
    gold = [annotation(1, [[0, 10], [50, 60]])]
    data = score("vue_tr", [result_row(1, [[90, 95], [0, 10]])], gold, rules=["robust"]).data
    robust = {key: value for key, (value, _) in values(data, "robust").items()}
    assert robust["iou_auc"] == 10 / 25
    assert robust["first_mean_iou"] == 0.0
    assert robust["one_to_one_mean_iou"] == 0.5
    assert robust["best_mean_iou"] == 1.0
    assert robust["recall@0.3"] == 1.0
    assert robust["recall@0.5"] == 0.0


def test_gold_is_checked_and_counted():
    gold = [annotation(1, [[20, 10], [90, 130]]), annotation(2, [[5, 5]]), annotation(3, [])]
    answers = [result_row(1, [[10, 20], [90, 140]]), result_row(2, [[5, 5]]), result_row(3, [])]
    data = score("vue_tr", answers, gold, rules=["robust"]).data
    assert data["inputs"]["annotations"]["ledger"] == {
        "gold_reversed_swapped": 1,
        "gold_beyond_duration_clamped": 1,
        "gold_zero_length": 1,
        "gold_without_interval": 1,
    }
    assert values(data, "robust")["iou_auc"] == (0.5, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gt": "10-20"}, r"field 'gt': not windows, got '10-20'"),
        ({"gt": [[1, 2, 3]]}, r"field 'gt': not an interval"),
        ({"duration": -1}, r"field 'duration': not a duration, got -1"),
        ({"query_id": None}, r"field 'query_id': not an id"),
        ({"video_id": 5}, r"field 'video_id': wrong type"),
    ],
)
def test_bad_annotations_are_named(change, message):
    with pytest.raises(InputError, match=message):
        score("vue_tr", {"1": "x"}, [annotation(1, [[1, 2]]) | change])


raw_times = st.integers(-3, 14).map(float) | st.sampled_from([2.5, 1e301, -1e301])
raw_rows = st.lists(st.tuples(raw_times, raw_times), max_size=5)
gold_rows = columns.rows(times=st.integers(0, 12).map(float))


@columns.without_deadline
@given(st.lists(st.tuples(raw_rows, gold_rows), min_size=1, max_size=5))
def test_robust_is_its_twin(cases):
    gold, answers = [], []
    for number, (given_pairs, wanted) in enumerate(cases):
        gold.append(annotation(number, [list(pair) for pair in wanted], duration=12))
        answers.append(result_row(number, [list(pair) for pair in given_pairs]))
    rows = {row["id"]: row for row in score("vue_tr", answers, gold, rules=["robust"]).samples()}
    for number, (given_pairs, wanted) in enumerate(cases):
        found = rows[str(number)]["rules"]["robust"]["scores"]
        usable = [(start, end) for _, start, end in twin.usable(given_pairs, 12)]
        by_convention = twin.conventions(usable, wanted)
        precision, recall = twin.precision_and_recall(usable, wanted)
        expected = {
            "iou_auc": by_convention["union"],
            "precision_auc": precision,
            "recall_auc": recall,
            "first_mean_iou": by_convention["first"],
            "one_to_one_mean_iou": by_convention["one_to_one"],
            "best_mean_iou": by_convention["best"],
        }
        for key, value in expected.items():
            if math.isnan(value):
                assert found[key] is None
            else:
                assert found[key] == pytest.approx(value, abs=1e-12), key
