from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.python.intervals import columns

from fastvbench.core._status import Flag, Status
from fastvbench.intervals import Intervals, interval_set_iou, temporal_iou
from fastvbench.intervals._column import as_intervals, as_pairs


def test_rows_come_back():
    rows = [[(1.0, 2.0), (3.0, 4.5)], [], [(0.0, 0.0)]]
    column = Intervals.from_rows(rows)
    assert column.rows() == rows
    assert len(column) == 3
    assert column.values.dtype == np.float64
    assert column.values.shape == (3, 2)
    assert column.offsets.tolist() == [0, 2, 2, 3]
    assert column.reasons() == ["ok", "no_answer", "ok"]
    assert column.status.dtype == np.uint8
    assert column.flags.tolist() == [0, 0, 0]
    assert column.flags.dtype == np.uint16
    assert column.spans.shape == (3, 2)
    assert repr(column) == "Intervals(rows=3, intervals=3)"


def test_no_rows():
    column = Intervals.from_rows([])
    assert column.rows() == []
    assert column.reasons() == []
    assert len(column) == 0


@columns.without_deadline
@given(columns.columns())
def test_any_rows_come_back(both):
    for rows in both:
        assert Intervals.from_rows(rows).rows() == rows


def test_what_the_parser_knows_is_kept():
    column = Intervals(
        np.array([[1.0, 2.0]]),
        np.array([0, 1, 1]),
        status=np.array([Status.OK, Status.REFUSED], np.uint8),
        flags=np.array([Flag.SWAPPED], np.uint16),
        spans=np.array([[3, 9]]),
    )
    assert column.reasons() == ["ok", "refused"]
    assert column.flags.tolist() == [Flag.SWAPPED]
    assert column.spans.tolist() == [[3, 9]]


def test_arrays_of_the_right_type_are_shared():
    values, offsets = np.zeros((2, 2)), np.array([0, 2])
    column = Intervals.from_arrays(values, offsets)
    assert column.values is values
    assert column.offsets is offsets


def test_equality_sees_every_array():
    column = Intervals.from_rows([[(1, 2)], []])
    assert column == Intervals.from_rows([[(1, 2)], []])
    assert column != Intervals.from_rows([[], [(1, 2)]])
    assert column != Intervals.from_rows([[(1, 3)], []])
    assert column != Intervals(column.values, column.offsets, status=[0, 4])
    assert column != Intervals(column.values, column.offsets, flags=[8])
    assert column != Intervals(column.values, column.offsets, spans=[[0, 1]])
    assert column != "column"
    with pytest.raises(TypeError):
        hash(column)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((38, 2)), [0] * 12 + [40]), r"offsets\[12\]=40 is beyond len\(values\)=38"),
        ((np.zeros((2, 2)), [0, 2, 1]), r"offsets\[2\]=1 is below offsets\[1\]=2"),
        ((np.zeros((2, 2)), [1, 2]), r"offsets\[0\]=1 is not 0"),
        ((np.zeros((2, 2)), [0, 1]), r"offsets\[1\]=1 leaves values unowned"),
        ((np.zeros((2, 2)), []), "offsets has dtype float64|offsets has shape"),
        ((np.zeros((2, 3)), [0, 2]), r"values has shape \[2, 3\]; expected \[n, 2\]"),
        ((np.zeros(2), [0, 2]), r"values has shape \[2\]"),
        (([[1, 2], [3]], [0, 2]), "values is ragged"),
        ((np.zeros((1, 2)), [0, 1], [15]), r"status\[0\]=15 is outside 0 to 14"),
        ((np.zeros((1, 2)), [0, 1], [300]), r"status\[0\]=300 is outside 0 to 14"),
        ((np.zeros((1, 2)), [0, 1], [0, 0]), r"status has shape \[2\]; expected \[1\]"),
        ((np.zeros((1, 2)), [0, 1], None, [70000]), r"flags\[0\]=70000 is outside"),
        ((np.zeros((1, 2)), [0, 1], None, None, [[1]]), r"spans has shape \[1, 1\]"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Intervals(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((1, 2), bool), [0, 1]), "values has dtype bool"),
        ((np.zeros((1, 2)), [0.0, 1.0]), "offsets has dtype float64"),
        ((np.zeros((1, 2)), [0, 1], ["ok"]), "status has dtype"),
        ((3, [0, 1]), "values is int; expected an array"),
    ],
)
def test_arrays_of_another_kind_are_refused(arguments, message):
    with pytest.raises(TypeError, match=message):
        Intervals(*arguments)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[(1, 2)], [(1, 2), (1, 2, 3)]], r"rows\[1\]\[1\] is \(1, 2, 3\)"),
        ([[(1, 2)], [(1, "a")]], r"rows\[1\]\[0\] is \(1, 'a'\)"),
        ([[(1, 2)], [("1", "2")]], r"rows\[1\]\[0\] is \('1', '2'\)"),
        ([[(None, 2)]], r"rows\[0\]\[0\] is \(None, 2\)"),
        ([[1, 2]], r"rows\[0\]\[0\] is 1; expected \(start, end\)"),
        ([[(10**400, 2)]], r"rows\[0\]\[0\] is \(1000"),
    ],
)
def test_rows_that_hold_no_pairs_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        Intervals.from_rows(rows)


