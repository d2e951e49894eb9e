"""The twin on our own cases: each says which option a careful reader takes, or why none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reference.choices import parse

CASES = json.loads(
    (Path(__file__).parents[2] / "golden" / "choice_cases.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("rule", sorted({case["rule"] for case in CASES}))
def test_twin_reads_each_case_as_a_careful_reader_does(rule):
    wrong = []
    for case in CASES:
        if case["rule"] != rule:
            continue
        parsed = parse(case["text"], case["options"])
        given = "ABCDEFGHIJ"[parsed.index] if parsed.index >= 0 else parsed.status.name.lower()
        if given != case["expected"]:
            wrong.append((case["text"], case["options"], given, case["expected"]))
        if parsed.index >= 0:
            raw = case["text"].encode("utf-8", "surrogatepass")
            begin, end = parsed.span
            assert 0 <= begin < end <= len(raw)
    assert not wrong
