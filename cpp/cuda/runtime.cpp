// runtime.h over CUDA's runtime library.
#include "runtime.h"

#include <cuda_runtime_api.h>

#include <atomic>

#include "runtime_check.h"

namespace fastvbench {
namespace cuda {
namespace {

static_assert(cudaErrorInvalidValue == CudaStatus::kInvalidValue, "CUDA's number");
static_assert(cudaErrorMemoryAllocation == CudaStatus::kOutOfMemory, "CUDA's number");

// A pool of our own: memory that is given back stays mapped up to this size, or every call would
// map it anew, and nobody else's pool changes its manners.
constexpr std::uint64_t kKeptBytes = std::uint64_t{256} << 20;
constexpr std::int32_t kMostDevices = 64;
std::atomic<cudaMemPool_t> pools[kMostDevices];

CudaStatus make_pool(std::int32_t device, cudaMemPool_t* pool) {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  FASTVBENCH_CUDA_CHECK(cudaMemPoolCreate(pool, &properties));
  std::uint64_t kept_bytes = kKeptBytes;
  const CudaStatus status =
      checked(cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes),
              "cudaMemPoolSetAttribute");
  if (!status.ok()) static_cast<void>(cudaMemPoolDestroy(*pool));
  return status;
}

// The current device's pool, made on first use.
CudaStatus current_pool(cudaMemPool_t* pool) {
  std::int32_t device = 0;
  FASTVBENCH_CUDA_CHECK(cudaGetDevice(&device));
  if (device >= kMostDevices) {
    return {CudaStatus::kInvalidValue, "allocate", "more devices than are kept account of"};
  }
  *pool = pools[device].load(std::memory_order_acquire);
  if (*pool != nullptr) return {};
  FASTVBENCH_CUDA_TRY(make_pool(device, pool));
  cudaMemPool_t made_by_another_thread = nullptr;
  if (!pools[device].compare_exchange_strong(made_by_another_thread, *pool)) {
    static_cast<void>(cudaMemPoolDestroy(*pool));
    *pool = made_by_another_thread;
  }
  return {};
}

CudaStatus copy(void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind,
                Stream stream) {
  if (bytes == 0) return {};
  FASTVBENCH_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream));
  return {};
}

}  // namespace

CudaStatus read_device_limits(DeviceLimits* limits) {
  std::int32_t device = 0;
  std::int32_t shared_bytes = 0;
  FASTVBENCH_CUDA_CHECK(cudaGetDevice(&device));
  FASTVBENCH_CUDA_CHECK(
      cudaDeviceGetAttribute(&limits->multiprocessors, cudaDevAttrMultiProcessorCount, device));
  FASTVBENCH_CUDA_CHECK(
      cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  limits->shared_bytes_per_block = shared_bytes;
  return {};
}

DeviceScope::DeviceScope(std::int32_t device) {
  std::int32_t current = -1;
  status_ = checked(cudaGetDevice(&current), "cudaGetDevice");
  if (!status_.ok() || current == device) return;
  status_ = checked(cudaSetDevice(device), "cudaSetDevice");
  if (status_.ok()) previous_ = current;
}

DeviceScope::~DeviceScope() {
  if (previous_ >= 0) static_cast<void>(checked(cudaSetDevice(previous_), "cudaSetDevice"));
}

CudaStatus allocate(void** memory, std::int64_t bytes, Stream stream) {
  *memory = nullptr;
  if (bytes == 0) return {};
  cudaMemPool_t pool = nullptr;
  FASTVBENCH_CUDA_TRY(current_pool(&pool));
  FASTVBENCH_CUDA_CHECK(
      cudaMallocFromPoolAsync(memory, static_cast<std::size_t>(bytes), pool, stream));
  return {};
}

// Nobody can be told of a failure here; it is not left behind for another call to report.
void release(void* memory, Stream stream) {
  if (memory == nullptr) return;
  if (checked(cudaFreeAsync(memory, stream), "cudaFreeAsync").ok()) return;
  static_cast<void>(checked(cudaFree(memory), "cudaFree"));
}

CudaStatus copy_to_device(void* to, const void* from, std::int64_t bytes, Stream stream) {
  return copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
CudaStatus copy_to_host(void* to, const void* from, std::int64_t bytes, Stream stream) {
  return copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
CudaStatus copy_on_device(void* to, const void* from, std::int64_t bytes, Stream stream) {
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

CudaStatus fill_bytes(void* to, std::uint8_t value, std::int64_t bytes, Stream stream) {
  if (bytes == 0) return {};
  FASTVBENCH_CUDA_CHECK(cudaMemsetAsync(to, value, static_cast<std::size_t>(bytes), stream));
  return {};
}

CudaStatus synchronize(Stream stream) {
  FASTVBENCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  return {};
}

}  // namespace cuda
}  // namespace fastvbench
