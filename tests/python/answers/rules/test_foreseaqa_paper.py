from __future__ import annotations

import math

import pytest

from fastvbench.answers.rules.foreseaqa_paper import interval_iou


@pytest.mark.parametrize(
    ("pred", "gold", "expected"),
    [
        ((0.0, 10.0), (5.0, 20.0), 0.25),
        ((5.0, 20.0), (5.0, 20.0), 1.0),
        ((0.0, 1.0), (5.0, 20.0), 0.0),
        ((20.0, 5.0), (5.0, 20.0), 0.0),  # reversed: the formula's own value
        ((9.0, 2.0), (5.0, 6.0), 0.0),  # reversed: the denominator is 6 - 5
        ((9.0, 2.0), (8.0, 3.0), 0.0),  # both reversed: the denominator is negative
        ((5.0, 5.0), (5.0, 5.0), 0.0),
        ((math.inf, math.inf), (5.0, 6.0), 0.0),
        ((5.0, math.inf), (5.0, 6.0), 0.0),
    ],
)
def test_interval_iou(pred, gold, expected):
    assert interval_iou(pred, gold) == expected
