from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_short_answers as original
from tests.python.answers.rules.fuzzed_texts import differential, short_texts

from fastvbench.answers.rules import PublicScriptAborts, pix2struct


@pytest.mark.parametrize(
    ("text", "answers", "first", "later"),
    [
        ("aB", ["Ab"], 1.0, 1.0),
        ("ab", ["ac"], 0.0, 0.5),  # exactly one half: dropped at first, kept later
        ("abc", ["abd"], 1 - 1 / 3, 1 - 1 / 3),
        (" ab", ["ab"], 1 - 1 / 3, 1 - 1 / 3),  # white space counts
        ("", ["abc"], 0.0, 0.0),
        ("abc", ["x", "abc"], 1.0, 1.0),
    ],
)
def test_anls(text, answers, first, later):
    assert pix2struct.anls(text, answers) == first
    assert pix2struct.anls_2024(text, answers) == later


@pytest.mark.parametrize("function", [pix2struct.anls, pix2struct.anls_2024])
def test_two_empty_texts_stop_the_script(function):
    with pytest.raises(PublicScriptAborts, match="ZeroDivisionError"):
        function("", [""])


@differential
@given(short_texts, st.lists(short_texts, min_size=1, max_size=3), st.booleans())
def test_anls_equals_the_original(text, answers, keeps_half):
    function = pix2struct.anls_2024 if keeps_half else pix2struct.anls
    try:
        expected = original.pix2struct_anls(text, answers, keeps_half)
    except ZeroDivisionError:
        with pytest.raises(PublicScriptAborts):
            function(text, answers)
    else:
        assert function(text, answers) == expected


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("95", "100", 1.0),
        ("105", "100", 1.0),
        ("94.99", "100", 0.0),
        ("1925", "2021", 1.0),  # a year is within 5 % of most years
        ("50%", "0.5", 1.0),
        ("50", "50%", 0.0),  # 50 against 0.5
        ("12%%", "12%", 1.0),
        ("%", "%", 1.0),  # no number: equal texts
        ("0", "0", 1.0),
        ("0.0", "0", 0.0),  # a gold of zero is compared as text
        ("0%", "0", 0.0),
        ("1,000", "1000", 0.0),
        ("1_000", "1000", 1.0),
        ("1e3", "1000", 1.0),
        (" 7 ", "7", 1.0),
        ("٧", "7", 1.0),
        ("nan", "5", 0.0),
        ("nan", "nan", 0.0),
        ("inf", "inf", 0.0),
        ("-5", "5", 0.0),
        ("BLUE", "blue", 1.0),
        ("blue.", "blue", 0.0),
        (" blue", "blue", 0.0),
        ("", "blue", 0.0),
    ],
)
def test_relaxed_accuracy(text, answer, expected):
    assert pix2struct.relaxed_accuracy(text, [answer]) == expected
    assert pix2struct.relaxed_accuracy(text, ["never", answer]) == expected


@differential
@given(short_texts, short_texts)
def test_relaxed_accuracy_equals_the_original(text, answer):
    assert pix2struct.is_relaxed_match(text, answer) == original.relaxed(answer, text)
