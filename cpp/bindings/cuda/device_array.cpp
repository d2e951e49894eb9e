#include "cuda/device_array.h"

#include <cstring>
#include <new>

namespace fastvbench::python {
namespace {

constexpr const char* kCapsuleName = "dltensor";
constexpr const char* kUsedCapsuleName = "used_dltensor";

struct TypeEntry {
  DeviceType type;
  DLDataType dlpack;
  const char* name;
};
constexpr TypeEntry kTypes[] = {
    {DeviceType::kFloat64, {kDLFloat, 64, 1}, "float64"},
    {DeviceType::kFloat32, {kDLFloat, 32, 1}, "float32"},
    {DeviceType::kFloat16, {kDLFloat, 16, 1}, "float16"},
    {DeviceType::kBfloat16, {kDLBfloat, 16, 1}, "bfloat16"},
    {DeviceType::kInt64, {kDLInt, 64, 1}, "int64"},
    {DeviceType::kInt32, {kDLInt, 32, 1}, "int32"},
    {DeviceType::kUint8, {kDLUInt, 8, 1}, "uint8"},
};

const TypeEntry& entry_of(DeviceType type) {
  for (const TypeEntry& entry : kTypes) {
    if (entry.type == type) return entry;
  }
  return kTypes[0];  // never: kOther is not asked for
}

std::string name_of(DeviceType type) { return entry_of(type).name; }

bool is_c_contiguous(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  bool is_contiguous = true;
  for (std::int32_t axis = tensor.dimension_count - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] == 0) return true;
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected) is_contiguous = false;
    expected *= tensor.shape[axis];
  }
  return is_contiguous;
}

std::string listed(const std::int64_t* values, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

// The interpreter may be gone by the time that a library drops its last tensor: then the memory
// goes with the process.
bool has_interpreter() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() != 0 && Py_IsFinalizing() == 0;
#else
  return Py_IsInitialized() != 0 && _Py_IsFinalizing() == 0;
#endif
}

struct OutgoingTensor {
  DLManagedTensor managed;
  DeviceArray array;
  std::vector<std::int64_t> shape;

  static void destroy(DLManagedTensor* managed) {
    if (!has_interpreter()) return;
    py::gil_scoped_acquire gil;  // the stream's owner is a Python object
    delete static_cast<OutgoingTensor*>(managed->context);
  }
};

// A capsule that nobody took still owns its tensor.
void destroy_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsuleName) == 0) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsuleName));
  managed->deleter(managed);
}

}  // namespace

DeviceArray DeviceArray::borrow(const py::capsule& capsule, const std::string& name) {
  if (PyCapsule_IsValid(capsule.ptr(), kCapsuleName) == 0) {
    throw py::type_error(name + ": expected a DLPack capsule that nobody has taken yet");
  }
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), kCapsuleName));
  const DLTensor& tensor = managed->tensor;
  const auto dimension_count = static_cast<std::size_t>(tensor.dimension_count);
  // Refused ones stay in the capsule, which gives them back.
  if (tensor.device.type != kDLCuda && tensor.device.type != kDLCudaManaged) {
    throw py::type_error(name + " is not in the memory of a CUDA device");
  }
  if (!is_c_contiguous(tensor)) {
    throw py::value_error(name + " has strides " + listed(tensor.strides, dimension_count) +
                          " for shape " + listed(tensor.shape, dimension_count) +
                          "; expected C-contiguous values: pass " + name + ".contiguous()");
  }
  DeviceArray array;
  array.data_ = static_cast<unsigned char*>(tensor.data) + tensor.byte_offset;
  array.device_ = tensor.device.index;
  array.dlpack_type_ = tensor.type;
  for (const TypeEntry& entry : kTypes) {
    if (std::memcmp(&entry.dlpack, &tensor.type, sizeof tensor.type) == 0) array.type_ = entry.type;
  }
  array.shape_.assign(tensor.shape, tensor.shape + tensor.dimension_count);
  if (array.size() > 0 && tensor.type.bits >= 8 &&
      reinterpret_cast<std::uintptr_t>(array.data_) % (tensor.type.bits / 8u) != 0) {
    throw py::value_error(name + " begins within a value: its address is not a multiple of " +
                          std::to_string(tensor.type.bits / 8u));
  }
  if (PyCapsule_SetName(capsule.ptr(), kUsedCapsuleName) != 0) throw py::error_already_set();
  array.owner_ = std::shared_ptr<void>(managed, [](void* taken) {
    auto* tensor_taken = static_cast<DLManagedTensor*>(taken);
    if (tensor_taken->deleter != nullptr) tensor_taken->deleter(tensor_taken);
  });
  return array;
}

