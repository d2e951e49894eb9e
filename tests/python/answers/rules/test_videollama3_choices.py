from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_patterns as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.answers.rules.videollama3_choices import videomme_letter

LINES = ["A. Red.", "B. Blue car.", "C. 3.", "D. Three of them."]


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        ("Because", LINES, "B"),
        ("the Answer: blue car", LINES, "B"),
        ("it has three of them", LINES, "C"),  # the digit as a word, and the first option wins
        ("red or blue car", LINES, "A"),
        ("thre", ["A. x y.", "B. q", "C. z z.", "D. Three"], "B"),  # one character leaves nothing
        ("thre", ["A. x y.", "B. q q", "C. z z.", "D. Three"], "D"),
        ("red", ["A. answer x.", "B. red.", "C. y y.", "D. z z."], "B"),
    ],
)
def test_letter(text, lines, expected):
    assert videomme_letter(text, lines) == expected


@pytest.mark.parametrize(
    ("text", "lines", "reason"),
    [
        ("none", LINES, "AssertionError"),
        ("", LINES, "AssertionError"),
        ("B", ["A. ", *LINES[1:]], "IndexError"),
        ("B", ["Red", *LINES[1:]], "IndexError"),
    ],
)
def test_aborts(text, lines, reason):
    with pytest.raises(PublicScriptAborts, match=reason):
        videomme_letter(text, lines)


option_lines = st.lists(
    st.sampled_from(
        [*LINES, "A. 7.", "B. 0", "(A) red", "C. ", "D. blue\ncar.", "A. .x.. ", "x A. b"]
    ),
    min_size=1,
    max_size=4,
)


@differential
@given(choice_texts, option_lines)
def test_letter_equals_the_original(text, lines):
    try:
        expected = original.videollama3_videomme(text, lines)
    except (AssertionError, IndexError) as stop:
        with pytest.raises(PublicScriptAborts, match=type(stop).__name__):
            videomme_letter(text, lines)
    else:
        assert videomme_letter(text, lines) == expected
