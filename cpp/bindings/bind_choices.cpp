#include "python_support.h"

namespace fastvbench::python {

void register_choices(py::module_&) {}

}  // namespace fastvbench::python
