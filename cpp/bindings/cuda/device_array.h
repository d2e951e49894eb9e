// Arrays in the memory of a CUDA device, as they come in and go out by DLPack, and the stream that
// a call runs on.
#pragma once

#include "python_support.h"
//
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/dlpack_abi.h"
#include "devices.h"
#include "runtime.h"

namespace fastvbench::python {

/// The stream that a caller of Python works on. It keeps the library's own stream object alive for
/// as long as memory is to be given back on it.
class CallerStream {
 public:
  CallerStream(std::uintptr_t handle, py::object owner)
      : handle_(handle), owner_(std::move(owner)) {}

  cuda::Stream get() const { return reinterpret_cast<cuda::Stream>(handle_); }
  std::uintptr_t handle() const { return handle_; }

 private:
  std::uintptr_t handle_;
  py::object owner_;
};
using CallerStreamHandle = std::shared_ptr<CallerStream>;

enum class DeviceType { kFloat64, kFloat32, kFloat16, kBfloat16, kInt64, kInt32, kUint8, kOther };

/// C-contiguous values on one device. Copies share the memory.
class DeviceArray {
 public:
  /// Takes what a DLPack capsule holds, without a copy; the memory goes back to its library with
  /// the last copy. Raises TypeError or ValueError, naming `name`, for memory elsewhere and for
  /// values that are not C-contiguous.
  static DeviceArray borrow(const py::capsule& capsule, const std::string& name);

  /// An array without memory yet; allocate() gets it.
  static DeviceArray make(DeviceType type, std::vector<std::int64_t> shape,
                          const CallerStreamHandle& stream);
  /// Uninitialised memory of `device`, which is current, for work that comes later on the stream.
  cuda::CudaStatus allocate(std::int32_t device);

  void* data() const { return data_; }
  std::int32_t device() const { return device_; }
  DeviceType type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t size() const;
  std::int64_t bytes() const;
  std::string type_name() const;
  std::string shape_text() const;

  /// A numpy copy, bfloat16 as uint16 patterns. Waits for the stream.
  py::array to_host(const CallerStreamHandle& stream) const;

  /// A capsule over the same memory, for `consumer_stream` by DLPack's numbers.
  py::capsule to_dlpack(const py::object& consumer_stream) const;

 private:
  std::shared_ptr<void> owner_;
  CallerStreamHandle stream_;  // of memory made here
  void* data_ = nullptr;
  std::int32_t device_ = 0;
  DeviceType type_ = DeviceType::kOther;
  DLDataType dlpack_type_ = {};
  std::vector<std::int64_t> shape_;
};

/// The values of an array of that type, with that many dimensions; raises TypeError or ValueError
/// that names `name` and `expected` ("[n, 2]: start, end").
const void* checked_values(const DeviceArray& array, DeviceType type, std::size_t dimension_count,
                           const char* name, const char* expected);

/// Raises what a failed CUDA call says, or does nothing: MemoryError where memory ran out, else
/// RuntimeError. `function` is what the caller called, "temporal_iou(pred, gold)".
void raise_if_failed(const cuda::CudaStatus& status, const char* function);

/// Makes the arrays' device current; raises where that fails.
class ArrayScope {
 public:
  ArrayScope(const DeviceArray& array, const char* function) : scope_(array.device()) {
    raise_if_failed(scope_.status(), function);
  }

 private:
  cuda::DeviceScope scope_;
};

void register_devices(py::module_& module);
void register_device_intervals(py::module_& module);
void register_device_search(py::module_& module);

}  // namespace fastvbench::python
