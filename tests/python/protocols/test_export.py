"""From saved answers to a submission file: what is read, what is written, what is refused."""

from __future__ import annotations

import json

import pytest
from tests.python.protocols.test_videomme import (
    OPTIONS,
    by_id,
    flat_rows,
    table_rows,
    template,
    with_trailing_commas,
)

import fastvbench as fvb
from fastvbench import InputError, export, score

LVBENCH = [
    {
        "key": "v",
        "qa": [
            {"uid": str(n), "question": f"Q{n}?\n(A) red\n(B) blue\n(C) 3\n(D) x", "answer": "B"}
            for n in range(4)
        ],
    }
]
ANSWERS = {"0": "The answer is (B).", "1": "it was blue", "2": "no idea", "9": "A"}


def test_letters_are_what_the_main_rule_reads():
    submission = export("lvbench", ANSWERS, LVBENCH)
    assert {row.id: row.answer for row in submission.rows} == {
        "0": "B",
        "1": "B",
        "2": None,
        "3": None,
    }
    assert submission.rule == "robust"
    assert submission.without_answer == ["2", "3"]
    assert submission.answered == 2
    assert submission.unexpected == 1
    assert json.loads(submission.content()) == {"0": "B", "1": "B", "2": "", "3": ""}


def test_another_rule_set_may_read():
    submission = export("lvbench", ANSWERS, LVBENCH, rule="lmms-eval-pre-1274")
    assert [row.answer for row in submission.rows] == ["B", None, None, None]
    stopped = export("lvbench", ANSWERS, LVBENCH, rule="videollama3")
    assert [row.answer for row in stopped.rows] == ["B", None, None, None]  # it stops on row 2
    with pytest.raises(InputError, match="no rule set of that name"):
        export("lvbench", ANSWERS, LVBENCH, rule="none")


def test_a_written_submission_scores_as_the_answers_did(tmp_path):
    path = tmp_path / "submission.json"
    export("lvbench", ANSWERS, LVBENCH, output=path)
    robust = score("lvbench", ANSWERS, LVBENCH).value()
    again = score("lvbench", path, LVBENCH)
    assert again.value() == robust == 0.5
    assert again.value(rule="official") == 0.5  # every question is in it, so none is left out


def test_videomme_template_holds_the_texts_untouched(tmp_path):
    path, texts = tmp_path / "template.json", by_id(" Best answer: B\n", "berries", "", "A")
    submission = export("videomme", texts, template(), output=path)
    assert submission.rule is None
    assert submission.without_answer == ["002-1"]
    document = json.loads(path.read_text())
    assert document == template(texts)
    assert document[0]["questions"][0]["options"] == OPTIONS
    data = score("videomme", path).data
    assert data["inputs"]["predictions"][0]["format"] == "videomme"
    assert score("videomme", texts, template()).data["rules"] == data["rules"]


def test_videomme_template_with_letters_of_a_rule_set():
    texts = by_id("Best answer: B", "berries", "", "A")
    submission = export("videomme", texts, template(), rule="robust")
    assert [row.answer for row in submission.rows] == ["B", "C", None, "A"]


def test_right_answers_are_not_needed():
    questions = [{k: v for k, v in row.items() if k != "answer"} for row in flat_rows()]
    submission = export("videomme", by_id("B", "C", "D", "A"), questions)
    assert all(row.gold is None for row in submission.rows)
    with pytest.raises(InputError, match="field 'answer'"):
        score("videomme", by_id("B", "C", "D", "A"), questions)


def test_files_that_carry_their_questions(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text(with_trailing_commas(template(by_id("B", "C", "D", "A"))))
    submission = export("videomme", path)
    assert [row.answer for row in submission.rows] == ["B", "C", "D", "A"]
    assert submission.ledger["trailing_commas"] > 0
    table = export("videomme", table_rows(["B", "C", "D", "A"]), template() and flat_rows())
    assert [row.id for row in table.rows] == [row["question_id"] for row in flat_rows()]


def test_the_last_of_one_id_counts(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"id": "0", "text": text}) + "\n" for text in "AB"))
    submission = export("lvbench", path, LVBENCH)
    assert submission.rows[0].answer == "B"
    assert submission.duplicates == 1


def test_a_result_stands_for_its_samples(tmp_path):
    result = tmp_path / "result.json"
    score("lvbench", ANSWERS, LVBENCH).write(result)
    submission = export("lvbench", result, LVBENCH)
    assert [row.answer for row in submission.rows] == ["B", "B", None, None]
    assert export("lvbench", [result], LVBENCH).rows == submission.rows
    (tmp_path / "result.samples.jsonl.gz").unlink()
    with pytest.raises(InputError, match=r"expected result\.samples\.jsonl\.gz beside it"):
        export("lvbench", result, LVBENCH)


