// What a person or a test asks of the running core: versions, CPU levels, thread count.
#include "python_support.h"
//
#include <pybind11/typing.h>

#include <string>

#include "fastvbench/answer_status.h"
#include "fastvbench/cpu_level.h"
#include "fastvbench/parallel.h"

namespace fastvbench::python {
namespace {

py::typing::List<py::str> available_levels() {
  py::typing::List<py::str> names;
  for (int level = 0; level <= static_cast<int>(best_cpu_level()); ++level) {
    names.append(cpu_level_name(static_cast<CpuLevel>(level)));
  }
  return names;
}

void choose_level(const std::string& name) {
  const int level = cpu_level_from_name(name.c_str());
  if (level < 0 || !set_cpu_level(static_cast<CpuLevel>(level))) {
    throw py::value_error("CPU level '" + name + "' is not available here; expected one of " +
                          py::cast<std::string>(py::repr(available_levels())));
  }
}

// No default: the compiler names an enumerator that is added without its name here.
const char* status_name(AnswerStatus status) {
  switch (status) {
    case AnswerStatus::kOk:
      return "ok";
    case AnswerStatus::kMissing:
      return "missing";
    case AnswerStatus::kEmpty:
      return "empty";
    case AnswerStatus::kTruncated:
      return "truncated";
    case AnswerStatus::kRefused:
      return "refused";
    case AnswerStatus::kNoAnswer:
      return "no_answer";
    case AnswerStatus::kAmbiguous:
      return "ambiguous";
    case AnswerStatus::kNotAnOption:
      return "not_an_option";
    case AnswerStatus::kNoNumber:
      return "no_number";
    case AnswerStatus::kOneNumber:
      return "one_number";
    case AnswerStatus::kNoDuration:
      return "no_duration";
    case AnswerStatus::kOutOfRange:
      return "out_of_range";
    case AnswerStatus::kNotFinite:
      return "not_finite";
    case AnswerStatus::kNeedsJudge:
      return "needs_judge";
    case AnswerStatus::kError:
      return "error";
  }
  return nullptr;
}

const char* flag_name(IntervalFlag flag) {
  switch (flag) {
    case kFlagSwapped:
      return "swapped";
    case kFlagClampedStart:
      return "clamped_start";
    case kFlagClampedEnd:
      return "clamped_end";
    case kFlagZeroLength:
      return "zero_length";
    case kFlagFromPercent:
      return "from_percent";
    case kFlagFromClock:
      return "from_clock";
    case kFlagToEnd:
      return "to_end";
  }
  return nullptr;
}

py::typing::Dict<py::str, py::int_> status_numbers() {
  py::typing::Dict<py::str, py::int_> numbers;
  for (int value = 0; value < 256; ++value) {
    const char* name = status_name(static_cast<AnswerStatus>(value));
    if (name != nullptr) numbers[name] = value;
  }
  return numbers;
}

py::typing::Dict<py::str, py::int_> flag_bits() {
  py::typing::Dict<py::str, py::int_> bits;
  for (int bit = 0; bit < 16; ++bit) {
    const char* name = flag_name(static_cast<IntervalFlag>(1 << bit));
    if (name != nullptr) bits[name] = 1 << bit;
  }
  return bits;
}

}  // namespace

void register_runtime(py::module_& module) {
  module.attr("__version__") = FASTVBENCH_VERSION;
  module.def(
      "cpu_level", [] { return std::string(cpu_level_name(cpu_level())); },
      "Name of the CPU level in use.");
  module.def("set_cpu_level", &choose_level, py::arg("name"),
             "Use another CPU level in this process (tests run every level this way).");
  module.def("available_cpu_levels", &available_levels, "Levels that this machine can run.");
  module.def("cpu_level_request_refused", &cpu_level_request_refused,
             "True where FASTVBENCH_CPU_LEVEL names no level of this machine.");
  module.def(
      "default_threads", [] { return thread_count(RunContext{}, INT64_MAX); },
      "Threads that threads=0 stands for.");
  module.def("status_numbers", &status_numbers,
             "Name and number of each status a row may have; equal to core._status.Status.");
  module.def("flag_bits", &flag_bits,
             "Name and bit of each flag an interval may carry; equal to core._status.Flag.");
}

}  // namespace fastvbench::python
