// Lists of numbers as prediction files hold them, taken up as flat arrays in one pass.
#include "python_support.h"
//
#include <pybind11/typing.h>

#include <limits>
#include <new>

#include "fastvbench/buffer.h"

namespace fastvbench::python {
namespace {

using DoubleArray = py::array_t<double>;
using IntArray = py::array_t<std::int64_t>;

constexpr Py_ssize_t kRowsBetweenSignals = 1 << 14;

bool is_number(PyObject* object) {
  return PyFloat_Check(object) || (PyLong_Check(object) && !PyBool_Check(object));
}

// A whole number beyond float64 is infinite.
double as_double(PyObject* number) {
  if (PyFloat_Check(number)) return PyFloat_AS_DOUBLE(number);
  const double value = PyLong_AsDouble(number);
  if (value != -1.0 || PyErr_Occurred() == nullptr) return value;
  if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw py::error_already_set();
  PyErr_Clear();
  const bool negative = py::handle(number) < py::int_(0);
  const double infinite = std::numeric_limits<double>::infinity();
  return negative ? -infinite : infinite;
}

// A list or tuple. Nothing here runs Python code while `items` is looked at, so it stays valid.
struct Items {
  PyObject** items;
  Py_ssize_t count;
};

bool is_sequence(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

Items items_of(PyObject* sequence) {
  return {PySequence_Fast_ITEMS(sequence), PySequence_Fast_GET_SIZE(sequence)};
}

void hear_signals(Py_ssize_t row) {
  if (row % kRowsBetweenSignals == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void needs_memory(bool given) {
  if (!given) throw std::bad_alloc();
}

py::typing::Tuple<DoubleArray, IntArray> number_rows(const py::typing::List<py::object>& rows) {
  Buffer<double> values;
  IntArray counts(static_cast<py::ssize_t>(rows.size()));
  std::int64_t* count = counts.mutable_data();
  for (Py_ssize_t row = 0; row < static_cast<Py_ssize_t>(counts.size()); ++row) {
    hear_signals(row);
    PyObject* given = PyList_GET_ITEM(rows.ptr(), row);
    const Items items = is_sequence(given) ? items_of(given) : Items{nullptr, 0};
    count[row] = items.count;
    const std::int64_t before = values.size();
    needs_memory(values.resize(before + items.count));
    for (Py_ssize_t i = 0; i < items.count; ++i) {
      PyObject* item = items.items[i];
      values[before + i] =
          is_number(item) ? as_double(item) : std::numeric_limits<double>::quiet_NaN();
    }
  }
  const std::int64_t size = values.size();
  return py::make_tuple(to_array(std::move(values), {size}), counts);
}

// Appends the pairs of one row; false where it is not a list of pairs of numbers.
bool append_pairs(PyObject* row, Buffer<double>* values) {
  if (!is_sequence(row)) return false;
  const Items pairs = items_of(row);
  for (Py_ssize_t k = 0; k < pairs.count; ++k) {
    if (!is_sequence(pairs.items[k])) return false;
    const Items pair = items_of(pairs.items[k]);
    if (pair.count != 2 || !is_number(pair.items[0]) || !is_number(pair.items[1])) return false;
    const double ends[2] = {as_double(pair.items[0]), as_double(pair.items[1])};
    needs_memory(values->append(ends, 2));
  }
  return true;
}

py::typing::Optional<py::typing::Tuple<DoubleArray, IntArray, IntArray>> pair_rows(
    const py::typing::List<py::object>& rows) {
  Buffer<double> values;
  Buffer<std::int64_t> counts;
  Buffer<std::int64_t> places;
  for (Py_ssize_t row = 0; row < static_cast<Py_ssize_t>(rows.size()); ++row) {
    hear_signals(row);
    PyObject* given = PyList_GET_ITEM(rows.ptr(), row);
    if (given == Py_None) continue;
    const std::int64_t before = values.size();
    if (!append_pairs(given, &values)) return py::none();
    needs_memory(counts.push_back((values.size() - before) / 2));
    needs_memory(places.push_back(row));
  }
  const std::int64_t pair_count = values.size() / 2;
  const std::int64_t row_count = counts.size();
  return py::make_tuple(to_array(std::move(values), {pair_count, 2}),
                        to_array(std::move(counts), {row_count}),
                        to_array(std::move(places), {row_count}));
}

}  // namespace

void register_number_lists(py::module_& module) {
  module.def("number_rows", &number_rows, py::arg("rows"),
             "All numbers of rows of them, NaN for what is none, and how many each row has.");
  module.def("pair_rows", &pair_rows, py::arg("rows"),
             "Pairs of rows of them, how many each row has and which rows those are that are not "
             "None; None where any other is not a list of pairs of numbers.");
}

}  // namespace fastvbench::python
