"""LVBench: annotations, strata, each rule set's reading and denominator."""

from __future__ import annotations

import pytest

from fastvbench import InputError, get_protocol, score
from fastvbench.protocols._gold import gold_letter_index, split_options
from fastvbench.protocols._protocol import ScoreOptions

VIDEO = {
    "key": "vid",
    "type": "live",
    "video_info": {"duration_minutes": 60},
    "qa": [
        {
            "uid": "1",
            "question": "What is it?\n(A) a cat\n(B) a red car\n(C) red\n(D) 3",
            "answer": "B",
            "question_type": ["reasoning", "entity recognition"],
            "time_reference": "01:00-01:05",
        },
        {
            "uid": "2",
            "question": "And then?\n(A) x\n(B) y\n(C) z\n(D) w",
            "answer": "A",
            "question_type": ["reasoning"],
            "time_reference": "100:00-120:30",
        },
        {
            "uid": 3,
            "question": "Last?\n(A) x\n(B) y\n(C) z\n(D) w",
            "answer": "(D) w",
            "question_type": ["summarization"],
            "time_reference": "None-None",
        },
    ],
}


def accuracies(predictions, **options):
    data = score("lvbench", predictions, [VIDEO], **options).data
    return {
        rule: (e["overall"]["accuracy"]["value"], e["overall"]["accuracy"]["n"])
        for rule, e in data["rules"].items()
    }


def test_each_rule_set_reads_its_own_way():
    given = accuracies({"1": "The answer is (B).", "2": "A", "3": "A drone flies. D"})
    assert given["robust"] == (1.0, 3)
    assert given["paper"] == (1.0, 3)
    assert given["official"] == (pytest.approx(1 / 3), 3)
    assert given["videollama3"] == (pytest.approx(2 / 3), 3)  # "A drone" is read as A
    assert given["lmms-eval-pre-1274"] == (pytest.approx(2 / 3), 3)


def test_absent_rows_leave_only_the_official_denominators():
    given = accuracies({"2": "A"})
    assert given["official"] == (1.0, 1)
    assert given["videollama3"] == (1.0, 1)
    for rule in ("robust", "paper", "lmms-eval-pre-1274", "lmms-eval-2026-08"):
        assert given[rule] == (pytest.approx(1 / 3), 3)


def test_option_texts_count_for_robust_and_not_for_paper():
    given = accuracies({"1": "a red car", "2": "x", "3": "w"}, rules=["robust", "paper"])
    assert given == {"robust": (1.0, 3), "paper": (0.0, 3)}


def test_a_question_counts_in_each_of_its_types():
    data = score("lvbench", {"1": "B", "2": "C", "3": "D"}, [VIDEO], rules=["official"]).data
    types = data["rules"]["official"]["strata"]["question_type"]
    assert {name: (e["accuracy"]["value"], e["accuracy"]["n"]) for name, e in types.items()} == {
        "entity recognition": (1.0, 1),
        "reasoning": (0.5, 2),
        "summarization": (1.0, 1),
    }


def test_strata_of_length_and_evidence():
    gold = get_protocol("lvbench").read_annotations([VIDEO], ScoreOptions())
    assert gold.strata["video_length"].categories == ("45-75 min",)
    assert gold.strata["evidence_length"].of_row() == {
        0: ["under 10 s"],
        1: ["10 min or longer"],
        2: ["unknown"],
    }
    assert gold.ledger == {"time_reference_unreadable": 1}
    assert gold.durations.tolist() == [3600.0] * 3


def test_a_script_that_would_stop_counts_wrong_and_is_said():
    result = score("lvbench", {"1": "none", "2": "A", "3": ""}, [VIDEO], rules=["videollama3"])
    assert result.value() == pytest.approx(1 / 3)
    assert result.data["rules"]["videollama3"]["public_script_aborts"] == 2
    assert any("would stop on 2 rows" in warning for warning in result.data["warnings"])


def test_official_warns_when_texts_are_no_bare_letters():
    warned = score("lvbench", {"1": "B.", "2": "A", "3": "D"}, [VIDEO], rules=["official"])
    assert any("33.3% of the texts are no bare letter" in w for w in warned.data["warnings"])
    quiet = score("lvbench", {"1": "C", "2": "A", "3": "D"}, [VIDEO], rules=["official"])
    assert not quiet.data["warnings"]


def test_texts_that_are_the_gold_raise_the_alarm():
    data = score("lvbench", {"1": "B", "2": "A", "3": "D"}, [VIDEO], rules=["robust"]).data
    assert data["diagnostics"]["text_equals_gold_share"] == 1.0
    assert any("equal the gold answer" in warning for warning in data["warnings"])