def test_a_text_that_the_samples_file_cut_is_refused(tmp_path):
    result = tmp_path / "result.json"
    score("lvbench", ANSWERS | {"3": "so " * 700 + "B"}, LVBENCH).write(result)
    with pytest.raises(InputError, match=r":4 field 'excerpt': a text that may have been cut"):
        export("lvbench", result, LVBENCH)
    with pytest.raises(InputError, match="may have been cut"):
        score("lvbench", tmp_path / "result.samples.jsonl.gz", LVBENCH)


@pytest.mark.parametrize(
    ("predictions", "options", "message"),
    [
        ({"9": "A"}, {}, r"no prediction belongs to a question \(ids such as 9\)"),
        (
            [{"id": "0", "text": "A", "sample": n} for n in (1, 2)],
            {},
            "holds several runs, a submission is of one",
        ),
        (ANSWERS, {"setting": "with_subtitle"}, "no input setting of lvbench"),
    ],
)
def test_refused(predictions, options, message):
    with pytest.raises(InputError, match=message):
        export("lvbench", predictions, LVBENCH, **options)


def test_one_id_in_two_files_is_refused(tmp_path):
    paths = [tmp_path / name for name in ("a.json", "b.json")]
    for path in paths:
        path.write_text(json.dumps({"0": "A"}))
    with pytest.raises(InputError, match="the same id stands in"):
        export("lvbench", paths, LVBENCH)


def test_mlvu_test_questions(tmp_path):
    """The test set's questions have no public answers, and up to six options."""
    questions = [
        {
            "question_id": f"TQ_{n}",
            "video": f"v{n}.mp4",
            "question": f"Which {n}?",
            "candidates": ["a", "b", "c", "d", "e", f"a boat {n}"],
            "question_type": kind,
        }
        for n, kind in enumerate(["tutorialQA", "anomaly_reco", "sportsQA"])
    ]
    path = tmp_path / "submission.json"
    texts = {"TQ_0": "Best Option: (F", "TQ_1": "a boat 1", "TQ_2": "no idea"}
    submission = export("mlvu", texts, questions, output=path)
    assert submission.without_answer == ["TQ_2"]
    assert json.loads(path.read_text()) == [
        {"question_id": "TQ_0", "question_type": "tutorialQA", "option": "F"},
        {"question_id": "TQ_1", "question_type": "anomaly_reco", "option": "F"},
        {"question_id": "TQ_2", "question_type": "sportsQA", "option": ""},
    ]


DOCVQA = {
    "dataset_name": "docvqa",
    "dataset_split": "test",
    "data": [{"questionId": n, "question": f"Q{n}?", "docId": n // 2} for n in (57344, 2, 3, 4)],
}
SHORT_ANSWERS = {"57344": "The answer is ITC Limited.", "2": " 1/8/93 ", "3": "<think>hm</think>42"}


def test_docvqa_test_questions(tmp_path):
    path = tmp_path / "submission.json"
    submission = export("docvqa", SHORT_ANSWERS, [DOCVQA], output=path)
    assert submission.without_answer == ["4"]
    assert json.loads(path.read_text()) == [
        {"questionId": 57344, "answer": "ITC Limited"},
        {"questionId": 2, "answer": "1/8/93"},
        {"questionId": 3, "answer": "42"},
        {"questionId": 4, "answer": ""},
    ]


@pytest.mark.parametrize("rule", [rule.name for rule in fvb.get_protocol("docvqa").rules])
def test_every_rule_set_reads_answers_to_questions_without_gold(rule):
    submission = export("docvqa", SHORT_ANSWERS, [DOCVQA], rule=rule)
    whole = [row.answer for row in submission.rows]
    assert whole[3] is None
    if rule != "robust":  # published scorers take the whole text
        assert whole[:3] == list(SHORT_ANSWERS.values())


@pytest.mark.parametrize("name", ["charades_sta", "lovr"])
def test_benchmarks_without_a_submission_file(name):
    with pytest.raises(InputError, match="has no submission file"):
        export(name, {"0": "A"}, [])


def test_annotations_are_needed_where_files_carry_none():
    with pytest.raises(InputError, match="lvbench needs annotations"):
        export("lvbench", ANSWERS)


def test_every_declared_layout_exists():
    from fastvbench.formats import SUBMISSIONS

    declared = {
        name: protocol.submission
        for name in fvb.list_protocols()
        if getattr(protocol := fvb.get_protocol(name), "submission", None) is not None
    }
    assert declared["lvbench"] == "lvbench-submission"
    assert declared["videomme"] == "videomme-template"
    assert set(declared.values()) <= set(SUBMISSIONS)
