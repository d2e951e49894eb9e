#include "prefix_sum.h"

#include "kernels/prefix_sum.cuh"

namespace fastvbench {
namespace cuda {

// A tile's carry is the running sum of tile totals: the same problem, 2048 times smaller.
CudaStatus prefix_sum(std::int64_t* values, std::int64_t count, Stream stream) {
  if (count == 0) return {};
  const std::int64_t tiles = (count + kScanTile - 1) / kScanTile;
  DeviceBuffer<std::int64_t> totals;
  FASTVBENCH_CUDA_TRY(totals.allocate(tiles, stream));
  FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(scan_tiles_kernel, tiles, kScanThreads, 0, stream, values,
                                        count, totals.data()));
  if (tiles == 1) return {};
  FASTVBENCH_CUDA_TRY(prefix_sum(totals.data(), tiles, stream));
  return FASTVBENCH_LAUNCH(add_carry_kernel, tiles, kScanThreads, 0, stream, values, count,
                           totals.data());
}

}  // namespace cuda
}  // namespace fastvbench