DeviceArray DeviceArray::make(DeviceType type, std::vector<std::int64_t> shape,
                              const CallerStreamHandle& stream) {
  DeviceArray array;
  array.type_ = type;
  array.dlpack_type_ = entry_of(type).dlpack;
  array.shape_ = std::move(shape);
  array.stream_ = stream;
  return array;
}

cuda::CudaStatus DeviceArray::allocate(std::int32_t device) {
  device_ = device;
  FASTVBENCH_CUDA_TRY(cuda::allocate(&data_, bytes(), stream_->get()));
  const CallerStreamHandle stream = stream_;
  owner_ = std::shared_ptr<void>(data_, [stream, device](void* memory) {
    const cuda::DeviceScope scope(device);
    cuda::release(memory, stream->get());
  });
  return {};
}

std::int64_t DeviceArray::size() const {
  std::int64_t count = 1;
  for (const std::int64_t length : shape_) count *= length;
  return count;
}

std::int64_t DeviceArray::bytes() const { return size() * (dlpack_type_.bits / 8); }

std::string DeviceArray::type_name() const {
  if (type_ != DeviceType::kOther) return name_of(type_);
  const char* kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const std::string kind = dlpack_type_.code < 7 ? kinds[dlpack_type_.code] : "unknown";
  return dlpack_type_.code == kDLBool ? kind : kind + std::to_string(dlpack_type_.bits);
}

std::string DeviceArray::shape_text() const { return listed(shape_.data(), shape_.size()); }

py::capsule DeviceArray::to_dlpack(const py::object& consumer_stream) const {
  if (stream_ != nullptr && !consumer_stream.is_none()) {
    const auto number = py::cast<std::int64_t>(consumer_stream);
    if (number != -1) {  // which asks for no order at all
      const cuda::DeviceScope scope(device_);
      raise_if_failed(scope.status(), "__dlpack__");
      const auto consumer = reinterpret_cast<cuda::Stream>(static_cast<std::uintptr_t>(number));
      raise_if_failed(cuda::order_streams(stream_->get(), consumer), "__dlpack__");
    }
  }
  auto outgoing = std::make_unique<OutgoingTensor>();
  outgoing->array = *this;
  outgoing->shape = shape_;
  outgoing->managed = {{data_,
                        {kDLCuda, device_},
                        static_cast<std::int32_t>(shape_.size()),
                        dlpack_type_,
                        outgoing->shape.data(),
                        nullptr,
                        0},
                       outgoing.get(),
                       &OutgoingTensor::destroy};
  py::capsule capsule(&outgoing->managed, kCapsuleName, &destroy_capsule);
  outgoing.release();
  return capsule;
}

py::array DeviceArray::to_host(const CallerStreamHandle& stream) const {
  const std::string type = type_ == DeviceType::kBfloat16 ? "uint16" : type_name();
  py::array host(py::dtype(type), std::vector<py::ssize_t>(shape_.begin(), shape_.end()));
  void* to = host.mutable_data();
  cuda::CudaStatus status;
  {
    const cuda::DeviceScope scope(device_);
    py::gil_scoped_release no_gil;
    status = scope.status();
    if (status.ok()) status = cuda::copy_to_host(to, data_, bytes(), stream->get());
    if (status.ok()) status = cuda::synchronize(stream->get());
  }
  raise_if_failed(status, "a copy to the host");
  return host;
}

const void* checked_values(const DeviceArray& array, DeviceType type, std::size_t dimension_count,
                           const char* name, const char* expected) {
  if (array.type() != type) {
    throw py::type_error(std::string(name) + " has dtype " + array.type_name() + "; expected " +
                         name_of(type) + " on a device, where nothing is converted");
  }
  if (array.shape().size() != dimension_count) {
    throw py::value_error(std::string(name) + " has shape " + array.shape_text() + "; expected " +
                          expected);
  }
  return array.data();
}

void raise_if_failed(const cuda::CudaStatus& status, const char* function) {
  if (status.ok()) return;
  std::string message = std::string(function) + ": CUDA says '" + status.message + "' (" +
                        status.call + ", error " + std::to_string(status.code) + ")";
  if (!status.is_out_of_memory()) throw std::runtime_error(message);
  cuda::DeviceMemory memory;
  if (cuda::read_device_memory(&memory).ok()) {
    const auto in_mebibytes = [](std::int64_t bytes) { return std::to_string(bytes >> 20); };
    message += "; " + in_mebibytes(memory.free_bytes) + " of " + in_mebibytes(memory.total_bytes) +
               " MiB are free; expected room for the result and for working memory";
  }
  PyErr_SetString(PyExc_MemoryError, message.c_str());
  throw py::error_already_set();
}

}  // namespace fastvbench::python
