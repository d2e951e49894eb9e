// What CUDA devices there are, and the arrays and streams that cross from Python.
#include "cuda/device_array.h"
//
#include <string>

namespace fastvbench::python {
namespace {

std::string version_text(std::int32_t version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Empty where device 0 or a later one can be used.
std::string why_unusable() {
  cuda::Installation installation;
  cuda::CudaStatus status;
  {
    py::gil_scoped_release no_gil;
    status = cuda::find_devices(&installation);
  }
  if (installation.driver_version == 0) return "there is no CUDA driver on this machine";
  constexpr std::int32_t kInsufficientDriver = 35;
  if (status.code == kInsufficientDriver) {
    return "the driver knows CUDA " + version_text(installation.driver_version) +
           ", and this installation was built with CUDA " +
           version_text(installation.runtime_version);
  }
  if (!status.ok()) return std::string("CUDA finds no device: ") + status.message;
  std::string too_old;
  for (std::int32_t device = 0; device < installation.device_count; ++device) {
    cuda::DeviceDescription description;
    const cuda::CudaStatus described = cuda::describe_device(device, &description);
    if (!described.ok()) return std::string("CUDA can't describe a device: ") + described.message;
    if (description.has_code()) return "";
    too_old = std::string(description.name) + " has compute capability " +
              std::to_string(description.major) + "." + std::to_string(description.minor);
  }
  return too_old.empty() ? "there is no CUDA device on this machine"
                         : too_old + "; expected 8.0 or later";
}

py::typing::List<py::str> device_names() {
  cuda::Installation installation;
  raise_if_failed(cuda::find_devices(&installation), "device_names()");
  py::typing::List<py::str> names;
  for (std::int32_t device = 0; device < installation.device_count; ++device) {
    cuda::DeviceDescription description;
    raise_if_failed(cuda::describe_device(device, &description), "device_names()");
    names.append(std::string(description.name));
  }
  return names;
}

std::string runtime_version() {
  cuda::Installation installation;
  static_cast<void>(cuda::find_devices(&installation));  // the version is known without a device
  return version_text(installation.runtime_version);
}

py::typing::Tuple<py::int_, py::ellipsis> shape_of(const DeviceArray& array) {
  py::tuple lengths(array.shape().size());
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) lengths[axis] = array.shape()[axis];
  return lengths;
}

py::typing::Tuple<py::int_, py::int_> dlpack_device(const DeviceArray& array) {
  return py::make_tuple(kDLCuda, array.device());
}

py::capsule to_dlpack(const DeviceArray& array, const py::object& stream,
                      const py::object& max_version, const py::object& dl_device,
                      const py::object& copy) {
  static_cast<void>(max_version);  // version 0 is what every consumer reads
  if (!copy.is_none() && py::cast<bool>(copy)) {
    throw py::buffer_error("__dlpack__(copy=True) is not offered; copy the tensor afterwards");
  }
  if (!dl_device.is_none() && !dl_device.equal(dlpack_device(array))) {
    throw py::buffer_error(
        "__dlpack__ to another device is not offered; move the tensor afterwards");
  }
  return array.to_dlpack(stream);
}

}  // namespace

void register_devices(py::module_& module) {
  py::class_<CallerStream, CallerStreamHandle>(module, "CallerStream",
                                               "The CUDA stream that a call runs on.")
      .def(
          py::init<std::uintptr_t, py::object>(), py::arg("handle"), py::arg("owner") = py::none(),
          "A cudaStream_t as a number (1: the legacy default stream), and the object it dies with.")
      .def_property_readonly("handle", &CallerStream::handle);

  py::class_<DeviceArray>(module, "DeviceArray", "C-contiguous values on one CUDA device.")
      .def_static("borrow", &DeviceArray::borrow, py::arg("capsule"), py::arg("name"),
                  "The values of a DLPack capsule, without a copy; `name` is for messages.")
      .def_property_readonly("device", &DeviceArray::device, "Number of the CUDA device.")
      .def_property_readonly("dtype", &DeviceArray::type_name)
      .def_property_readonly("shape", &shape_of)
      .def("to_host", &DeviceArray::to_host, py::arg("stream"),
           "A numpy copy (bfloat16 as uint16 patterns); waits for the stream.")
      .def("__dlpack_device__", &dlpack_device)
      .def("__dlpack__", &to_dlpack, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(),
           py::arg("copy") = py::none());

  module.def("why_unusable", &why_unusable,
             "Why no CUDA device can be used here; '' where one can.");
  module.def("device_names", &device_names, "Name of each CUDA device.");
  module.def("runtime_version", &runtime_version, "Version of the CUDA runtime inside.");
}

}  // namespace fastvbench::python
