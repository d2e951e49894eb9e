// Interval columns from Python: numpy arrays checked before a kernel sees them, and Arrow lists.
#pragma once

#include "python_support.h"
//
#include <pybind11/typing.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "fastvbench/intervals.h"

namespace fastvbench::python {

using DoubleArray = py::array_t<double, py::array::c_style>;
using OffsetArray = py::array_t<std::int64_t, py::array::c_style>;

/// Rows of a float64 [n, 2] array; raises ValueError for another shape.
std::int64_t checked_pairs(const DoubleArray& values, const char* name);

/// A column over the two arrays. Raises ValueError where the offsets don't fit the values: they may
/// have been changed after the Python object was made, and kernels trust them.
IntervalColumn checked_column(const DoubleArray& values, const OffsetArray& offsets,
                              const char* name);

[[noreturn]] void raise_length_mismatch(std::int64_t pred_rows, std::int64_t gold_rows);

/// `out` as the array to write, or a new one where it is None. Raises TypeError or ValueError for
/// an `out` that is not a writeable C-contiguous float64 [count] apart from the inputs.
DoubleArray result_array(const py::object& out, std::int64_t count,
                         std::initializer_list<py::array> inputs);

/// (values float64 [m, 2], offsets int64 [n + 1], bool [n] true where the row is null, or None).
py::typing::Tuple<DoubleArray, OffsetArray, py::typing::Optional<py::array_t<bool>>>
intervals_from_arrow(const py::object& object, const std::string& name);

}  // namespace fastvbench::python
