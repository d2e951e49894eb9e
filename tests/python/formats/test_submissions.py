"""Submission files: published layouts, the same bytes each time, read back by our own readers."""

from __future__ import annotations

import json

import pytest

from fastvbench import InputError
from fastvbench.formats import (
    SUBMISSIONS,
    SubmissionRow,
    open_predictions,
    submission_bytes,
    write_submission,
)

ROWS = [
    SubmissionRow("17", "B", columns={"question_type": "order", "video_id": "001"}),
    SubmissionRow("007", None, columns={"question_type": "count", "video_id": "002"}),
    SubmissionRow("x", "C. 42 €", columns={"question_type": None, "video_id": "001"}),
]
DOCUMENTS = {
    "lvbench-submission": {"17": "B", "007": "", "x": "C. 42 €"},
    "mlvu-submission": [
        {"question_id": "17", "question_type": "order", "option": "B"},
        {"question_id": "007", "question_type": "count", "option": ""},
        {"question_id": "x", "question_type": "", "option": "C. 42 €"},
    ],
    # DocVQA's ids are numbers; "007" is no plain one and stays what it is.
    "docvqa-submission": [
        {"questionId": 17, "answer": "B"},
        {"questionId": "007", "answer": ""},
        {"questionId": "x", "answer": "C. 42 €"},
    ],
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_layout(name):
    assert json.loads(submission_bytes(name, ROWS)) == DOCUMENTS[name]


def test_videomme_template_groups_questions_by_video():
    row = SubmissionRow(
        "001-1",
        None,
        query="Q?",
        option_lines=["A. x", "B. y"],
        gold="B",
        columns={
            "video_id": "001",
            "duration": "short",
            "domain": "Knowledge",
            "sub_category": "Law",
            "task_type": "Counting Problem",
        },
    )
    document = json.loads(submission_bytes("videomme-template", [row, *ROWS]))
    assert [video["video_id"] for video in document] == ["001", "002"]
    assert [q["question_id"] for q in document[0]["questions"]] == ["001-1", "17", "x"]
    assert document[0]["questions"][0] == {
        "question_id": "001-1",
        "task_type": "Counting Problem",
        "question": "Q?",
        "options": ["A. x", "B. y"],
        "answer": "B",
        "response": "",
    }
    assert {k: v for k, v in document[0].items() if k != "questions"} == {
        "video_id": "001",
        "duration": "short",
        "domain": "Knowledge",
        "sub_category": "Law",
    }


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_our_own_reader_reads_it_back(name, suffix, tmp_path):
    path = tmp_path / f"submission{suffix}"
    write_submission(path, name, ROWS)
    first = path.read_bytes()
    write_submission(path, name, ROWS)
    assert path.read_bytes() == first
    assert first.startswith(b"\x1f\x8b") == (suffix == ".json.gz")
    found = {}
    for batch in open_predictions(path).batches():
        found.update(zip(batch.ids, batch.texts, strict=True))
    assert found == {"17": "B", "007": "", "x": "C. 42 €"}


def test_lone_surrogates_are_written():
    content = submission_bytes("lvbench-submission", [SubmissionRow("1", "a\ud800")])
    assert json.loads(content) == {"1": "a\ud800"}


def test_unknown_layout(tmp_path):
    with pytest.raises(InputError, match="no such submission format, got 'nothing'"):
        write_submission(tmp_path / "x", "nothing", ROWS)


def test_a_folder_is_no_place_for_a_file(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        write_submission(tmp_path, "lvbench-submission", ROWS)
