"""Lists of numbers taken up by the core: the same numbers as one by one, whatever they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.intervals import columns

from fastvbench import _core

numbers = (
    st.floats(allow_nan=True)
    | st.integers(-5, 5)
    | st.sampled_from([10**400, -(10**400), 2**63, np.float64(0.5)])
)
others = st.none() | st.booleans() | st.text(max_size=2) | st.just([1.0]) | st.just(1j)


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def plain(value):
    if not is_number(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def listed(values, most=4):
    rows = st.lists(values, max_size=most)
    return rows | rows.map(tuple)


@columns.without_deadline
@given(st.lists(listed(numbers | others) | others, max_size=6))
def test_numbers_are_those_read_one_by_one(rows):
    values, counts = _core.number_rows(rows)
    taken = [row if isinstance(row, list | tuple) else [] for row in rows]
    assert counts.tolist() == [len(row) for row in taken]
    np.testing.assert_array_equal(values, np.array([plain(x) for row in taken for x in row]))


pairs = st.tuples(numbers, numbers) | st.lists(numbers, min_size=2, max_size=2)


@columns.without_deadline
@given(st.lists(st.none() | listed(pairs), max_size=6))
def test_pairs_are_those_read_one_by_one(rows):
    values, counts, places = _core.pair_rows(rows)
    assert places.tolist() == [k for k, row in enumerate(rows) if row is not None]
    assert counts.tolist() == [len(row) for row in rows if row is not None]
    expected = [[plain(x) for x in pair] for row in rows if row is not None for pair in row]
    np.testing.assert_array_equal(values, np.array(expected).reshape(-1, 2))


@pytest.mark.parametrize(
    "row", [[1.0, 2.0], "ab", 3, [[1.0]], [[1.0, 2.0, 3.0]], [[True, 2.0]], [["1", 2.0]], {}]
)
def test_rows_of_another_shape_are_left_to_others(row):
    assert _core.pair_rows([[[0.0, 1.0]], None, row]) is None


def test_only_lists_are_taken():
    with pytest.raises(TypeError):
        _core.number_rows(([1.0],))
