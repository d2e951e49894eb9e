// Arrays on the device for tests, and a loop over orders of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "check.h"
#include "runtime.h"
#include "shim/device_shim.h"

namespace fastvbench {
namespace cuda {

#define CHECK_CUDA(expression)                                                          \
  do {                                                                                  \
    const ::fastvbench::cuda::CudaStatus outcome = (expression);                        \
    if (!outcome.ok()) std::fprintf(stderr, "%s: %s\n", outcome.call, outcome.message); \
    CHECK(outcome.ok());                                                                \
  } while (false)

/// Runs `test(seed)` with the threads in several orders; a failure is followed by its seed.
template <typename Test>
void in_several_orders(int orders, Test test) {
  for (int seed = 1; seed <= orders; ++seed) {
    const int failures = failure_count();
    shim::set_seed(static_cast<std::uint64_t>(seed));
    test(seed);
    if (failure_count() > failures) std::fprintf(stderr, "  with seed %d\n", seed);
  }
}

template <typename T>
DeviceBuffer<T> to_device(const std::vector<T>& values) {
  DeviceBuffer<T> buffer;
  const auto count = static_cast<std::int64_t>(values.size());
  CHECK_CUDA(buffer.allocate(count, nullptr));
  CHECK_CUDA(copy_to_device(buffer.data(), values.data(), buffer.bytes(), nullptr));
  return buffer;
}

template <typename T>
DeviceBuffer<T> device_array(std::int64_t count) {
  DeviceBuffer<T> buffer;
  CHECK_CUDA(buffer.allocate(count, nullptr));
  return buffer;
}

template <typename T>
std::vector<T> to_host(const DeviceBuffer<T>& buffer) {
  std::vector<T> values(static_cast<std::size_t>(buffer.size()));
  CHECK_CUDA(copy_to_host(values.data(), buffer.data(), buffer.bytes(), nullptr));
  CHECK_CUDA(synchronize(nullptr));
  return values;
}

}  // namespace cuda
}  // namespace fastvbench
