#include "intervals.h"

#include <algorithm>

#include "kernels/temporal_iou.cuh"

namespace fastvbench {
namespace cuda {
namespace {

constexpr std::int32_t kThreads = 256;

// Enough blocks to fill the device, each thread with several rows where there are many.
CudaStatus grid_for(std::int64_t count, Grid* grid) {
  constexpr std::int64_t kBlocksPerMultiprocessor = 16;
  DeviceLimits limits;
  FASTVBENCH_CUDA_TRY(read_device_limits(&limits));
  *grid = Grid(std::min((count + kThreads - 1) / kThreads,
                        limits.multiprocessors * kBlocksPerMultiprocessor));
  return {};
}

}  // namespace

CudaStatus temporal_iou(const double* pred, const double* gold, std::int64_t count, double* out,
                        Stream stream, RefusedRow* refused) {
  DeviceBuffer<std::int64_t> first_refused;
  FASTVBENCH_CUDA_TRY(first_refused.allocate(1, stream));
  FASTVBENCH_CUDA_TRY(fill_bytes(first_refused.data(), 0x7F, first_refused.bytes(), stream));
  Grid grid(0);
  FASTVBENCH_CUDA_TRY(grid_for(count, &grid));
  const bool is_whole = is_whole_intervals(pred) && is_whole_intervals(gold);
  FASTVBENCH_CUDA_TRY(
      FASTVBENCH_LAUNCH(is_whole ? temporal_iou_kernel<true> : temporal_iou_kernel<false>, grid,
                        kThreads, 0, stream, pred, gold, count, out, first_refused.data()));
  std::int64_t found = 0;
  FASTVBENCH_CUDA_TRY(copy_to_host(&found, first_refused.data(), sizeof found, stream));
  FASTVBENCH_CUDA_TRY(synchronize(stream));
  refused->row = found < count ? found : -1;
  return {};
}

}  // namespace cuda
}  // namespace fastvbench
