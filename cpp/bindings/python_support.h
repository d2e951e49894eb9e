// What every bind_<family>.cpp uses: arrays that own core memory, run contexts that hear Ctrl-C,
// and statuses turned into Python exceptions. Included first, so pybind11 precedes the standard.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/typing.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "fastvbench/buffer.h"
#include "fastvbench/run_context.h"
#include "fastvbench/status.h"

namespace fastvbench::python {

namespace py = pybind11;

/// A numpy array of the given shape that takes over the buffer's memory: no copy.
template <typename T>
py::array_t<T> to_array(Buffer<T>&& buffer, std::vector<py::ssize_t> shape) {
  T* data = buffer.release();
  if (data == nullptr) return py::array_t<T>(std::move(shape));  // no values: numpy's own memory
  py::capsule owner(data, [](void* memory) { std::free(memory); });
  return py::array_t<T>(std::move(shape), data, owner);
}

/// A RunContext whose poll looks at pending signals, at most every 20 ms. Lives on the stack of the
/// bound function, which is called with the GIL held and releases it around the kernel.
class InterruptibleRun {
 public:
  explicit InterruptibleRun(std::int32_t threads) {
    context_.threads = threads;
    context_.poll = &InterruptibleRun::poll;
    context_.poll_data = this;
    last_look_ = std::chrono::steady_clock::now();
  }
  InterruptibleRun(const InterruptibleRun&) = delete;
  InterruptibleRun& operator=(const InterruptibleRun&) = delete;

  const RunContext& context() const { return context_; }

 private:
  static bool poll(void* data);

  RunContext context_;
  std::chrono::steady_clock::time_point last_look_;
};

/// Raises what `status` says, or does nothing where it is ok. `argument` names the Python argument
/// that a refused row belongs to: "pred[12]: end before start, got 3.5".
void raise_if_failed(const Status& status, const char* argument);

/// The `threads` argument: negative counts are refused.
std::int32_t checked_threads(std::int64_t threads);

void register_runtime(py::module_& module);
void register_timestamps(py::module_& module);
void register_choices(py::module_& module);
void register_choice_letters(py::module_& module);
void register_short_answers(py::module_& module);
void register_intervals(py::module_& module);
void register_highlights(py::module_& module);
void register_number_lists(py::module_& module);
void register_search(py::module_& module);

}  // namespace fastvbench::python
