"""EvalAI's VQA normaliser: its quirks, and the published patterns on random texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.answers.rules.original_evalai_vqa import without_marks

from fastvbench.answers.rules.evalai_vqa import is_match, normalised


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The two dogs.", "2 dogs"),
        ("none", "0"),
        ("eleven", "eleven"),
        ("dont", "don't"),
        ("I dont know", "i don't know"),
        ("couldntve", "couldntve"),
        ("couldnt've", "couldn't've"),
        ("somebody'd", "somebodyd"),
        ("Joe's car", "joe 's car"),
        ("1,000", "1000"),
        ("3.5", "3.5"),
        ("3. 5", "3 5"),
        ("U.S.A.", "usa"),
        ("red/blue", "red blue"),
        ("red /blue a/b", "red blue ab"),  # one at a space takes all away
        ("well-known", "well known"),
        ("a", ""),
        ("what?", "what"),
        ("." * 40 + "x", "." * 8 + "x"),
        ("x\ty\nz", "x y z"),
    ],
)
def test_texts(text, expected):
    assert normalised(text) == expected


def test_match_needs_one_of_the_answers():
    assert is_match("A cat", ["dog", "Cat."])
    assert not is_match("cats", ["dog", "cat"])


@settings(max_examples=2000, deadline=None)
@given(st.text(alphabet=" .,;/[]{}()=+\\_-><@`?!'\"019٣ab\n", max_size=60))
def test_marks_go_as_the_published_patterns_say(text):
    lowered = text.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()
    words = without_marks(lowered.replace("\n", " ").strip()).split()
    assert normalised(text) == " ".join(
        "1" if word == "one" else word for word in words if word not in ("a", "an", "the")
    )