def test_lmms_eval_rules_read_the_filtered_text_and_robust_the_raw_one():
    rows = [
        {"doc_id": 1, "target": "B", "resps": [["I pick B"]], "filtered_resps": ["A"]},
        {"doc_id": 2, "target": "A", "resps": [["A"]], "filtered_resps": ["A"]},
        {"doc_id": 3, "target": "D", "resps": [["D"]], "filtered_resps": ["D"]},
    ]
    given = accuracies(rows)
    assert given["robust"] == (1.0, 3)
    assert given["lmms-eval-2026-08"] == (pytest.approx(2 / 3), 3)


def test_run_records_explain_rows_without_an_answer():
    rows = [
        {"id": "1", "text": None, "error": "out of memory"},
        {"id": "2", "text": "The best option, considering", "finish_reason": "length"},
        {"id": "3", "text": "D", "finish_reason": "length"},
    ]
    data = score("lvbench", rows, [VIDEO], rules=["robust"]).data
    assert data["coverage"]["status"] == {"ok": 1, "truncated": 1, "error": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "E"}, r"line 1 field 'answer': not one of the options, got 'E'"),
        ({"answer": None}, r"line 1 field 'answer': wrong type, got None; expected a string"),
        ({"uid": float("nan")}, r"line 1 field 'uid': not an id, got nan"),
    ],
)
def test_bad_annotations_name_the_field(change, message):
    broken = VIDEO | {"qa": [VIDEO["qa"][0] | change]}
    with pytest.raises(InputError, match=message):
        score("lvbench", {"1": "B"}, [broken])


def test_missing_question_names_the_fields_there_are():
    broken = VIDEO | {"qa": [{"uid": "1", "answer": "B"}]}
    with pytest.raises(InputError, match=r"missing, fields are \['answer', 'uid'\]"):
        score("lvbench", {"1": "B"}, [broken])


def test_split_options():
    assert split_options("Q?\n(A) one\n(B) two\nlines\n(C) three") == (
        "Q?",
        ["one", "two\nlines", "three"],
    )
    assert split_options("Q?\nA. one\nB. two") == ("Q?", ["one", "two"])
    assert split_options("Plan (A) or (B)?") == ("Plan (A) or (B)?", [])
    assert split_options("Q\n(A) one\n(C) two") == ("Q\n(A) one\n(C) two", [])


@pytest.mark.parametrize(
    ("gold", "index"),
    [("C", 2), ("(C)", 2), ("C. z", 2), ("(C) z", 2), ("z", 2), ("E", -1), ("twice", -1), ("", -1)],
)
def test_gold_letter_index(gold, index):
    assert (
        gold_letter_index(gold, ["x", "y", "z", "twice", "twice"][: 3 if gold == "E" else 5])
        == index
    )


def test_sample_files_carry_their_own_gold():
    rows = [
        {"doc_id": 0, "target": "B", "resps": [["B"]], "filtered_resps": ["B"]},
        {"doc_id": 1, "target": "C", "resps": [["The answer is A"]], "filtered_resps": ["A"]},
    ]
    data = score("lvbench", rows).data
    assert data["rules"]["robust"]["overall"]["accuracy"]["value"] == 0.5
    assert data["inputs"]["annotations"]["source"] == "carried by the predictions"
    assert data["interval_method"]["clusters"] == 2


def test_ids_that_number_something_else_are_refused():
    rows = [
        {"doc_id": 1, "target": "A", "resps": [["A"]], "filtered_resps": ["A"]},
        {"doc_id": 2, "target": "B", "resps": [["B"]], "filtered_resps": ["B"]},
    ]
    with pytest.raises(InputError, match=r"own gold differs .* in 2 of 2 rows.*expected B for id"):
        score("lvbench", rows, [VIDEO])


@pytest.mark.parametrize("lines", ["(A) x\n(C) y\n(B) z\n(D) w", "(A) x\n(A) y\n(B) z\n(D) w"])
def test_option_lines_out_of_order_leave_the_letters(lines):
    gold = [{"uid": "1", "key": "v", "question": f"Q?\n{lines}", "answer": "B"}]
    rules = score("lvbench", {"1": "The answer is B."}, gold).data["rules"]
    assert rules["robust"]["overall"]["accuracy"]["value"] == 1.0


def test_the_answer_widens_the_alphabet_of_a_question_without_options():
    gold = [
        {"uid": "1", "key": "v", "question": "Q?", "answer": "E"},
        {"uid": "2", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"},
    ]
    result = score("lvbench", {"1": "E", "2": "C"}, gold, rules=["robust"])
    assert [row["rules"]["robust"]["status"] for row in result.samples()] == ["ok", "not_an_option"]
    assert result.value() == 0.5


def test_a_question_without_options_leaves_the_others_theirs():
    bare = VIDEO["qa"][1] | {"uid": "9", "question": "And now?", "answer": "C"}
    gold = [VIDEO | {"qa": [VIDEO["qa"][0], bare]}]
    data = score(
        "lvbench", {"1": "a red car", "9": "The answer is C."}, gold, rules=["robust"]
    ).data
    assert data["rules"]["robust"]["overall"]["accuracy"]["value"] == 1.0
