// Running sums within tiles, and the carry from tile to tile.
#pragma once

#include "device.cuh"

namespace fastvbench {
namespace cuda {

constexpr std::int32_t kScanThreads = 256;
constexpr std::int32_t kScanWarps = kScanThreads / kWarpSize;
constexpr std::int32_t kScanPerThread = 8;
constexpr std::int64_t kScanTile = kScanThreads * kScanPerThread;

/// Replaces each tile's values by their running sums and writes the tile's total.
FASTVBENCH_KERNEL(scan_tiles_kernel)(std::int64_t* values, std::int64_t count,
                                     std::int64_t* tile_totals) {
  FASTVBENCH_SHARED(std::int64_t, warp_totals, kScanWarps);
  const std::int64_t first =
      block_index() * kScanTile + std::int64_t{thread_index()} * kScanPerThread;
  std::int64_t running[kScanPerThread];
  std::int64_t total = 0;
  FASTVBENCH_UNROLL
  for (std::int32_t i = 0; i < kScanPerThread; ++i) {
    if (first + i < count) total += values[first + i];
    running[i] = total;
  }
  std::int64_t up_to_lane = total;
  FASTVBENCH_UNROLL
  for (std::int32_t distance = 1; distance < kWarpSize; distance *= 2) {
    const std::int64_t before = shuffle(up_to_lane, lane_index() - distance);
    if (lane_index() >= distance) up_to_lane += before;
  }
  if (lane_index() == kWarpSize - 1) warp_totals[warp_index()] = up_to_lane;
  sync_block();
  std::int64_t before_thread = up_to_lane - total;
  for (std::int32_t warp = 0; warp < warp_index(); ++warp) before_thread += warp_totals[warp];
  FASTVBENCH_UNROLL
  for (std::int32_t i = 0; i < kScanPerThread; ++i) {
    if (first + i < count) values[first + i] = before_thread + running[i];
  }
  if (thread_index() == kScanThreads - 1) tile_totals[block_index()] = before_thread + total;
}

/// Adds to each tile what came before it: the running sum of the tile before.
FASTVBENCH_KERNEL(add_carry_kernel)(std::int64_t* values, std::int64_t count,
                                    const std::int64_t* tile_sums) {
  if (block_index() == 0) return;
  const std::int64_t carry = tile_sums[block_index() - 1];
  const std::int64_t begin = block_index() * kScanTile;
  const std::int64_t end = begin + kScanTile < count ? begin + kScanTile : count;
  for (std::int64_t i = begin + thread_index(); i < end; i += kScanThreads) values[i] += carry;
}

}  // namespace cuda
}  // namespace fastvbench
