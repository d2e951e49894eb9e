from __future__ import annotations

import pytest

from fastvbench.answers.rules import lvbench_official


@pytest.mark.parametrize("text", ["a", "A.", "(A)", " A", "A\n", "", "Ａ", "AA"])
def test_only_the_identical_string_is_correct(text):
    assert lvbench_official.is_correct("A", "A")
    assert not lvbench_official.is_correct(text, "A")


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("A", True),
        ("D", True),
        ("E", False),
        ("a", False),
        ("A.", False),
        ("AB", False),
        ("", False),
    ],
)
def test_bare_letter(text, bare):
    assert lvbench_official.is_bare_letter(text) is bare
    assert lvbench_official.is_bare_letter("E", "ABCDE")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  (B) x (C)", "B"),
        ("((A))", ""),
        ("x ( A", "A"),
        (")A", ""),
        ("\u3000\u00a0C", "C"),
        ("\ud800 A", "\ud800"),
    ],
)
def test_polish_answer(text, expected):
    assert lvbench_official.polish_answer(text) == expected
