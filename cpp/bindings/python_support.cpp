#include "python_support.h"

#include <new>
#include <string>

namespace fastvbench::python {

bool InterruptibleRun::poll(void* data) {
  auto* run = static_cast<InterruptibleRun*>(data);
  const auto now = std::chrono::steady_clock::now();
  if (now - run->last_look_ < std::chrono::milliseconds(20)) return false;
  run->last_look_ = now;
  py::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;  // the exception stays set for raise_if_failed
}

void raise_if_failed(const Status& status, const char* argument) {
  switch (status.code) {
    case Code::kOk:
      return;
    case Code::kOutOfMemory:
      throw std::bad_alloc();
    case Code::kCancelled:
      if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    case Code::kInvalidArgument:
      break;
  }
  std::string message = argument;
  if (status.row >= 0) message += "[" + std::to_string(status.row) + "]";
  message += std::string(": ") + status.what + ", got " +
             py::cast<std::string>(py::repr(py::float_(status.value)));
  throw py::value_error(message);
}

std::int32_t checked_threads(std::int64_t threads) {
  if (threads < 0 || threads > INT32_MAX) {
    throw py::value_error("threads=" + std::to_string(threads) +
                          " is not a thread count; expected 0 (all) or more");
  }
  return static_cast<std::int32_t>(threads);
}

}  // namespace fastvbench::python
