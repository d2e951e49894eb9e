#include "text_intake.h"

#include <cmath>
#include <cstring>
#include <string>

namespace fastvbench::python {
namespace {

// Variable-size binary layout: validity, offsets, bytes.
template <typename Offset>
TextView offset_text(const void* source, std::int64_t row) {
  const auto& array = *static_cast<const ArrowArray*>(source);
  if (!arrow_is_valid(array, row)) return {};
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset + row;
  const auto* bytes = static_cast<const char*>(array.buffers[2]);
  return {bytes + offsets[0], static_cast<std::int64_t>(offsets[1] - offsets[0])};
}

// View layout: validity, 16-byte views, then any number of data buffers. A view holds its length
// and either up to 12 bytes in place or a prefix, a buffer number and an offset.
TextView view_text(const void* source, std::int64_t row) {
  const auto& array = *static_cast<const ArrowArray*>(source);
  if (!arrow_is_valid(array, row)) return {};
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * (array.offset + row);
  std::int32_t size = 0;
  std::memcpy(&size, view, sizeof size);
  if (size <= 12) return {view + 4, size};
  std::int32_t buffer = 0;
  std::int32_t offset = 0;
  std::memcpy(&buffer, view + 8, sizeof buffer);
  std::memcpy(&offset, view + 12, sizeof offset);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, size};
}

bool is_missing(PyObject* value) {
  return value == Py_None || (PyFloat_Check(value) && std::isnan(PyFloat_AS_DOUBLE(value)));
}

}  // namespace

ArrowTextAccessor arrow_text_accessor(const char* format) {
  if (std::strcmp(format, "u") == 0) return &offset_text<std::int32_t>;
  if (std::strcmp(format, "U") == 0) return &offset_text<std::int64_t>;
  if (std::strcmp(format, "vu") == 0) return &view_text;
  return nullptr;
}

TextIntake::TextIntake(py::handle object, const char* argument) : argument_(argument) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    sequence_ = py::reinterpret_borrow<py::object>(object);
    row_count_ = PySequence_Fast_GET_SIZE(object.ptr());
    const std::int64_t chunk = row_count_ < kChunkRows ? row_count_ : kChunkRows;
    views_.resize(static_cast<std::size_t>(chunk));
    held_.reserve(static_cast<std::size_t>(chunk));
    return;
  }
  if (!ArrowColumn::offered_by(object)) {
    throw py::type_error(std::string(argument) + ": expected a list of str or an Arrow column of " +
                         "strings, got " + Py_TYPE(object.ptr())->tp_name);
  }
  arrow_ = std::make_unique<ArrowColumn>(object, argument);
  accessor_ = arrow_text_accessor(arrow_->schema().format);
  if (accessor_ == nullptr || arrow_->schema().dictionary != nullptr) {
    throw py::type_error(std::string(argument) +
                         ": expected an Arrow column of strings, got type " +
                         (accessor_ == nullptr ? arrow_->schema().format : "dictionary") +
                         "; cast it to string first");
  }
  row_count_ = arrow_->row_count();
}

std::int64_t TextIntake::gather(std::int64_t first_row) {
  PyObject* sequence = sequence_.ptr();
  // The list may have changed size while a kernel ran without the GIL.
  if (PySequence_Fast_GET_SIZE(sequence) != row_count_) {
    throw py::value_error(std::string(argument_) + ": the list changed size while it was read");
  }
  const std::int64_t left = row_count_ - first_row;
  const std::int64_t rows = left < kChunkRows ? left : kChunkRows;
  PyObject** items = PySequence_Fast_ITEMS(sequence) + first_row;
  constexpr std::int64_t kAhead = 8;  // string headers are scattered: ask for them early
  for (std::int64_t i = 0; i < rows; ++i) {
#if defined(__GNUC__)
    if (i + kAhead < rows) __builtin_prefetch(items[i + kAhead]);
#endif
    views_[static_cast<std::size_t>(i)] = view_of(items[i], first_row + i);
  }
  return rows;
}

TextView TextIntake::view_of(PyObject* text, std::int64_t row) {
  if (!PyUnicode_Check(text)) {
    if (is_missing(text)) return {};
    throw py::type_error(std::string(argument_) + "[" + std::to_string(row) +
                         "]: expected str or None, got " + Py_TYPE(text)->tp_name);
  }
  PyObject* holder = text;
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data != nullptr) {
    Py_INCREF(text);
  } else {  // lone surrogates have no UTF-8; keep them as the three bytes they would take
    PyErr_Clear();
    holder = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    if (holder == nullptr) throw py::error_already_set();
    data = PyBytes_AS_STRING(holder);
    size = PyBytes_GET_SIZE(holder);
  }
  held_.push_back(holder);
  return {data, size};
}

void TextIntake::drop_references() {
  for (PyObject* object : held_) Py_DECREF(object);
  held_.clear();
}

}  // namespace fastvbench::python
