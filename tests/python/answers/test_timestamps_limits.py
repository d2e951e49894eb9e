"""Texts of any size and shape are read in linear time."""

from __future__ import annotations

import time

import pytest

import fastvbench as fvb

MANY = 100_000

SHAPES = {
    "digits": "1" * MANY,
    "digits and a range": "1" * MANY + " to " + "2" * MANY,
    "open brackets": "[" * MANY,
    "open braces": "{" * MANY,
    "pairs of braces": "{}" * (MANY // 2),
    "dashes": "-" * MANY,
    "dashes between digits": "1-" * (MANY // 2),
    "spaced dashes": "- " * (MANY // 2),
    "colons": ":" * MANY,
    "colons between digits": "1:" * (MANY // 2),
    "keys": "{a:" * (MANY // 3),
    "quoted keys": '{"a":' * (MANY // 5),
    "points": "." * MANY,
    "points between digits": "1." * (MANY // 2),
    "commas between digits": "1," * (MANY // 2),
    "thousands": "1" + ",000" * (MANY // 4),
    "tags that do not end": "<a" * (MANY // 2),
    "less-than signs": "<" * MANY,
    "thinking that starts again": "<think>" * (MANY // 7),
    "letters": "a" * MANY,
    "spaces": " " * MANY,
    "spaces after numbers": ("5" + " " * 999) * (MANY // 1000),
    "points and spaces": ("5." + " " * 998) * (MANY // 1000),
    "units": "1h" * (MANY // 2),
    "units that add up": "1h 2m 3s " * (MANY // 9),
    "to": "to " * (MANY // 3),
    "and": "5 and " * (MANY // 6),
    "refusal words": "i can " * (MANY // 6),
    "apostrophes": "i’" * (MANY // 2),
    "final answers": "answer: 5 " * (MANY // 10),
    "slashes between digits": "1/" * (MANY // 2),
    "exponents": "1e" * (MANY // 2),
    "quotes": '"' * MANY,
    "bars": "|" * MANY,
    "backslashes": "\\" * MANY,
    "CJK": "秒" * MANY,
    "full-width digits": "１" * MANY,
    "emoji": "🙂" * MANY,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_long_texts_take_linear_time(shape):
    text = SHAPES[shape]
    begin = time.process_time()
    fvb.parse_timestamps([text], durations=[100.0], threads=1)
    assert time.process_time() - begin < 0.25  # a quadratic reading takes many seconds


def test_ten_megabytes():
    text = 'The man walks. From 5 to 9 seconds he sits, {a: 1, "start": 3}. ' * 160_000
    begin = time.process_time()
    column = fvb.parse_timestamps([text], threads=1)
    assert time.process_time() - begin < 5.0
    assert len(column.values) == 160_000


def test_four_hundred_digits():
    column = fvb.parse_timestamps(["1" * 400 + " - 5", "0." + "1" * 400 + " - 5"])
    assert column.reasons() == ["not_finite", "ok"]
    assert column.values[0, 0] == float("0." + "1" * 400)
