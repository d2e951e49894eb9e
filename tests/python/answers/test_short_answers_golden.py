"""Our own cases: each says which answer or number a careful reader takes, or why none."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.reference.short_answer_numbers import read_numbers
from tests.reference.short_answers import read

from fastvbench.answers._short_answers import answer_numbers, careful_texts, read_short_answers

GOLDEN = Path(__file__).parents[2] / "golden"
CASES = json.loads((GOLDEN / "short_answer_cases.json").read_text(encoding="utf-8"))
NUMBERS = json.loads((GOLDEN / "answer_number_cases.json").read_text(encoding="utf-8"))
RULES = sorted({case["rule"] for case in CASES})


def named(status, text):
    return text if status.lower() == "ok" else {"status": status.lower()}


@pytest.mark.parametrize("rule", RULES)
def test_twin_and_kernel_read_each_case_as_a_careful_reader_does(rule):
    cases = [case for case in CASES if case["rule"] == rule]
    texts = [case["text"] for case in cases]
    answers = read_short_answers(texts)
    wrong = []
    for case, status, span in zip(cases, answers.reasons(), answers.spans.tolist(), strict=True):
        raw = (case["text"] or "").encode()
        twin = read(case["text"])
        given = [
            named(status, raw[span[0] : span[1]].decode()),
            named(twin.status.name, raw[twin.span[0] : twin.span[1]].decode()),
        ]
        wrong += [(case["text"], case["expected"], given)] * (given != [case["expected"]] * 2)
    assert not wrong


def test_twin_and_kernel_read_each_number_as_a_careful_reader_does():
    numbers = answer_numbers([case["text"] for case in NUMBERS])
    wrong = []
    for case, value in zip(NUMBERS, numbers.values.tolist(), strict=True):
        given = [
            None if math.isnan(v) else v for v in (value, read_numbers(case["text"].encode()).value)
        ]
        wrong += [(case["text"], case["value"], given)] * (given != [case["value"]] * 2)
    assert not wrong


def test_what_stands_beside_a_number():
    numbers = answer_numbers(["4.2 million", "45%", "2015", "in 2015: 3", "10k", "1 or 2", "x"])
    assert numbers.scales.tolist() == [1e6, 1.0, 1.0, 1.0, 1e3, 1.0, 1.0]
    assert numbers.percents.tolist() == [False, True, False, False, False, False, False]
    assert [y for y in numbers.years.tolist() if not math.isnan(y)] == [2015.0, 2015.0]
    assert numbers.several.tolist() == [False, False, False, False, False, True, False]


@pytest.mark.parametrize(
    "texts",
    [
        ["The Red Car.", "red car", "**red** _car_", "Ｒed，car"],
        ["3", "three", "3.0", "Three."],
        ["1,000", "1000", "1000.00"],
        ["well-known", "Well known"],
        ["50 %", "50%"],
        ["the", "The."],
    ],
)
def test_texts_that_a_careful_reader_takes_for_the_same(texts):
    assert len(set(careful_texts(texts))) == 1


@pytest.mark.parametrize("texts", [["50%", "50"], ["red", "reds"], ["1.5", "15"], ["a b", "ab"]])
def test_texts_that_differ(texts):
    assert len(set(careful_texts(texts))) == len(texts)


def test_both_readings_without_a_declaration_and_one_with():
    answers = read_short_answers(["The title is Where there is a will", "Answer: a will"])
    assert answers.texts() == ["a will", "a will"]
    assert answers.texts(whole=True) == ["The title is Where there is a will", "a will"]
