from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.answers.rules import original_choices as original
from tests.python.answers.rules.fuzzed_texts import choice_texts, differential

from fastvbench.answers.rules import lmms_eval_2026_08_choices as rules
from fastvbench.answers.rules import lmms_eval_pre_1274

mvbench_texts = st.lists(
    st.sampled_from([*"ABCDEFabcde", *"...,,;/[]{}()=+_-><@`?!'\"\\", *" \n\t", "1", "1,2", "x"]),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A.", "A"),
        ("a. red", "A"),
        ("A.\n\n red", "A"),
        ("B. red\nC. blue", "B"),  # two lines: read as words, and the first letter is B's
        ("it is (c)", "C"),
        ("a man", "A"),
        ("an e-mail", "E"),  # the dash becomes a space
        ("F", ""),
        ("1,000-b", ""),  # a number with a comma: marks are deleted, "1000b"
        ("." * 32 + "b", "B"),
        ("x" + "." * 33 + "b", "B"),  # one full stop stays, and parts the words
        ("x" + "." * 32 + "b", ""),
        ("", ""),
    ],
)
def test_mvbench_letter(text, expected):
    assert rules.mvbench_letter(text) == expected


@differential
@given(st.one_of(choice_texts, mvbench_texts))
def test_mvbench_letter_equals_the_original(text):
    processed = original.lmms_mvbench(text)
    assert rules.mvbench_letter(text) == (processed if processed in set("ABCDE") else "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The best option is E", "E"),
        ("Best option: D", "D"),
        ("Best answer: C", "C"),
        ("Answer: B", "A"),
        ("Everything", "E"),
        ("none of it", ""),
    ],
)
def test_longvideobench_letter(text, expected):
    assert rules.longvideobench_letter(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [(" C ", "C"), ("C.", "C."), ("(B) two (C)", "B"), (")", ""), ("B) two", "B"), ("", "")],
)
def test_mlvu_letter_before_the_shared_extractor(text, expected):
    assert lmms_eval_pre_1274.mlvu_letter(text) == expected
