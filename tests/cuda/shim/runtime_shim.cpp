// runtime.h over the host's memory. Kernels and copies alone can touch device memory, and a copy to
// the host arrives at synchronize(), not before.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "shim/device_shim.h"
#ifdef FASTVBENCH_SHIM_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address))
#endif

namespace fastvbench::shim {
namespace {
Random seeds(0);
std::map<void*, std::size_t> allocations;
std::vector<std::pair<cuda::Stream, std::function<void()>>> host_copies;  // still to come
std::set<std::string> messages;  // a CudaStatus points into them
std::int64_t allocations_left = -1;

cuda::CudaStatus invalid(const char* call, const std::string& message) {
  return {cuda::CudaStatus::kInvalidValue, call, messages.insert(message).first->c_str()};
}

void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

template <typename Work>
cuda::CudaStatus on_device(Work work) {
  for (const auto& one : allocations) ASAN_UNPOISON_MEMORY_REGION(one.first, one.second);
  work();
  for (const auto& one : allocations) ASAN_POISON_MEMORY_REGION(one.first, one.second);
  return {};
}
}  // namespace

void set_seed(std::uint64_t seed) { seeds = Random(seed); }
void fail_allocation_after(std::int64_t count) { allocations_left = count; }

cuda::CudaStatus run_grid(const char* name, cuda::Grid grid, std::int32_t threads,
                          std::int64_t dynamic_shared_bytes, const std::function<void()>& body) {
  if (grid.is_empty()) return {};
  if (!grid.fits() || threads < 1 || threads > kMostThreads || dynamic_shared_bytes < 0 ||
      dynamic_shared_bytes > std::int64_t{kMostSharedBytes}) {
    return invalid(name, "too many blocks, threads or bytes of shared memory");
  }
  Random random(seeds());
  std::vector<std::int64_t> order(static_cast<std::size_t>(grid.x * grid.y));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  Block block(grid, threads, static_cast<std::size_t>(dynamic_shared_bytes), random());
  cuda::CudaStatus status;
  on_device([&] {
    for (auto index = order.begin(); index != order.end() && status.ok(); ++index) {
      if (block.run(*index, body)) continue;
      status = invalid(name, "block " + std::to_string(*index) + ": " + block.failure());
    }
  });
  return status;
}

}  // namespace fastvbench::shim

namespace fastvbench::cuda {

using shim::allocations;

CudaStatus read_device_limits(DeviceLimits* limits) {
  *limits = {4, std::int64_t{shim::kMostSharedBytes}};
  return {};
}
DeviceScope::DeviceScope(std::int32_t device) {
  if (device != 0) status_ = shim::invalid("DeviceScope", "there is device 0 only");
}
DeviceScope::~DeviceScope() = default;

CudaStatus allocate(void** memory, std::int64_t bytes, Stream) {
  const auto size = static_cast<std::size_t>(bytes);
  *memory = nullptr;
  if (size == 0) return {};
  if ((shim::allocations_left >= 0 && shim::allocations_left-- == 0) ||
      posix_memalign(memory, 256, size) != 0) {
    return {CudaStatus::kOutOfMemory, "allocate", "out of memory"};
  }
  std::memset(*memory, static_cast<int>(128 + shim::seeds() % 128), size);
  allocations[*memory] = size;
  ASAN_POISON_MEMORY_REGION(*memory, size);
  return {};
}
void release(void* memory, Stream) {
  if (memory == nullptr) return;
  ASAN_UNPOISON_MEMORY_REGION(memory, allocations.at(memory));
  allocations.erase(memory);
  std::free(memory);
}

CudaStatus copy_on_device(void* to, const void* from, std::int64_t bytes, Stream) {
  return shim::on_device([&] { shim::copy_bytes(to, from, bytes); });
}
CudaStatus copy_to_device(void* to, const void* from, std::int64_t bytes, Stream stream) {
  return copy_on_device(to, from, bytes, stream);
}
CudaStatus copy_to_host(void* to, const void* from, std::int64_t bytes, Stream stream) {
  std::vector<unsigned char> bytes_then(static_cast<std::size_t>(bytes));
  copy_on_device(bytes_then.data(), from, bytes, stream);
  shim::host_copies.emplace_back(stream, [=] { shim::copy_bytes(to, bytes_then.data(), bytes); });
  return {};
}
CudaStatus fill_bytes(void* to, std::uint8_t value, std::int64_t bytes, Stream) {
  return shim::on_device([&] { std::fill_n(static_cast<unsigned char*>(to), bytes, value); });
}
CudaStatus synchronize(Stream stream) {
  for (auto& copy : std::exchange(shim::host_copies, {})) {
    if (copy.first == stream) {
      copy.second();
    } else {
      shim::host_copies.push_back(std::move(copy));
    }
  }
  return {};
}

}  // namespace fastvbench::cuda
