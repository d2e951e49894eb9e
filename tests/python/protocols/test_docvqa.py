"""DocVQA: annotations, each rule set's similarity and denominator, and what robust does better."""

from __future__ import annotations

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

GROUND_TRUTH = {
    "dataset_name": "SP-DocVQA",
    "data": [
        {
            "questionId": 1,
            "question": "What is the ratio?",
            "question_types": ["table/list"],
            "docId": 7,
            "answers": ["0.28"],
        },
        {
            "questionId": 2,
            "question": "Who signed?",
            "question_types": ["form", "handwritten"],
            "docId": 7,
            "answers": ["ITC Limited", "ITC"],
        },
        {"questionId": 3, "question": "Code?", "docId": 8, "answers": ["ac"]},
    ],
}


def values(predictions, annotations=(GROUND_TRUTH,), **options):
    data = score("docvqa", predictions, list(annotations), **options).data
    found = {}
    for rule, entry in data["rules"].items():
        overall = next(iter(entry["overall"].values()))
        found[rule] = (overall["value"], overall["n"])
    return found


def submission(*answers):
    return [{"questionId": i, "answer": answer} for i, answer in enumerate(answers, 1)]


def test_exactly_one_half():
    given = values(submission("0.28", "itc", "ab"))
    assert given["official"] == (pytest.approx(2.5 / 3), 3)
    assert given["lmms-eval-2026-08"] == (pytest.approx(2.5 / 3), 3)
    assert given["vlmevalkit"] == (pytest.approx(2.5 / 3), 3)
    assert given["pix2struct"] == (pytest.approx(2 / 3), 3)  # strictly below one half
    assert given["pix2struct-2024"] == (pytest.approx(2.5 / 3), 3)
    assert given["videollama3"] == (pytest.approx(2.5 / 3), 3)
    assert given["robust"] == (pytest.approx(2.5 / 3), 3)
    assert given["paper"] == (pytest.approx(2 / 3), 3)


def test_only_videollama3_pays_for_wrong_answers():
    given = values(submission("9.99", "nobody", "axyz"))
    assert given["videollama3"][0] > 0.15
    assert {rule for rule, (value, _) in given.items() if value == 0} == (
        given.keys() - {"videollama3"}
    )


def test_padding_lifts_no_careful_score():
    padded = "x" + " " * 98 + "y"
    given = values(submission(padded, padded, padded))
    assert given["official"][0] > 0.9  # divided by the raw length
    assert given["robust"] == (0.0, 3)


def test_absent_questions_leave_only_the_result_files_denominator():
    given = values(submission("0.28"))
    assert given["official"] == (pytest.approx(1 / 3), 3)
    assert given["videollama3"] == (1.0, 1)
    assert given["robust"] == (pytest.approx(1 / 3), 3)


def test_an_absent_prediction_is_text_to_vlmevalkit():
    truth = [{"questionId": 1, "question": "Bread?", "answers": ["Nan"]}]
    given = values([{"questionId": 1, "answer": None, "text": None}], truth)
    assert given["vlmevalkit"] == (1.0, 1)
    assert given["robust"] == given["official"] == (0.0, 1)


def test_robust_reads_an_answer_inside_a_sentence():
    given = values(submission("The answer is **0.28**.", "It was signed by:\nITC Limited.", "ac"))
    assert given["robust"] == (1.0, 3)
    assert given["official"][0] < 0.7


def test_a_title_with_points_is_one_answer():
    truth = [{"questionId": 1, "question": "Who?", "answers": ["Dr. A. B. Smith"]}]
    assert values([{"questionId": 1, "answer": "Dr. A. B. Smith"}], truth)["robust"] == (1.0, 1)


def test_statuses_of_robust():
    data = score(
        "docvqa",
        submission("<think>is it", "", "I'm sorry, but I cannot answer that."),
        [GROUND_TRUTH],
        rules="robust",
    ).data
    assert data["rules"]["robust"]["status"] == {"truncated": 1, "empty": 1, "refused": 1}


def test_annotations_of_the_challenge():
    gold = get_protocol("docvqa").read_annotations([GROUND_TRUTH], ScoreOptions())
    assert gold.ids == ["1", "2", "3"]
    assert gold.videos == ["7", "7", "8"]
    assert gold.answers == [["0.28"], ["ITC Limited", "ITC"], ["ac"]]
    assert gold.strata["question_type"].categories == (
        "form", "table/list", "handwritten", "unknown",
    )  # fmt: skip


def test_other_annotations():
    rows = [
        {"question_id": "a", "question": "Q", "image": "x.png", "answer": "one"},
        {"question_id": "b", "question": "Q", "image": "x.png", "answer": "['one', 'two']"},
    ]
    gold = get_protocol("docvqa").read_annotations(rows, ScoreOptions())
    assert gold.answers == [["one"], ["one", "two"]]
    assert gold.videos == ["x.png", "x.png"]


def test_questions_without_answers_are_for_submissions_only():
    test_set = {"data": [{"questionId": 5, "question": "Q?", "docId": 1}]}
    with pytest.raises(InputError, match="holds no answer"):
        score("docvqa", [{"questionId": 5, "answer": "x"}], [test_set])
    gold = get_protocol("docvqa").read_annotations([test_set], ScoreOptions(without_gold=True))
    assert gold.ids == ["5"]
    assert gold.answers == [[]]


def test_files_that_carry_their_gold():
    lmms = [
        {"doc_id": 0, "target": "['0.28', '28%']", "filtered_resps": ["0.28"]},
        {"doc_id": 1, "target": "['ITC']", "filtered_resps": ["nobody"], "resps": [["ITC"]]},
    ]
    data = score("docvqa", lmms).data["rules"]
    assert data["lmms-eval-2026-08"]["overall"]["anls"]["value"] == 0.5  # reads filtered_resps
    assert data["robust"]["overall"]["anls"]["value"] == 1.0
    videollama3 = [
        {"val": 50.0},
        {"data_id": 3, "response": "ab", "prediction": "ab", "ground_truth": ["ac"],
         "score": 0.5, "task_type": "val", "meta_data": {"question": "Code?"}},
    ]  # fmt: skip
    data = score("docvqa", videollama3).data["rules"]
    assert data["videollama3"]["overall"]["anls"]["value"] == 0.5


def test_ids_that_number_something_else_are_refused():
    rows = [{"doc_id": i, "target": "['wrong']", "filtered_resps": ["x"]} for i in (1, 2, 3)]
    with pytest.raises(InputError, match="its ids number something else"):
        score("docvqa", rows, [GROUND_TRUTH])
