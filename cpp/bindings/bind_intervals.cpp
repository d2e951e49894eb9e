#include "python_support.h"

namespace fastvbench::python {

void register_intervals(py::module_&) {}

}  // namespace fastvbench::python
