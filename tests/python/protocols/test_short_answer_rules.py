"""Published scorers of short answers as rule sets: what each row gets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.core._status import Status
from fastvbench.protocols._gold import Gold
from fastvbench.protocols._rule import RuleBatch
from fastvbench.protocols._short_answer_rules import (
    EXACT_MATCH,
    AnswerScore,
    score_function_rule,
)
from fastvbench.results._metrics import ACCURACY

GOLD = Gold(
    ids=["1", "2", "3", "4"],
    videos=["a", "b", "c", "d"],
    answers=[["red"], ["4", "four"], ["x"], []],
    columns={"unit": ["", "cm", "", ""]},
)


def score_of(text, accepted, columns):
    """A made-up script: exact, units cut off, stops on a bang, asks a judge about a question."""
    if text.endswith("!"):
        raise PublicScriptAborts("no bang")
    if text.endswith("?"):
        return AnswerScore(0.0, Status.NEEDS_JUDGE)
    if not accepted:
        return math.nan
    text = text.removesuffix(columns["unit"])
    return AnswerScore(float(text in accepted), read=text)


def reading_of(texts, metric=EXACT_MATCH, verdicts=None, **options):
    rule = score_function_rule("made-up", "a test", score_of, metric, **options)
    batch = RuleBatch(texts, {}, np.arange(len(texts)), GOLD, verdicts)
    return rule.read(batch)


def test_rows_are_scored_with_their_answers_and_columns():
    reading = reading_of(["red", "fourcm", "y", "x"])
    assert reading.scores["exact_match"][:3].tolist() == [1.0, 1.0, 0.0]
    assert math.isnan(reading.scores["exact_match"][3])
    assert reading.answers() == ["red", "four", "y", "x"]
    assert set(reading.status.tolist()) == {Status.OK}


def test_a_script_that_stops_counts_wrong_and_is_counted():
    reading = reading_of(["red!", "4", None, None])
    assert reading.scores["exact_match"].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert reading.aborts.tolist() == [True, False, False, False]
    assert reading.status.tolist() == [
        Status.NO_ANSWER, Status.OK, Status.MISSING, Status.MISSING
    ]  # fmt: skip
    assert reading.answers()[0] == "public script aborts: no bang"


def test_a_script_may_read_a_text_of_its_own_where_the_answer_is_absent():
    reading = reading_of([None, None, None], absent="x")
    assert reading.scores["exact_match"].tolist() == [0.0, 0.0, 1.0]
    assert reading.status.tolist() == [Status.MISSING] * 3


@pytest.mark.parametrize(
    ("verdicts", "scores", "status"),
    [
        (None, [0.0, 0.0, 0.0], [Status.NEEDS_JUDGE, Status.NEEDS_JUDGE, Status.OK]),
        ([True, None, True], [1.0, 0.0, 0.0], [Status.OK, Status.NEEDS_JUDGE, Status.OK]),
        ([False, True, None], [0.0, 1.0, 0.0], [Status.OK, Status.OK, Status.OK]),
    ],
)
def test_a_judge_decides_only_what_needs_one(verdicts, scores, status):
    reading = reading_of(["red?", "4?", "y"], ACCURACY, verdicts)
    assert reading.scores["accuracy"].tolist() == scores
    assert reading.status.tolist() == status
    readable = np.array(status) == Status.OK
    answered = reading.scores["answered_accuracy"]
    assert answered[readable].tolist() == np.array(scores)[readable].tolist()
    assert np.isnan(answered[~readable]).all()


def test_everything_that_moves_a_score_is_in_the_fingerprint():
    plain = score_function_rule("made-up", "a test", score_of, EXACT_MATCH)
    other = score_function_rule("made-up", "a test", score_of, EXACT_MATCH, absent="nan")
    assert plain.fingerprint() != other.fingerprint()
