"""VideoLLaMA3's letters of MLVU, MVBench and LongVideoBench, and its verdicts on TempCompass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_choices as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules import PublicScriptAborts
from fastvbench.answers.rules import videollama3_choices as rules

COLOURS = ["red", "Blue car.", "3", "white"]

options = st.lists(
    st.sampled_from([*COLOURS, "", " . ", "three", "answer", "d"]), min_size=1, max_size=5
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("(B) two", "B"), ("Answer: C", "C"), ("All", "A"), ("((D))", "D"), ("it is E or D", "D")],
)
def test_mlvu_letter(text, expected):
    assert rules.mlvu_letter(text, COLOURS) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [("A, B", "ValueError"), ("( A )", "ValueError"), ("(C), red", "ValueError"), ("red", "Name")],
)
def test_mlvu_aborts(text, reason):
    with pytest.raises(PublicScriptAborts, match=reason):
        rules.mlvu_letter(text, COLOURS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the blue car", "B"), ("red, blue car", "A"), ("no. 3", "C"), ("a D", "D")],
)
def test_mvbench_letter(text, expected):
    assert rules.mvbench_letter(text, COLOURS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("three of them", "C"), ("blue car", "B"), ("A, B", "A"), ("it is E or D", "D")],
)
def test_longvideobench_letter(text, expected):
    assert rules.longvideobench_letter(text, COLOURS) == expected


def compare(mine, theirs, *arguments):
    try:
        expected = theirs(*arguments)
    except (ValueError, NameError, AssertionError) as stop:
        with pytest.raises(PublicScriptAborts, match=type(stop).__name__):
            mine(*arguments)
    else:
        assert mine(*arguments) == expected


@differential
@given(choice_texts, options)
def test_letters_equal_the_originals(text, options):
    compare(
        rules.mlvu_letter,
        lambda text, options: original.videollama3_surrounded(text, options, finds_texts=False),
        text,
        options,
    )
    compare(
        rules.mvbench_letter,
        lambda text, options: original.videollama3_surrounded(text, options, finds_texts=True),
        text,
        options,
    )
    compare(rules.longvideobench_letter, original.videollama3_longvideobench, text, options)


@pytest.mark.parametrize(
    ("text", "right"),
    [("a man dunks", True), ("A. x", True), ("(A)", False), ("B", False), ("", False)],
)
def test_tempcompass_choice(text, right):
    assert rules.tempcompass_choice(text, "A. dunking") is right


@pytest.mark.parametrize(("text", "right"), [("Yes.", True), ("no", False), ("It does not", False)])
def test_tempcompass_yes_no(text, right):
    assert rules.tempcompass_yes_no(text, "yes") is right


def test_tempcompass_yes_no_aborts():
    with pytest.raises(PublicScriptAborts, match="AssertionError"):
        rules.tempcompass_yes_no("maybe", "yes")


@pytest.mark.parametrize(
    ("text", "right"),
    [("Option 1", True), ("1", True), ("Caption 1: x", True), ("Option 2", False), ("it", False)],
)
def test_tempcompass_caption(text, right):
    assert rules.tempcompass_caption(text, "Option 1: it runs") is right
