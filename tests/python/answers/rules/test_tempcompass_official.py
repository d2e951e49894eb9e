from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_choices as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.answers.rules.tempcompass_official import caption_matching, multi_choice, yes_no

CAPTIONS = "Which fits?\nCaption A: it runs\nCaption B: it: sleeps"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B. red", True),
        ("B", True),
        ("B.", True),
        ("B. blue", True),
        ("B) red", True),
        ("B</s>", True),
        ("A", False),
        ("A.B", False),
        ("C) red", False),
        ("(B)", None),
        ("**B.**", None),
        (" B", None),
        ("b", None),
        ("E", None),
        ("", None),
    ],
)
def test_multi_choice(text, expected):
    assert multi_choice(text, "B. red") is expected


@differential
@given(choice_texts, st.sampled_from(["A. red", "B. A", "D. Answer:", "C"]))
def test_multi_choice_equals_the_original(text, answer):
    assert multi_choice(text, answer) is original.tempcompass_multi_choice(text, answer)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("no", True), ("No.", True), ("Nothing", True), ("YES", False), (" no", None), ("", None)],
)
def test_yes_no(text, expected):
    assert yes_no(text, "no") is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Caption A: it runs", True),
        ("Caption A", True),
        ("Caption A.", True),
        ("it runs", True),
        ("1) it runs", True),
        ("Caption B", False),
        ("it", False),  # a sentence ends at its colon and space
        ("A", None),
        ("caption a", None),
        ("it runs.", None),
    ],
)
def test_caption_matching(text, expected):
    assert caption_matching(text, CAPTIONS, "Caption A: it runs") is expected


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [("x", "Which?\nCaption A, it runs", "Caption A: it runs"), ("Caption A", CAPTIONS, "Caption")],
)
def test_caption_matching_aborts(text, question, answer):
    with pytest.raises(PublicScriptAborts, match="IndexError"):
        caption_matching(text, question, answer)


caption_pieces = st.lists(
    st.sampled_from(["Caption A", "Caption B", ": ", "it runs", "it", "sleeps", ") ", ".", "</s>"]),
    max_size=5,
).map("".join)


@differential
@given(
    caption_pieces,
    st.lists(caption_pieces, max_size=3).map(lambda lines: "\n".join(["Which?", *lines])),
    caption_pieces,
)
def test_caption_matching_equals_the_original(text, question, answer):
    try:
        expected = original.tempcompass_caption(text, question, answer)
    except IndexError:
        with pytest.raises(PublicScriptAborts):
            caption_matching(text, question, answer)
    else:
        assert caption_matching(text, question, answer) is expected
