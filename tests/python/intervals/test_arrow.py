"""Arrow columns of interval lists, in every layout that producers make of them."""

from __future__ import annotations

import numpy as np
import pytest

from fastvbench.intervals import Intervals, interval_set_iou, temporal_iou

ROWS = [[(1.0, 2.0), (3.0, 4.0)], [], [(5.0, 6.0)], [(7.0, 7.5), (8.0, 9.0), (9.0, 10.0)]]


@pytest.fixture
def pyarrow():
    return pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture
def polars():
    return pytest.importorskip("polars", reason="polars is not installed")


def pair_types(pa):
    return [
        pa.list_(pa.float64(), 2),
        pa.list_(pa.float64()),
        pa.large_list(pa.float64()),
        pa.list_(pa.float32(), 2),
        pa.list_(pa.int32(), 2),
    ]


def test_every_list_of_every_pair(pyarrow):
    pa = pyarrow
    integral = [[(float(int(s)), float(int(e))) for s, e in row] for row in ROWS]
    for pair_type in pair_types(pa):
        for list_type in (pa.list_(pair_type), pa.large_list(pair_type)):
            rows = integral if pa.types.is_integer(pair_type.value_type) else ROWS
            column = Intervals.from_arrow(pa.array(rows, list_type))
            assert column.rows() == rows, list_type
            assert column.reasons() == ["ok", "no_answer", "ok", "ok"]


def test_structs(pyarrow):
    pa = pyarrow
    pair = pa.struct([("start", pa.float64()), ("end", pa.float32())])
    rows = [[{"start": s, "end": e} for s, e in row] for row in ROWS]
    assert Intervals.from_arrow(pa.array(rows, pa.list_(pair))).rows() == ROWS


def test_fixed_size_rows(pyarrow):
    pa = pyarrow
    rows = [[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)]]
    kind = pa.list_(pa.list_(pa.float64(), 2), 2)
    assert Intervals.from_arrow(pa.array(rows, kind)).rows() == rows
    assert Intervals.from_arrow(pa.array(rows, kind)[1:]).rows() == rows[1:]


def test_slices(pyarrow):
    pa = pyarrow
    for pair_type in pair_types(pa):
        if pa.types.is_integer(pair_type.value_type):
            continue
        array = pa.array(ROWS, pa.list_(pair_type))
        for begin in range(len(ROWS) + 1):
            for end in range(begin, len(ROWS) + 1):
                column = Intervals.from_arrow(array[begin:end])
                assert column.rows() == ROWS[begin:end]


def test_slices_of_the_pairs_below(pyarrow):
    pa = pyarrow
    numbers = pa.array([-1.0, -1.0, 1.0, 2.0, 3.0, 4.0])[1:]
    pairs = pa.FixedSizeListArray.from_arrays(numbers[1:], 2)[1:]
    column = Intervals.from_arrow(pa.ListArray.from_arrays([0, 0, 1], pairs))
    assert column.rows() == [[], [(3.0, 4.0)]]


def test_chunks(pyarrow):
    pa = pyarrow
    kind = pa.list_(pa.list_(pa.float64(), 2))
    chunks = [pa.array(ROWS[:1], kind), pa.array([], kind), pa.array(ROWS, kind)[1:]]
    assert Intervals.from_arrow(pa.chunked_array(chunks)).rows() == ROWS
    assert Intervals.from_arrow(pa.chunked_array([], kind)).rows() == []


def test_nulls(pyarrow):
    pa = pyarrow
    kind = pa.list_(pa.list_(pa.float64(), 2))
    column = Intervals.from_arrow(pa.array([None, *ROWS[:2], None], kind))
    assert column.rows() == [[], *ROWS[:2], []]
    assert column.reasons() == ["missing", "ok", "no_answer", "missing"]
    assert Intervals.from_arrow(pa.array([None, *ROWS[:2]], kind)[1:]).rows() == ROWS[:2]
    with pytest.raises(ValueError, match=r"obj\[1\]\[1\] is null; expected \(start, end\)"):
        Intervals.from_arrow(pa.array([ROWS[0], [(1.0, 2.0), None]], kind))
    with pytest.raises(ValueError, match=r"obj\[0\]\[0\] is null"):
        Intervals.from_arrow(pa.array([[(1.0, None)]], pa.list_(pa.list_(pa.float64()))))
    with pytest.raises(ValueError, match=r"obj\[1\]\[0\] is no pair"):
        Intervals.from_arrow(pa.array([[], [[1.0, 2.0, 3.0]]], pa.list_(pa.list_(pa.float64()))))


def test_memory_is_shared_and_outlives_its_producer(pyarrow):
    pa = pyarrow
    array = pa.array(ROWS, pa.large_list(pa.list_(pa.float64(), 2)))
    address = array.values.values.buffers()[1].address
    column = Intervals.from_arrow(array)
    assert column.values.ctypes.data == address
    assert not column.values.flags.writeable
    del array
    assert column.rows() == ROWS
    assert interval_set_iou(column, column).tolist() == [1.0, 0.0, 1.0, 1.0]


def test_polars(polars):
    pl = polars
    for kind in (pl.List(pl.Array(pl.Float64, 2)), pl.List(pl.List(pl.Float64))):
        series = pl.Series([*ROWS, None], dtype=kind)
        column = Intervals.from_arrow(series)
        assert column.rows() == [*ROWS, []]
        assert column.reasons()[-1] == "missing"
        assert Intervals.from_arrow(series[1:3]).rows() == ROWS[1:3]
    structs = [[{"start": s, "end": e} for s, e in row] for row in ROWS]
    assert Intervals.from_arrow(pl.Series(structs)).rows() == ROWS


def test_functions_take_arrow(pyarrow):
    pa = pyarrow
    kind = pa.list_(pa.list_(pa.float64(), 2))
    assert interval_set_iou(pa.array(ROWS, kind), ROWS).tolist() == [1.0, 0.0, 1.0, 1.0]
    single = pa.array([[(0.0, 4.0)], [(0.0, 2.0)]], kind)
    assert temporal_iou(single, [(0, 4), (1, 2)]).tolist() == [1.0, 0.5]


@pytest.mark.parametrize("values", [[1.0], [[1.0]], [["a"]], [{"a": 1}], [[["1", "2"]]]])
def test_other_types_are_named(pyarrow, values):
    with pytest.raises(TypeError, match=r"pred has the Arrow type .*; expected lists of pairs"):
        interval_set_iou(pyarrow.array(values), [[]])


def test_triples_are_no_pairs(pyarrow):
    pa = pyarrow
    array = pa.array([[[1.0, 2.0, 3.0]]], pa.list_(pa.list_(pa.float64(), 3)))
    with pytest.raises(TypeError, match=r"Arrow type \+l of \+w:3 of g"):
        Intervals.from_arrow(array)


@pytest.mark.parametrize("value", [[[(1, 2)]], np.zeros((1, 2)), None])
def test_what_offers_no_arrow_is_refused(value):
    with pytest.raises(TypeError, match=r"obj is .*; expected an object with __arrow_c_stream__"):
        Intervals.from_arrow(value)
