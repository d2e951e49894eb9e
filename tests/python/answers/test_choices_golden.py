"""Our own cases: each says which option a careful reader takes, or why none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reference.choices import parse

from fastvbench.answers import parse_choice

CASES = json.loads(
    (Path(__file__).parents[2] / "golden" / "choice_cases.json").read_text(encoding="utf-8")
)
RULES = sorted({case["rule"] for case in CASES})


def given(index: int, status_name: str) -> str:
    return chr(ord("A") + index) if index >= 0 else status_name


@pytest.mark.parametrize("rule", RULES)
def test_twin_reads_each_case_as_a_careful_reader_does(rule):
    wrong = []
    for case in CASES:
        if case["rule"] != rule:
            continue
        parsed = parse(case["text"], case["options"])
        answer = given(parsed.index, parsed.status.name.lower())
        if answer != case["expected"]:
            wrong.append((case["text"], case["options"], answer, case["expected"]))
    assert not wrong


@pytest.mark.parametrize("rule", RULES)
def test_kernel_reads_each_case_as_a_careful_reader_does(rule):
    cases = [case for case in CASES if case["rule"] == rule]
    choices = parse_choice(
        [case["text"] for case in cases], options=[case["options"] for case in cases]
    )
    wrong = [
        (case["text"], case["options"], answer, case["expected"])
        for case, index, reason in zip(
            cases, choices.index.tolist(), choices.reasons(), strict=True
        )
        if (answer := given(index, reason)) != case["expected"]
    ]
    assert not wrong


def test_spans_hold_the_letter_that_was_read():
    letters = [case for case in CASES if isinstance(case["options"], int) and case["text"]]
    choices = parse_choice(
        [case["text"] for case in letters], options=[case["options"] for case in letters]
    )
    read = 0
    for case, letter, (begin, end) in zip(
        letters, choices.letters(), choices.spans.tolist(), strict=True
    ):
        if letter is not None:
            raw = case["text"].encode("utf-8", "surrogatepass")[begin:end].decode()
            assert chr(ord(raw.upper()) - (0xFEE0 if ord(raw) > 0xFF00 else 0)) == letter
            read += 1
    assert read > 200
