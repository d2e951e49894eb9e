#include "devices.h"

#include <cuda_runtime_api.h>

#include <cstring>

#include "runtime_check.h"

namespace fastvbench {
namespace cuda {

CudaStatus find_devices(Installation* installation) {
  FASTVBENCH_CUDA_CHECK(cudaRuntimeGetVersion(&installation->runtime_version));
  FASTVBENCH_CUDA_CHECK(cudaDriverGetVersion(&installation->driver_version));
  FASTVBENCH_CUDA_CHECK(cudaGetDeviceCount(&installation->device_count));
  return {};
}

CudaStatus describe_device(std::int32_t device, DeviceDescription* description) {
  cudaDeviceProp properties;
  FASTVBENCH_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  std::memcpy(description->name, properties.name, sizeof description->name);
  description->name[sizeof description->name - 1] = '\0';
  description->major = properties.major;
  description->minor = properties.minor;
  return {};
}

CudaStatus read_device_memory(DeviceMemory* memory) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  FASTVBENCH_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  memory->free_bytes = static_cast<std::int64_t>(free_bytes);
  memory->total_bytes = static_cast<std::int64_t>(total_bytes);
  return {};
}

CudaStatus order_streams(Stream earlier, Stream later) {
  if (earlier == later) return {};
  cudaEvent_t done = nullptr;
  FASTVBENCH_CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CudaStatus status = checked(cudaEventRecord(done, earlier), "cudaEventRecord");
  if (status.ok()) status = checked(cudaStreamWaitEvent(later, done, 0), "cudaStreamWaitEvent");
  // The streams keep what they need of it.
  const CudaStatus destroyed = checked(cudaEventDestroy(done), "cudaEventDestroy");
  return status.ok() ? destroyed : status;
}

}  // namespace cuda
}  // namespace fastvbench
