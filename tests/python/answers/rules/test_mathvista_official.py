from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_short_answers as original
from tests.python.answers.rules.fuzzed_texts import differential, short_texts

from fastvbench.answers.rules import mathvista_official
from fastvbench.answers.rules._edit_distance import edit_distance, nearest_choice

CHOICES = ["135°", "140°", "145°", "(b)"]
FREE = ("free_form", "integer", None)
DECIMAL = ("free_form", "float", None)
CHOICE = ("multi_choice", "text", CHOICES)


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("", CHOICE, ""),
        ("", FREE, ""),
        ("140°", CHOICE, "140°"),
        (" 140°", CHOICE, None),  # a choice and nothing else
        ("C", CHOICE, None),  # a letter alone goes to the judge
        (" 12\n", FREE, "12"),
        ("1_000", FREE, "1000"),
        ("12.0", FREE, None),
        ("12.0", DECIMAL, "12.0"),
        ("nan", DECIMAL, "nan"),
        ("7", DECIMAL, "7.0"),
        ('The answer is "B".', CHOICE, "B"),
        ('The answer is "x". The answer is "y".', FREE, 'x". The answer is "y'),
        ('The answer is "x"', FREE, None),
        ('The answer is ".', FREE, None),
        ('The answer is "".', FREE, ""),
        ('The answer is "3\n4".\nThe answer is "5".', FREE, "5"),
        ("[1, 2]", ("free_form", "list", None), None),
    ],
)
def test_extract(text, question, expected):
    assert mathvista_official.extract(text, *question) == expected


def test_the_quick_rule_can_be_switched_off():
    text = 'The answer is "B".'
    assert mathvista_official.extract(text, *CHOICE, quick=False) is None


@differential
@given(short_texts, st.sampled_from([FREE, DECIMAL, CHOICE]), st.booleans())
def test_extract_equals_the_original(text, question, quick):
    assert mathvista_official.extract(text, *question, quick=quick) == original.mathvista_extract(
        text, *question, quick
    )


@differential
@given(short_texts)
def test_quoted_answer_is_what_the_pattern_captures(text):
    found = re.search(original.MATHVISTA_QUOTED_ANSWER, text)
    assert mathvista_official._quoted_answer(text) == (found.group(1) if found else None)


@pytest.mark.parametrize(
    ("extraction", "expected"),
    [
        ("C", "145°"),
        ("(a)", "135°"),
        ("(C) 140°", "145°"),  # the bracketed letter wins over the text
        ("The sum f(x) is (a)", "(b)"),  # the first letter in brackets is x: no such option
        ("The sum f[x] is (a)", "135°"),
        ("c", "(b)"),  # a bare small letter is no option; the nearest text is taken
        ("E", "(b)"),
        ("140", "140°"),
        ("", "(b)"),  # an empty extraction is the shortest choice
        ("N/A", "(b)"),
    ],
)
def test_every_extraction_of_a_choice_is_some_choice(extraction, expected):
    for normalise in (mathvista_official.normalise, mathvista_official.normalise_2023):
        assert normalise(extraction, *CHOICE, None) == expected


@pytest.mark.parametrize(
    ("extraction", "now", "in_2023"),
    [
        ("12", "12", "12"),
        ("3.0", "3", None),
        ("3.9", "3", None),
        ("-3.9", "-3", None),
        ("1e3", "1000", None),
        ("1_000", "1000", "1000"),
        ("1,000", None, None),
        ("nan", None, None),
        ("inf", None, None),
        ("12 cm", None, None),
        ("", None, None),
    ],
)
def test_whole_numbers(extraction, now, in_2023):
    assert mathvista_official.normalise(extraction, *FREE, None) == now
    assert mathvista_official.normalise_2023(extraction, *FREE, None) == in_2023


@pytest.mark.parametrize(
    ("extraction", "precision", "expected"),
    [
        ("0.11", 1, "0.1"),
        ("0.25", 1, "0.2"),  # halves go to the even digit of a binary number
        ("1", 2, "1.0"),
        ("1.005", 2.0, "1.0"),
        ("nan", 1, "nan"),
        ("inf", 1, "inf"),
        ("", 1, None),
        ("1.2", None, None),
    ],
)
def test_decimal_numbers(extraction, precision, expected):
    for normalise in (mathvista_official.normalise, mathvista_official.normalise_2023):
        assert normalise(extraction, *DECIMAL, precision) == expected


def test_lists_are_compared_as_they_are():
    assert mathvista_official.normalise("[1, 2]", "free_form", "list", None, None) == "[1, 2]"


@differential
@given(short_texts, st.sampled_from([FREE, DECIMAL, CHOICE]), st.sampled_from([1, 2]))
def test_normalise_equals_the_original(text, question, precision):
    for function, to_integer in (
        (mathvista_official.normalise, float),
        (mathvista_official.normalise_2023, str),
    ):
        expected = original.mathvista_normalise(text, *question, precision, to_integer=to_integer)
        assert function(text, *question, precision) == expected


@differential
@given(short_texts, short_texts)
def test_edit_distance_equals_the_original(first, second):
    assert edit_distance(first, second) == original.levenshtein(first, second)


def test_the_first_of_equally_near_choices_is_taken():
    assert nearest_choice("b", ["a", "c", "b"]) == 2
    assert nearest_choice("x", ["a", "c"]) == 0
