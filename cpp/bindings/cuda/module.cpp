// The _cuda extension: registers each family and nothing else. Importing it asks nothing of a
// driver.
#include "cuda/device_array.h"

PYBIND11_MODULE(_cuda, module, pybind11::mod_gil_not_used()) {
  module.doc() = "CUDA kernels of fastvbench; use the fastvbench package instead.";
  fastvbench::python::register_devices(module);
  fastvbench::python::register_device_intervals(module);
  fastvbench::python::register_device_search(module);
}
