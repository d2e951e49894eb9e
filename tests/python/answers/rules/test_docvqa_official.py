from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_short_answers as original
from tests.python.answers.rules.fuzzed_texts import differential, short_texts

from fastvbench.answers.rules import docvqa_official


@pytest.mark.parametrize(
    ("text", "answers", "expected"),
    [
        ("0.28", ["0.28"], 1.0),
        ("  NEW \n York", ["new york"], 1.0),
        ("ab", ["ac"], 0.5),  # exactly one half is kept
        ("abc", ["xyc"], 0.0),
        ("", ["a"], 0.0),
        ("", [""], 1.0),
        ("", [" "], 1.0),  # nothing to change, whatever the length
        ("itc", ["x", "itc limited", "ITC"], 1.0),  # the best of several
        ("ß", ["ss"], 0.0),  # two changes over a length of 2: "ß" is "SS" in capitals
        ("Straße", ["Strasse"], 1 - 2 / 7),
        ("x" + " " * 98 + "y", ["z"], 0.97),  # white space is divided by, not counted
    ],
)
def test_anls(text, answers, expected):
    assert docvqa_official.anls(text, answers) == pytest.approx(expected, abs=1e-12)


def test_lower_case_that_is_longer_than_upper_case_goes_below_zero():
    assert docvqa_official.similarity("x", ["İ"]) == -1.0
    assert docvqa_official.anls("x", ["İ"]) == 0.0


@differential
@given(short_texts, st.lists(short_texts, min_size=1, max_size=3))
def test_anls_equals_the_original(text, answers):
    assert docvqa_official.anls(text, answers) == original.rrc_anls(text, answers)
