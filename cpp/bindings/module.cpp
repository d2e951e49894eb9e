// The _core extension: registers each family and nothing else.
#include "python_support.h"

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  module.doc() = "Compiled kernels of fastvbench; use the fastvbench package instead.";
  fastvbench::python::register_runtime(module);
  fastvbench::python::register_timestamps(module);
  fastvbench::python::register_choices(module);
  fastvbench::python::register_choice_letters(module);
  fastvbench::python::register_short_answers(module);
  fastvbench::python::register_intervals(module);
  fastvbench::python::register_highlights(module);
  fastvbench::python::register_number_lists(module);
  fastvbench::python::register_search(module);
}
