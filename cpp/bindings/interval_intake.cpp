#include "interval_intake.h"

#include <string>

namespace fastvbench::python {
namespace {

std::string shape_of(const py::array& array) {
  std::string text = "[";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(array.shape(i));
  }
  return text + "]";
}

bool overlap_in_memory(const py::array& a, const py::array& b) {
  const auto* a_begin = static_cast<const char*>(a.data());
  const auto* b_begin = static_cast<const char*>(b.data());
  return a_begin < b_begin + b.nbytes() && b_begin < a_begin + a.nbytes();
}

[[noreturn]] void raise_bad_offset(const char* name, std::int64_t index, std::int64_t value,
                                   const std::string& problem) {
  throw py::value_error(std::string(name) + ".offsets[" + std::to_string(index) +
                        "]=" + std::to_string(value) + " " + problem);
}

}  // namespace

std::int64_t checked_pairs(const DoubleArray& values, const char* name) {
  if (values.ndim() != 2 || values.shape(1) != 2) {
    throw py::value_error(std::string(name) + " has shape " + shape_of(values) +
                          "; expected [n, 2]: start, end");
  }
  return values.shape(0);
}

IntervalColumn checked_column(const DoubleArray& values, const OffsetArray& offsets,
                              const char* name) {
  const std::int64_t count = checked_pairs(values, name);
  if (offsets.ndim() != 1 || offsets.size() == 0) {
    throw py::value_error(std::string(name) + ".offsets has shape " + shape_of(offsets) +
                          "; expected [rows + 1]");
  }
  const std::int64_t* at = offsets.data();
  const std::int64_t rows = offsets.size() - 1;
  bool ascends = at[0] == 0;
  for (std::int64_t row = 0; row < rows; ++row) ascends &= at[row] <= at[row + 1];
  if (!ascends || at[rows] != count) {
    if (at[0] != 0) raise_bad_offset(name, 0, at[0], "is not 0");
    for (std::int64_t row = 1; row <= rows; ++row) {
      if (at[row] < at[row - 1]) {
        raise_bad_offset(name, row, at[row], "is below the offset before it");
      }
      if (at[row] > count) {
        raise_bad_offset(name, row, at[row], "is beyond len(values)=" + std::to_string(count));
      }
    }
    raise_bad_offset(name, rows, at[rows],
                     "leaves values unowned; expected len(values)=" + std::to_string(count));
  }
  return {values.data(), at, rows};
}

void raise_length_mismatch(std::int64_t pred_rows, std::int64_t gold_rows) {
  throw py::value_error("pred has " + std::to_string(pred_rows) + " rows and gold has " +
                        std::to_string(gold_rows) + "; expected the same number");
}

DoubleArray result_array(const py::object& out, std::int64_t count,
                         std::initializer_list<py::array> inputs) {
  if (out.is_none()) return DoubleArray(count);
  if (!py::isinstance<py::array>(out)) {
    throw py::type_error(std::string("out is ") + Py_TYPE(out.ptr())->tp_name +
                         "; expected a numpy array of float64");
  }
  const auto array = py::reinterpret_borrow<py::array>(out);
  if (!py::isinstance<py::array_t<double>>(array)) {
    throw py::type_error("out has dtype " + py::cast<std::string>(py::str(array.dtype())) +
                         "; expected float64");
  }
  if (array.ndim() != 1 || array.shape(0) != count) {
    throw py::value_error("out has shape " + shape_of(array) + "; expected [" +
                          std::to_string(count) + "]");
  }
  if (!(array.flags() & py::array::c_style)) {
    throw py::value_error("out is not C-contiguous");
  }
  if (!array.writeable()) throw py::value_error("out is read-only");
  for (const py::array& input : inputs) {
    if (overlap_in_memory(array, input)) {
      throw py::value_error("out shares memory with an input; expected an array of its own");
    }
  }
  return py::reinterpret_borrow<DoubleArray>(array);
}

}  // namespace fastvbench::python
