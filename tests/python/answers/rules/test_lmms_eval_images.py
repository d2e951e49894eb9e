from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_short_answers as original
from tests.python.answers.rules.fuzzed_texts import differential, short_texts

from fastvbench.answers.rules import lmms_eval_images as lmms

CHOICE = ("multi_choice", "text", ["red", "blue"])
FREE = ("free_form", "integer", None)
DECIMAL = ("free_form", "float", None)


@differential
@given(short_texts, st.lists(short_texts, min_size=1, max_size=3))
def test_anls_equals_the_original(text, answers):
    assert lmms.anls(text, answers) == original.rrc_anls(text, answers)


def test_predictions_are_not_trimmed_for_relaxed_accuracy():
    assert lmms.relaxed_accuracy("yes ", ["yes"]) == 0.0
    assert lmms.relaxed_accuracy("12 ", ["12"]) == 1.0  # float() trims


def test_mathvista_text_is_trimmed_and_the_quick_rule_is_off():
    assert lmms.mathvista_extract(" blue\n", *CHOICE) == "blue"
    assert lmms.mathvista_extract('The answer is "B".', *CHOICE) is None
    assert lmms.mathvista_extract(" \n", *CHOICE) == ""


def test_no_decimal_answer_of_mathvista_is_ever_right():
    assert not lmms.is_mathvista_match("1.2", *DECIMAL, "1.2")
    assert not lmms.is_mathvista_match("None", *DECIMAL, "1.2")


def test_mathvista_compares_trimmed_texts():
    assert lmms.is_mathvista_match("4.7", *FREE, " 4 ")
    assert lmms.is_mathvista_match("(b)", *CHOICE, "blue ")
    assert not lmms.is_mathvista_match("four", *FREE, "4")


@differential
@given(short_texts, st.sampled_from([CHOICE, FREE, DECIMAL]))
def test_mathvista_equals_the_original(text, question):
    """The data set's precision is the double 1.0, which `round` refuses."""
    try:
        prediction = original.mathvista_normalise(text, *question, 1.0, to_integer=float)
    except TypeError:
        prediction = None
    for answer in ("red", "12", "0.5", str(prediction)):
        expected = str(prediction).strip() == answer.strip()
        if prediction is None and answer == "None":
            continue  # no gold answer is this text
        assert lmms.is_mathvista_match(text, *question, answer) == expected
