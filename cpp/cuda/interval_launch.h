// What the drivers of interval kernels share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/interval_rows.cuh"

namespace fastvbench {
namespace cuda {

constexpr std::int32_t kIntervalThreads = 256;

/// Enough blocks to fill the device, each thread with several rows where there are many.
inline CudaStatus grid_for(std::int64_t count, Grid* grid) {
  constexpr std::int64_t kBlocksPerMultiprocessor = 16;
  DeviceLimits limits;
  FASTVBENCH_CUDA_TRY(read_device_limits(&limits));
  *grid = Grid(std::min((count + kIntervalThreads - 1) / kIntervalThreads,
                        limits.multiprocessors * kBlocksPerMultiprocessor));
  return {};
}

/// RefusedRows on the device, and the way back to the host.
class RefusalReport {
 public:
  CudaStatus start(Stream stream) {
    FASTVBENCH_CUDA_TRY(rows_.allocate(1, stream));
    return fill_bytes(rows_.data(), 0x7F, rows_.bytes(), stream);
  }
  RefusedRows* rows() { return rows_.data(); }

  /// Waits for the stream.
  CudaStatus finish(std::int64_t row_count, Stream stream, Refusals* refusals) {
    RefusedRows found;
    FASTVBENCH_CUDA_TRY(copy_to_host(&found, rows_.data(), sizeof found, stream));
    FASTVBENCH_CUDA_TRY(synchronize(stream));
    const auto row_or_none = [&](std::int64_t row) { return row < row_count ? row : -1; };
    refusals->interval_row = row_or_none(found.interval);
    refusals->pred_offsets_row = row_or_none(found.pred_offsets);
    refusals->gold_offsets_row = row_or_none(found.gold_offsets);
    refusals->large_row = row_or_none(found.large);
    return {};
  }

 private:
  DeviceBuffer<RefusedRows> rows_;
};

}  // namespace cuda
}  // namespace fastvbench
