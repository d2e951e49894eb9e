#include "arrow_intake.h"

namespace fastvbench::python {
namespace {

void* capsule_pointer(const py::object& capsule, const char* name, const char* argument) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) {
    PyErr_Clear();
    throw py::type_error(std::string(argument) + ": its Arrow producer returned no " + name);
  }
  return pointer;
}

}  // namespace

bool ArrowColumn::offered_by(py::handle object) {
  return py::hasattr(object, "__arrow_c_stream__") || py::hasattr(object, "__arrow_c_array__");
}

ArrowColumn::ArrowColumn(py::handle object, const char* argument) {
  try {
    if (py::hasattr(object, "__arrow_c_array__")) {
      read_array(object, argument);
    } else {
      read_stream(object, argument);
    }
  } catch (...) {
    release();  // a constructor that throws runs no destructor
    throw;
  }
}

ArrowColumn::~ArrowColumn() { release(); }

void ArrowColumn::release() {
  for (ArrowArray& chunk : chunks_) {
    if (chunk.release != nullptr) chunk.release(&chunk);
  }
  chunks_.clear();
  if (schema_.release != nullptr) schema_.release(&schema_);
  schema_.release = nullptr;
}

void ArrowColumn::read_array(py::handle object, const char* argument) {
  const py::tuple pair = object.attr("__arrow_c_array__")();
  auto* schema = static_cast<ArrowSchema*>(capsule_pointer(pair[0], "arrow_schema", argument));
  auto* array = static_cast<ArrowArray*>(capsule_pointer(pair[1], "arrow_array", argument));
  // Moving out of a capsule: copy the struct and mark the source released, as the spec says.
  schema_ = *schema;
  schema->release = nullptr;
  chunks_.push_back(*array);
  array->release = nullptr;
}

void ArrowColumn::read_stream(py::handle object, const char* argument) {
  const py::object capsule = object.attr("__arrow_c_stream__")();
  auto* stream =
      static_cast<ArrowArrayStream*>(capsule_pointer(capsule, "arrow_array_stream", argument));
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* reason = stream->get_last_error(stream);
    throw py::type_error(std::string(argument) + ": its Arrow stream failed: " +
                         (reason == nullptr ? "no reason given" : reason));
  };
  check(stream->get_schema(stream, &schema_));
  for (;;) {
    ArrowArray chunk{};
    check(stream->get_next(stream, &chunk));
    if (chunk.release == nullptr) break;
    chunks_.push_back(chunk);
  }
}

std::int64_t ArrowColumn::row_count() const {
  std::int64_t rows = 0;
  for (const ArrowArray& chunk : chunks_) rows += chunk.length;
  return rows;
}

}  // namespace fastvbench::python
