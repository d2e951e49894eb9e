// device.cuh for the host compiler of the tests. See tests/cuda/README.md.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "device_constants.h"
#include "runtime.h"
#include "shim/block.h"

#define FASTVBENCH_DEVICE inline
#define FASTVBENCH_KERNEL(name) inline void name
#define FASTVBENCH_KERNEL_BOUNDED(name, threads, blocks) inline void name
#define FASTVBENCH_SHARED(type, name, size)                                                    \
  static const char fastvbench_tag_##name = 0;                                                 \
  auto& name = *static_cast<type(*)[size]>(::fastvbench::shim::Block::current().static_shared( \
      &fastvbench_tag_##name, sizeof(type[size])))
#define FASTVBENCH_UNROLL
#define FASTVBENCH_LAUNCH(kernel, ...) ::fastvbench::cuda::launch(#kernel, kernel, __VA_ARGS__)

namespace fastvbench::shim {

/// The order of threads and blocks, and the poison, of all launches from here on.
void set_seed(std::uint64_t seed);
/// The allocation after `count` more fails, once.
void fail_allocation_after(std::int64_t count);
cuda::CudaStatus run_grid(const char* name, cuda::Grid grid, std::int32_t threads,
                          std::int64_t dynamic_shared_bytes, const std::function<void()>& body);

template <typename T>
T exchanged(const Payload& payload) {
  T value;
  std::memcpy(&value, payload.data(), sizeof value);
  return value;
}

}  // namespace fastvbench::shim

namespace fastvbench::cuda {

using shim::Block;
using shim::Site;

inline std::int32_t block_count() { return static_cast<std::int32_t>(Block::current().grid().x); }
inline std::int32_t block_count_y() { return static_cast<std::int32_t>(Block::current().grid().y); }
inline std::int32_t block_index() { return Block::current().index_x(); }
inline std::int32_t block_index_y() { return Block::current().index_y(); }
inline std::int32_t thread_index() { return Block::current().thread_index(); }
inline std::int32_t thread_count() { return Block::current().thread_count(); }
inline std::int32_t lane_index() { return thread_index() % kWarpSize; }

inline void sync_block(Site site = Site::here()) { Block::current().sync_block(site); }
inline void sync_warp(Site site = Site::here()) {
  Block::current().exchange("sync_warp", site, nullptr, 0);
}

template <typename T>
T shuffle(T value, std::int32_t lane, Site site = Site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "as CUDA's");
  const int from = lane & (kWarpSize - 1);
  return shim::exchanged<T>(Block::current().exchange("shuffle", site, &value, sizeof value)[from]);
}
template <typename T>
T shuffle_xor(T value, std::int32_t mask, Site site = Site::here()) {
  return shuffle(value, lane_index() ^ mask, site);
}
template <typename T>
T shuffle_down(T value, std::int32_t distance, Site site = Site::here()) {
  const int from = lane_index() + distance;
  return shuffle(value, from < kWarpSize ? from : lane_index(), site);
}
inline std::uint32_t ballot(bool condition, Site site = Site::here()) {
  const shim::Payload* lanes =
      Block::current().exchange("vote", site, &condition, sizeof condition);
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (shim::exchanged<bool>(lanes[lane])) bits |= std::uint32_t{1} << lane;
  }
  return bits;
}
inline bool any(bool condition, Site site = Site::here()) { return ballot(condition, site) != 0; }
inline bool all(bool condition, Site site = Site::here()) { return !any(!condition, site); }

// Sums wrap as on the device.
#define FASTVBENCH_ATOMIC(name, result)                    \
  template <typename T>                                    \
  T name(T* place, T value) {                              \
    using Bits [[maybe_unused]] = std::make_unsigned_t<T>; \
    value = std::exchange(*place, static_cast<T>(result)); \
    Block::current().maybe_yield();                        \
    return value;                                          \
  }
FASTVBENCH_ATOMIC(atomic_add, static_cast<Bits>(*place) + static_cast<Bits>(value))
FASTVBENCH_ATOMIC(atomic_max, *place > value ? *place : value)
FASTVBENCH_ATOMIC(atomic_min, *place < value ? *place : value)
FASTVBENCH_ATOMIC(atomic_or, *place | value)
#undef FASTVBENCH_ATOMIC

inline std::int32_t dot4(std::uint32_t a, std::uint32_t b, std::int32_t sum) {
  auto total = static_cast<std::uint32_t>(sum);  // wraps as on the device
  for (int shift = 0; shift < 32; shift += 8) {
    const int left = static_cast<std::int8_t>(a >> shift);
    total += static_cast<std::uint32_t>(left * static_cast<std::int8_t>(b >> shift));
  }
  return static_cast<std::int32_t>(total);
}

inline void mma_m16n8k32_s8(std::int32_t (&d)[4], const std::uint32_t (&a)[4],
                            const std::uint32_t (&b)[2], Site site = Site::here()) {
  using Operands = std::array<std::uint32_t, 6>;
  const Operands mine = {a[0], a[1], a[2], a[3], b[0], b[1]};
  const shim::Payload* lanes = Block::current().exchange("mma", site, &mine, sizeof mine);
  const int group = lane_index() / 4;
  const int column = 2 * (lane_index() % 4);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) {  // the four lanes that hold a row of a, and a column of b
      const auto left = shim::exchanged<Operands>(lanes[4 * group + k]);
      const auto right = shim::exchanged<Operands>(lanes[4 * (column + i % 2) + k]);
      d[i] = dot4(left[i / 2], right[4], dot4(left[i / 2 + 2], right[5], d[i]));
    }
  }
}

inline std::int32_t bit_count(std::uint32_t word) { return __builtin_popcount(word); }
inline std::int32_t lowest_bit(std::uint32_t word) { return __builtin_ctz(word); }
inline std::int32_t leading_zeros(std::uint32_t word) {
  return word == 0 ? 32 : __builtin_clz(word);
}

inline void copy_words4(void* to, const void* from, const void* in_device_memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(in_device_memory);
  if (address % sizeof(Words4) != 0) Block::current().fail("misaligned Words4");
  std::memcpy(to, from, sizeof(Words4));
}
inline void store_words4(void* to, const Words4& words) { copy_words4(to, &words, to); }
inline Words4 load_words4(const void* from) {
  Words4 words;
  copy_words4(&words, from, from);
  return words;
}

template <typename T>
T* dynamic_shared() {
  return static_cast<T*>(Block::current().dynamic_shared());
}

template <typename... Parameters, typename... Arguments>
CudaStatus launch(const char* name, void (*kernel)(Parameters...), Grid grid, std::int32_t threads,
                  std::int64_t dynamic_shared_bytes, Stream, Arguments... arguments) {
  return shim::run_grid(name, grid, threads, dynamic_shared_bytes,
                        [&] { kernel(static_cast<Parameters>(arguments)...); });
}

}  // namespace fastvbench::cuda
