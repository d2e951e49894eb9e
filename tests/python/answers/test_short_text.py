"""Short answers in free text: what is declared, what is inferred, and the number of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastvbench.answers._short_text import (
    ShortText,
    as_number,
    comparable,
    only_number,
    read_short_text,
)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ITC Limited", "ITC Limited"),
        ("ITC Limited.", "ITC Limited"),
        ("The answer is ITC Limited. It is in the header.", "ITC Limited"),
        ("Answer: **12 apples**", "12 apples"),
        ("The answer: A... no. Final answer: 7", "7"),  # the last declaration counts
        ("It is not 5. The answer is not 5.", "The answer is not 5"),
        ("So $x = \\boxed{\\frac{1}{2}}$.", "\\frac{1}{2}"),
        ("<think>the answer is 3</think>4", "4"),
        ("<answer>blue</answer> as I said", "blue"),
        ("The answer is 3.5 because the bars say so.", "3.5"),
        ("I added them up. There are **2** objects left. Is there anything else?", "2"),
        ("Bars:\n\n- red\n- blue\n\nThe total is 12.\n\nI hope this helps!", "The total is 12"),
        ("答案是 12。", "12"),
        ('"Annual Report"', "Annual Report"),
        ("[1, 2]", "[1, 2]"),
        ("f(x)", "f(x)"),
        (".5", ".5"),
        ("**", None),
    ],
)
def test_answers(text, answer):
    assert read_short_text(text).answer == answer


def test_without_a_declaration_the_whole_text_is_a_fair_reading_too():
    assert read_short_text("Dr. Smith. M.D.") == ShortText("M.D", ("Dr. Smith. M.D",))
    assert read_short_text("The answer is Dr.").others == ()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12.0),
        ("-12.5", -12.5),
        ("−3", -3.0),
        ("1,234.5", 1234.5),
        ("$1,234", 1234.0),
        ("12 %", 12.0),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("１２", 12.0),
        ("12 apples and 12 pears", 12.0),
        ("3 or 4", None),
        ("A4", None),
        ("x2y3", None),
        ("nan", None),
        ("inf", None),
        ("1_000", None),
        ("", None),
    ],
)
def test_numbers(text, number):
    assert as_number(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("89 - 25 = **64%**", 64.0),
        ("The number of bars below 40 is 3.", 3.0),
        ("Between 3 and 4 of them.", None),
        ("The answer is 3 or 4.", None),
    ],
)
def test_the_number_of_an_answer(text, number):
    assert only_number(read_short_text(text)) == number


def test_comparable_forms():
    assert comparable("  “New\n York”.") == "new york"
    assert comparable("STRASSE") == comparable("straße")


HOSTILE = [
    "1a" * 50_000,
    "the answer is " * 8_000,
    "**" * 50_000,
    "{" * 99_999,
    "\\boxed{" * 14_000,
]
HOSTILE += ["1," * 50_000, "1" * 100_000, "." * 100_000, "1" + "a" * 100_000, "<answer>" * 12_000]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_slow(text):
    started = time.perf_counter()
    only_number(read_short_text(text))
    assert time.perf_counter() - started < 1.0


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_no_text_raises(text):
    read = read_short_text(text)
    only_number(read)
    assert read.answer != ""
