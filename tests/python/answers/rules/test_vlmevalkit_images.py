from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_short_answers as original
from tests.python.answers.rules.fuzzed_texts import differential, short_texts

from fastvbench.answers.rules import vlmevalkit_images as vlm

CHOICE = ("multi_choice", "text", ["red", "blue", "green"])
FREE = ("free_form", "integer", None)
DECIMAL = ("free_form", "float", None)
LIST = ("free_form", "list", None)


@differential
@given(short_texts, st.lists(short_texts, min_size=1, max_size=3))
def test_anls_equals_the_original(text, answers):
    assert vlm.anls(text, answers) == original.rrc_anls(text, answers)


@differential
@given(short_texts, short_texts)
def test_relaxed_accuracy_equals_the_original(text, answer):
    trimmed = text.strip()
    assert vlm.relaxed_accuracy(text, [answer]) == original.relaxed(answer, trimmed)
    assert vlm.relaxed_accuracy_pre_1204(text, [answer]) == original.relaxed(trimmed, answer)


def test_swapped_arguments_change_the_tolerance_and_the_zero():
    assert vlm.relaxed_accuracy("95", ["100"]) == 1.0
    assert vlm.relaxed_accuracy_pre_1204("95", ["100"]) == 0.0
    assert vlm.relaxed_accuracy("105.2", ["100"]) == 0.0
    assert vlm.relaxed_accuracy_pre_1204("105.2", ["100"]) == 1.0
    assert vlm.relaxed_accuracy("0", ["0.0"]) == 0.0
    assert vlm.relaxed_accuracy_pre_1204("0.0", ["0"]) == 0.0


def test_predictions_are_trimmed():
    assert vlm.relaxed_accuracy(" yes ", ["Yes"]) == 1.0


@pytest.mark.parametrize(
    ("text", "question", "answer", "expected"),
    [
        ("The answer is B", CHOICE, "B", True),
        ("(C)", CHOICE, "B", False),
        ("it is blue", CHOICE, "B", True),
        ("no idea", CHOICE, "B", None),
        ("12", FREE, "12", True),
        ("13", FREE, "12", None),  # a wrong number is put to the judge too
        ("12.0", FREE, "12", None),
        ("0", FREE, "0", None),  # zero counts as nothing found
        ("1.20", DECIMAL, "1.2", True),
        ("1.21", DECIMAL, "1.2", None),
        ("[1, 2]", LIST, "[1, 2]", False),
    ],
)
def test_mathvista_prefetch(text, question, answer, expected):
    assert vlm.mathvista_prefetch(text, *question, answer) is expected


@pytest.mark.parametrize(
    ("extraction", "question", "answer", "expected"),
    [
        ("B", CHOICE, "B", True),
        ("(B) blue", CHOICE, "B", True),
        ("blue", CHOICE, "C", False),
        ("0", FREE, "0", True),
        ("3.0", FREE, "3", False),
        ("1.26", DECIMAL, "1.3", False),
        ("1.30", DECIMAL, "1.3", True),
        ("[1, 2]", LIST, "[1, 2]", False),
    ],
)
def test_mathvista_with_a_judge(extraction, question, answer, expected):
    assert vlm.is_mathvista_match(extraction, *question, answer) is expected
