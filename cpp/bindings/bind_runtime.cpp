// What a person or a test asks of the running core: versions, CPU levels, thread count.
#include "python_support.h"
//
#include <string>

#include "fastvbench/answer_status.h"
#include "fastvbench/cpu_level.h"
#include "fastvbench/parallel.h"

namespace fastvbench::python {
namespace {

py::list available_levels() {
  py::list names;
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
  module.attr("STATUS_NEEDS_JUDGE") = static_cast<int>(AnswerStatus::kNeedsJudge);
  module.attr("STATUS_ERROR") = static_cast<int>(AnswerStatus::kError);
}

}  // namespace fastvbench::python
