// What bindings ask of CUDA beyond runtime.h, which is all that drivers of kernels need: what
// devices there are, and how arrays pass from one library's stream to another's.
#pragma once

#include <cstdint>

#include "runtime.h"

namespace fastvbench {
namespace cuda {

/// Versions as CUDA writes them: 13020 is 13.2.
struct Installation {
  std::int32_t runtime_version = 0;
  std::int32_t driver_version = 0;  // the newest CUDA that the driver knows; 0 without a driver
  std::int32_t device_count = 0;
};

/// Looks for a driver and devices without making a device ready for work. Where none can be used,
/// the status says why and what was found so far is filled in.
CudaStatus find_devices(Installation* installation);

struct DeviceDescription {
  char name[256] = "";
  std::int32_t major = 0;  // compute capability
  std::int32_t minor = 0;

  /// Code is built for 8.0, for 9.0, and in a form from which drivers make newer ones.
  bool has_code() const { return major >= 8; }
};
CudaStatus describe_device(std::int32_t device, DeviceDescription* description);

struct DeviceMemory {
  std::int64_t free_bytes = 0;
  std::int64_t total_bytes = 0;
};
/// Of the current device.
CudaStatus read_device_memory(DeviceMemory* memory);

/// Work that comes later on `later` waits for what `earlier` has been given so far; the host
/// doesn't.
CudaStatus order_streams(Stream earlier, Stream later);

}  // namespace cuda
}  // namespace fastvbench
