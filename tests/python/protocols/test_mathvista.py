"""MathVista: annotations, extractions with and without a judge, each stack's normaliser."""

from __future__ import annotations

import json

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._protocol import ScoreOptions

CHOICE = {
    "question": "Which?",
    "choices": ["red", "blue", "green one"],
    "answer": "blue",
    "question_type": "multi_choice",
    "answer_type": "text",
    "precision": None,
    "unit": None,
    "image": "images/1.jpg",
    "metadata": {
        "task": "figure question answering",
        "context": "table",
        "grade": "college",
        "category": "general-vqa",
        "skills": ["logical reasoning", "arithmetic reasoning"],
        "source": "FigureQA",
        "language": "english",
    },
}
FREE = CHOICE | {"choices": None, "question_type": "free_form"}
INTEGER = FREE | {"answer_type": "integer", "answer": "3"}
DECIMAL = FREE | {"answer_type": "float", "answer": "1.2", "precision": 1}
LIST = FREE | {"answer_type": "list", "answer": "[1, 2]"}


def outcome(problem, text=None, extraction=None, **options):
    """Score and status of one answer by each rule set."""
    row = {**problem, "response": text}
    if extraction is not None:
        row["extraction"] = extraction
    result = score("mathvista", {"7": row}, {"7": problem}, format="mathvista", **options)
    return {
        rule: (entry["overall"]["accuracy"]["value"], *entry["status"])
        for rule, entry in result.data["rules"].items()
    }


@pytest.mark.parametrize(
    ("problem", "text", "expected"),
    [
        # robust, paper, official, official-2023, videollama3, lmms-eval, vlmevalkit
        (CHOICE, "blue", "1011111"),
        (CHOICE, "b", "11?????"),
        (CHOICE, "B", "11????1"),
        (CHOICE, 'The answer is "B".', "10111??"),  # the quick rule
        (CHOICE, "It is (B).", "10????1"),
        (CHOICE, "I think red or green.", "00????0"),
        (INTEGER, "3", "1111111"),
        (INTEGER, "3.0", "10?????"),
        (INTEGER, "The answer is 3.", "10?????"),
        (INTEGER, "4", "000000?"),
        (DECIMAL, "1.2", "1111101"),
        (DECIMAL, "1.22", "101110?"),
        (DECIMAL, "about 1.2 m", "10???0?"),  # no judge can help lmms-eval
        (LIST, "[1, 2]", "11????0"),
    ],
)
def test_without_a_judge(problem, text, expected):
    """1 right, 0 wrong, ? waits for a judge."""
    given = outcome(problem, text)
    assert expected == "".join(
        "?" if "needs_judge" in statuses else str(int(value)) for value, *statuses in given.values()
    )


def test_an_empty_answer_is_the_shortest_choice_to_the_official_rule():
    problem = CHOICE | {"answer": "red"}
    given = outcome(problem, "")
    assert given["official"] == (1.0, "ok")
    assert given["robust"] == (0.0, "empty")
    assert outcome(problem, None, "")["official"] == (1.0, "ok")


def test_the_second_of_two_equal_choices_is_right_too():
    problem = CHOICE | {"choices": ["9", "18", "18"], "answer": "18"}
    for letter in "BC":
        given = outcome(problem, letter, letter)
        assert [given[rule][0] for rule in ("robust", "paper", "official", "official-2023")] == [
            1
        ] * 4


@pytest.mark.parametrize(
    ("problem", "extraction", "expected"),
    [
        (INTEGER, "3.0", (1, 0, 1, 0)),
        (INTEGER, "3.9", (1, 0, 1, 0)),
        (INTEGER, "3", (1, 1, 1, 1)),
        (DECIMAL, "1.22", (1, 1, 0, 0)),
        (DECIMAL, "1.20", (1, 1, 0, 1)),
        (LIST, "[1, 2]", (1, 1, 1, 0)),
        (CHOICE, "B", (1, 1, 1, 1)),
        (CHOICE, "bluish", (1, 1, 1, 0)),
        (CHOICE, "N/A", (0, 0, 0, 0)),
    ],
)
def test_with_a_judges_extraction(problem, extraction, expected):
    """By the present normaliser, the one of 2023, lmms-eval and VLMEvalKit."""
    now, in_2023, lmms, vlm = expected
    given = outcome(problem, "long prose", extraction)
    assert given["official"][0] == given["videollama3"][0] == now
    assert given["official-2023"][0] == in_2023
    assert given["lmms-eval-2026-08"][0] == lmms
    assert given["vlmevalkit"][0] == vlm
    assert given["robust"][0] == 0.0  # reads the model's own words alone


def test_the_bound_and_a_judges_verdicts():
    rows = {"1": CHOICE, "2": INTEGER}
    answers = {"1": "It is (B).", "2": "3"}
    entry = score("mathvista", answers, rows, rules="official").data["rules"]["official"]
    assert entry["overall"]["accuracy"]["value"] == 0.5
    assert entry["overall"]["accuracy"]["value_if_all_right"] == 1.0
    verdicts = {"1": {"true_false": True}}  # as MathVista's own files have it
    entry = score("mathvista", answers, rows, rules="official", verdicts=verdicts).data["rules"][
        "official"
    ]
    assert entry["overall"]["accuracy"]["value"] == 1.0


