// What a warp is, and 16 bytes: the same for kernels and for the shim that runs them on the CPU.
#pragma once

#include <cstdint>

namespace fastvbench {
namespace cuda {

constexpr int kWarpSize = 32;
constexpr std::uint32_t kAllLanes = 0xFFFFFFFFu;

struct alignas(16) Words4 {
  std::uint32_t word[4];
};

}  // namespace cuda
}  // namespace fastvbench
