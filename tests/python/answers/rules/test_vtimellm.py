from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastvbench.answers.rules import PublicScriptAborts, vtimellm


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 050 to 100", (0.5, 0.1)),
        ("from 17 to 34, then 40 and 50", (0.17, 0.34)),
        ("between 17 and 34", (0.17, 0.34)),
        ("17  to 34", None),
        ("17-34", None),
        ("٣٣ to ٩٩", (0.33, 0.99)),
    ],
)
def test_intervals(text, expected):
    assert vtimellm.intervals_fraction(text) == expected


def test_rounding_lifts_an_iou_over_the_threshold():
    pred, gold = (0.0, 0.296), (0.0, 1.0)
    assert vtimellm.rounded_iou(pred, gold) == 0.3
    assert vtimellm.rounded_iou((0.0, 0.294), gold) == 0.29


def test_no_prediction_and_reversed_score_zero():
    assert vtimellm.rounded_iou(None, (0.1, 0.2)) == 0.0
    assert vtimellm.rounded_iou((0.5, 0.1), (0.1, 0.5)) == 0.0
    assert vtimellm.rounded_iou((0.5, 0.1), (0.2, 0.3)) == 0.0  # negative hull


def test_a_hull_without_length_aborts():
    with pytest.raises(PublicScriptAborts, match="ZeroDivisionError"):
        vtimellm.rounded_iou((0.5, 0.5), (0.5, 0.5))
    with pytest.raises(PublicScriptAborts, match="ZeroDivisionError"):
        vtimellm.rounded_iou((0.5, 0.1), (0.5, 0.5))


hundredths = st.integers(0, 99).map(lambda value: value / 100)


@given(st.lists(hundredths, min_size=4, max_size=4))
def test_rounding_moves_an_iou_by_half_a_hundredth_at_most(values):
    pred, gold = tuple(sorted(values[:2])), tuple(sorted(values[2:]))
    hull = max(pred[1], gold[1]) - min(pred[0], gold[0])
    if hull > 0:
        exact = max(0.0, min(pred[1], gold[1]) - max(pred[0], gold[0])) / hull
        assert abs(vtimellm.rounded_iou(pred, gold) - exact) <= 0.005 + 1e-12
