"""Whole numbers beyond float64, which JSON allows, wherever a file may hold a number."""

from __future__ import annotations

import math

import pytest

from fastvbench import InputError, score
from fastvbench.core._numbers import as_float
from fastvbench.formats._batch import as_text

BEYOND = 10**400


@pytest.mark.parametrize(
    ("number", "expected"), [(BEYOND, math.inf), (-BEYOND, -math.inf), (3, 3.0)]
)
def test_a_number_beyond_float64_is_infinite(number, expected):
    assert as_float(number) == expected


def test_a_number_beyond_float64_is_a_text_like_any_other():
    ledger = {}
    assert as_text(BEYOND, ledger) == str(BEYOND)
    assert not ledger


CHOICE = {"video": "v", "question": "q", "candidates": ["a", "b"], "answer": "a"}


@pytest.mark.parametrize(
    ("protocol", "row"),
    [
        ("mlvu", CHOICE | {"question_type": "count", "duration": BEYOND}),
        (
            "longvideobench",
            CHOICE | {"id": "1", "video_id": "v", "correct_choice": 0, "duration": BEYOND},
        ),
        ("mvbench", CHOICE | {"task_type": "action_count", "start": 0, "end": BEYOND}),
    ],
)
def test_a_length_beyond_float64_stops_no_choice_set(protocol, row):
    data = score(protocol, {"1": "A", "count_0": "A", "action_count_0": "A"}, [row]).data
    assert data["rules"]["robust"]["overall"]["accuracy"]["value"] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [({"duration": BEYOND}, "not a duration"), ({"gt": [[0, BEYOND]]}, "not an interval")],
)
def test_gold_times_beyond_float64_are_named(change, message):
    row = {"query_id": 1, "video_id": "v", "duration": 9, "query": "q", "gt": [[0, 1]]} | change
    with pytest.raises(InputError, match=message):
        score("vue_tr", {"1": "0 to 1"}, [row])