@pytest.mark.parametrize(
    ("problem", "text", "right"),
    [
        (INTEGER | {"answer": "1000"}, "It costs $1,000.", True),
        (INTEGER, "There are three: 1 + 2 = 3", True),
        (INTEGER, "3 or 4", False),
        (INTEGER | {"answer": "0"}, "0", True),
        (DECIMAL, "The distance is 1.24 meters.", True),
        (DECIMAL, "1.26", False),
        (DECIMAL, "nan", False),
        (LIST, "The answer is [1.0, 2].", True),
        (LIST, "[2, 1]", False),
        (CHOICE, "The correct answer is **(C) green one**.", False),
        (CHOICE, "I first thought (A), but the answer is B.", True),
        (CHOICE, "It is the blue one.", True),
    ],
)
def test_robust(problem, text, right):
    assert outcome(problem, text, rules="robust")["robust"][0] == right


def test_problems_by_pid_and_flat_rows():
    read = get_protocol("mathvista").read_annotations
    gold = read({"1": CHOICE, "2": DECIMAL}, ScoreOptions())
    assert gold.ids == ["1", "2"]
    assert gold.letters.tolist() == [1, -1]
    assert gold.columns["precision"] == [None, 1]
    assert gold.videos == ["images/1.jpg"] * 2
    assert gold.strata["skills"].of_row()[0] == ["logical reasoning", "arithmetic reasoning"]
    spread = {**DECIMAL, **DECIMAL["metadata"], "pid": "9", "precision": 1.0}
    gold = read([spread], ScoreOptions())
    assert gold.ids == ["9"]
    assert gold.strata["grade"].of_row() == {0: ["college"]}


def test_a_file_of_problems(tmp_path):
    path = tmp_path / "testmini.json"
    path.write_text(json.dumps({"1": CHOICE}))
    assert score("mathvista", {"1": "B"}, path, rules="robust").value("accuracy") == 1.0


def test_broken_problems_are_refused_with_their_place():
    read = get_protocol("mathvista").read_annotations
    with pytest.raises(InputError, match="without choices"):
        read({"1": CHOICE | {"choices": None}}, ScoreOptions())
    with pytest.raises(InputError, match="holds no answer"):
        read({"1": INTEGER | {"answer": None}}, ScoreOptions())
    hidden = {"1": INTEGER | {"answer": ""}}
    assert read(hidden, ScoreOptions(without_gold=True)).answers == [[]]


def test_output_files_carry_their_gold(tmp_path):
    path = tmp_path / "output.json"
    path.write_text(json.dumps({"7": {**CHOICE, "response": "(B)", "extraction": "B"}}))
    result = score("mathvista", path)
    assert result.data["rules"]["official"]["overall"]["accuracy"]["value"] == 1.0
    assert result.data["rules"]["official"]["strata"]["task"].keys() == {
        "figure question answering"
    }


def test_videollama3_files_hold_their_judges_extractions():
    rows = [
        {"multi_choice": 50.0, "Overall": 50.0},
        {
            "data_id": "1",
            "response": "B",
            "prediction": "B",  # by the judge: the rules read no bare letter
            "ground_truth": "blue",
            "matching": True,
            "task_type": "multi_choice",
            "meta_data": {"answer_type": "text", "options": ["red", "blue"], "question": "Which?"},
        },
        {
            "data_id": "2",
            "response": "It is 3.",
            "prediction": "",  # the judge failed
            "ground_truth": "3",
            "matching": False,
            "task_type": "free_form",
            "meta_data": {"answer_type": "integer", "question": "How many?"},
        },
    ]
    rules = score("mathvista", rows).data["rules"]
    assert rules["videollama3"]["overall"]["accuracy"]["value"] == 0.5
    assert "needs_judge" not in rules["videollama3"]["status"]
    assert rules["robust"]["overall"]["accuracy"]["value"] == 1.0


def test_row_numbers_of_lmms_eval_are_no_pids():
    payload = {
        "question_id": "7", "choices": None, "answer": "1.2", "extraction": "1.2",
        "question_type": "free_form", "answer_type": "float", "precision": 1.0,
    }  # fmt: skip
    rows = [{"doc_id": 0, "target": "1.2", "filtered_resps": ["1.2"], "gpt_eval_score": payload}]
    result = score("mathvista", rows, {"7": DECIMAL})
    assert result.data["coverage"]["scored"] == 1
    bare = [{"doc_id": i, "target": "9", "filtered_resps": ["9"]} for i in (1, 2)]
    with pytest.raises(InputError, match="its ids number something else"):
        score("mathvista", bare, {"1": INTEGER, "2": INTEGER})