@pytest.mark.parametrize("row", ["ab", None, 3, b"12"])
def test_a_row_of_another_kind_is_refused(row):
    with pytest.raises(TypeError, match=r"rows\[1\] is .*; expected a list of \(start, end\)"):
        Intervals.from_rows([[(1, 2)], row])


def test_everything_that_holds_intervals_is_taken():
    rows = [[(1.0, 2.0)], [(3.0, 4.0)]]
    pairs = [(1.0, 2.0), (3.0, 4.0)]
    for given_form in (
        rows,
        tuple(rows),
        pairs,
        [list(pair) for pair in pairs],
        np.array(pairs),
        np.array(pairs, np.float32),
        np.array(pairs, np.int16),
        np.array(pairs, order="F"),
        np.array(pairs)[::-1][::-1],
        Intervals.from_rows(rows),
    ):
        assert as_intervals(given_form, "pred").rows() == rows
        assert as_pairs(given_form, "pred").tolist() == [list(pair) for pair in pairs]


def test_dlpack_without_numpy_protocol_is_taken():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **arguments):
            return self.array.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    pairs = np.array([[1.0, 3.0]])
    assert temporal_iou(Tensor(pairs), Tensor(pairs)).tolist() == [1.0]


def test_empty_rows_first():
    assert as_intervals([[], [(1, 2)]], "pred").rows() == [[], [(1.0, 2.0)]]
    assert as_intervals([[], []], "pred").rows() == [[], []]
    assert as_intervals([], "pred").rows() == []
    assert as_intervals(np.empty((0, 2)), "pred").rows() == []


@pytest.mark.parametrize("value", [3, "0-4", {"a": 1}, object()])
def test_other_things_are_refused_by_name(value):
    with pytest.raises(TypeError, match=r"gold is .*; expected Intervals"):
        interval_set_iou([], value)


def test_one_interval_per_row_is_asked_for():
    with pytest.raises(ValueError, match="pred row 1 has 0 intervals; expected exactly one"):
        temporal_iou([[(1, 2)], []], [(1, 2), (1, 2)])
    with pytest.raises(ValueError, match="gold row 0 has 2 intervals"):
        temporal_iou([(1, 2)], [[(1, 2), (3, 4)]])


def test_offsets_changed_afterwards_are_seen():
    column = Intervals(np.zeros((3, 2)), np.array([0, 1, 3]))
    column.offsets[1] = 4
    with pytest.raises(ValueError, match=r"pred\.offsets\[1\]=4 is beyond len\(values\)=3"):
        interval_set_iou(column, [[], []])
    column.offsets[:] = [0, -1, 3]
    with pytest.raises(ValueError, match=r"gold\.offsets\[1\]=-1 is below the offset before"):
        interval_set_iou([[], []], column)
    column.offsets[:] = [1, 1, 3]
    with pytest.raises(ValueError, match=r"gold\.offsets\[0\]=1 is not 0"):
        interval_set_iou([[], []], column)
    column.offsets[:] = [0, 1, 2]
    with pytest.raises(ValueError, match=r"gold\.offsets\[2\]=2 leaves values unowned"):
        interval_set_iou([[], []], column)
