"""Careful scores of short answers: what a reader accepts, and the plain meaning of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.answers.short_answer_fragments import answers, number_answers
from tests.reference import short_answer_scores as twin

import fastvbench as fvb
from fastvbench.answers._careful_scores import careful_anls, careful_match, careful_relaxed
from fastvbench.answers._short_answers import read_short_answers
from fastvbench.core._status import Status

KERNELS = {"anls": careful_anls, "match": careful_match, "relaxed": careful_relaxed}
golds = st.lists(
    st.one_of(answers.filter(bool), number_answers, st.sampled_from(["yes", "42", "2015", "45%"])),
    max_size=3,
)


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=250, deadline=None)
@given(st.lists(st.tuples(st.one_of(answers, number_answers), golds), min_size=1, max_size=8))
def test_equal_to_the_plain_meaning(name, rows):
    read = read_short_answers([text for text, _ in rows])
    scores = KERNELS[name](read, [accepted for _, accepted in rows], np.arange(len(rows)))
    expected = [getattr(twin, name)(text, accepted) for text, accepted in rows]
    assert repr(scores.tolist()) == repr([score for score, _ in expected])
    assert read.status.tolist() == [status for _, status in expected]


def test_rows_may_share_their_gold():
    read = read_short_answers(["red", "blue", "red"])
    assert careful_match(read, [["red"], ["blue"]], np.array([0, 0, 1])).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("42", "42", 1), ("The answer is 43.", "42", 1), ("45", "42", 0), ("forty-two", "42", 1),
        ("2019", "2021", 0), ("In 2021, at 45%", "2021", 1), ("2,021", "2021", 1),
        ("1,000", "1000", 1), ("$1.000,00", "1000", 1), ("0", "0.0", 1), ("0.01", "0", 0),
        ("45", "45%", 1), ("45%", "45", 1), ("0.45", "45%", 1), ("45%", "0.45", 1),
        ("45", "0.45", 0),
        ("4.2 million", "4200000", 1), ("4.2 million", "4.2", 1), ("4.2 million", "4.2 billion", 0),
        ("12 cm", "12", 1), ("between 40 and 45", "42", 0), ("-42", "42", 0), ("nan", "42", 0),
        ("The red one", "red one", 1), ("Yes, it is.", "Yes", 1), ("nothing", "No", 0),
        ("3/4", "0.75", 1), ("3:45", "3", 0), ("Q3", "3", 0), ("", "42", 0), ("inf", "inf", 1),
    ],
)  # fmt: skip
def test_relaxed_accuracy(text, gold, right):
    assert fvb.relaxed_accuracy([text], [gold], rule="robust").tolist() == [right]


def test_statuses_say_why_an_answer_scores_nothing():
    texts = ["40 or 45", "I cannot tell.", None, "", "The answer is", "40 or 42"]
    read = read_short_answers(texts)
    scores = careful_relaxed(read, [["42"]] * 5 + [["40 or 42"]], np.arange(6))
    assert scores.tolist() == [0, 0, 0, 0, 0, 1]
    assert read.status.tolist() == [
        *(Status.AMBIGUOUS, Status.REFUSED, Status.MISSING, Status.EMPTY, Status.TRUNCATED),
        Status.OK,
    ]


def test_a_refusal_is_right_where_it_is_the_accepted_answer():
    read = read_short_answers(["Cannot be determined.", "Cannot be determined."])
    scores = careful_match(read, [["cannot be determined"], ["7"]], np.arange(2))
    assert scores.tolist() == [1, 0]
    assert read.status.tolist() == [Status.OK, Status.REFUSED]


def test_anls_keeps_exactly_one_half_and_measures_the_same_texts_on_both_sides():
    pairs = [("ab", "ac"), ("abc", "xyc"), ("  ITC   ltd ", "ITC Ltd."), ("**0.28**", "0.28")]
    scores = fvb.anls([text for text, _ in pairs], [gold for _, gold in pairs], rule="robust")
    assert scores.tolist() == [0.5, 0.0, 1.0, 1.0]


def test_anls_takes_the_nearest_accepted_answer():
    assert fvb.anls(["itc"], [["xxxx", "ITC", "itcx"]], rule="robust").tolist() == [1.0]
