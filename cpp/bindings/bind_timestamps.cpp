#include "python_support.h"

namespace fastvbench::python {

void register_timestamps(py::module_&) {}

}  // namespace fastvbench::python
