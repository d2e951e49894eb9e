// What host code asks of a CUDA device: memory, copies, streams. No CUDA header is needed to
// include this, so bindings build with the host compiler, and tests put another implementation
// behind it.
//
// Everything runs on the stream it is given and returns at once, unless it says that it waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

struct CUstream_st;

namespace fastvbench {
namespace cuda {

using Stream = CUstream_st*;

/// Outcome of a CUDA call: `call` names what was asked, `message` what came back. Both are literals
/// or live as long as the process.
struct CudaStatus {
  std::int32_t code = 0;  // cudaError_t's number
  const char* call = "";
  const char* message = "";

  bool ok() const { return code == 0; }
  bool is_out_of_memory() const { return code == kOutOfMemory; }

  static constexpr std::int32_t kInvalidValue = 1;
  static constexpr std::int32_t kOutOfMemory = 2;
};

/// Returns from the calling function where `expression` failed.
#define FASTVBENCH_CUDA_TRY(expression)                          \
  do {                                                           \
    const ::fastvbench::cuda::CudaStatus status_ = (expression); \
    if (!status_.ok()) return status_;                           \
  } while (false)

/// Blocks of a launch. A grid with a 0 launches nothing.
struct Grid {
  Grid(std::int64_t x_blocks, std::int64_t y_blocks = 1) : x(x_blocks), y(y_blocks) {}  // NOLINT

  static constexpr std::int64_t kMostX = 2147483647;
  static constexpr std::int64_t kMostY = 65535;
  bool is_empty() const { return x == 0 || y == 0; }
  bool fits() const { return x >= 0 && x <= kMostX && y >= 0 && y <= kMostY; }

  std::int64_t x;
  std::int64_t y;
};

/// What a launch must know of the current device.
struct DeviceLimits {
  std::int32_t multiprocessors = 0;
  std::int64_t shared_bytes_per_block = 0;  // static and dynamic together
};
CudaStatus read_device_limits(DeviceLimits* limits);

/// Makes `device` the calling thread's device until the end of the scope.
class DeviceScope {
 public:
  explicit DeviceScope(std::int32_t device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  const CudaStatus& status() const { return status_; }

 private:
  std::int32_t previous_ = -1;
  CudaStatus status_;
};

/// Memory of the current device, at a multiple of 256. It exists for work that comes later on the
/// stream; nothing waits. 0 bytes give a null pointer.
CudaStatus allocate(void** memory, std::int64_t bytes, Stream stream);
/// Returns memory once the stream's work up to here is done.
void release(void* memory, Stream stream);

CudaStatus copy_to_device(void* to, const void* from, std::int64_t bytes, Stream stream);
/// `to` holds the values after synchronize(stream), not before.
CudaStatus copy_to_host(void* to, const void* from, std::int64_t bytes, Stream stream);
CudaStatus copy_on_device(void* to, const void* from, std::int64_t bytes, Stream stream);
CudaStatus fill_bytes(void* to, std::uint8_t value, std::int64_t bytes, Stream stream);
/// Waits for all of the stream's work.
CudaStatus synchronize(Stream stream);

/// Device memory for values of one type, given back on its stream. The host never reads through it.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { reset(); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Replaces what was held; the new values are uninitialised.
  CudaStatus allocate(std::int64_t size, Stream stream) {
    reset();
    if (size < 0 || size > INT64_MAX / static_cast<std::int64_t>(sizeof(T))) {
      return {CudaStatus::kOutOfMemory, "allocate", "more values than can be addressed"};
    }
    void* memory = nullptr;
    FASTVBENCH_CUDA_TRY(cuda::allocate(&memory, size * std::int64_t{sizeof(T)}, stream));
    data_ = static_cast<T*>(memory);
    size_ = size;
    stream_ = stream;
    return {};
  }
  void reset() {
    if (data_ != nullptr) release(data_, stream_);
    data_ = nullptr;
    size_ = 0;
  }
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(stream_, other.stream_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * std::int64_t{sizeof(T)}; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  Stream stream_ = nullptr;
};

}  // namespace cuda
}  // namespace fastvbench
