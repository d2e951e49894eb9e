#include "interval_launch.h"
#include "intervals.h"
#include "kernels/match_intervals.cuh"
#include "prefix_sum.h"

namespace fastvbench {
namespace cuda {
namespace {

// Memory of contested rows that are worked on at a time.
constexpr std::int64_t kMostScratchBytes = std::int64_t{64} << 20;
constexpr std::int32_t kContestedThreads = 64;

CudaStatus match_contested(MatchMethod method, double min_iou, const DeviceColumn& pred,
                           const DeviceColumn& gold, const Contested& contested,
                           const std::int64_t* rows, std::int32_t* chosen, std::int64_t* counts,
                           RefusedRows* refused, Stream stream) {
  const std::int64_t words = contested.most_pred * contested.most_gold +
                             RowAssignment::memory_words(contested.most_pred, contested.most_gold);
  const std::int64_t block_bytes = words * std::int64_t{8} * kContestedThreads;
  const std::int64_t wanted = (contested.count + kContestedThreads - 1) / kContestedThreads;
  const std::int64_t blocks =
      std::min(wanted, std::max(std::int64_t{1}, kMostScratchBytes / block_bytes));
  DeviceBuffer<std::int64_t> memory;
  FASTVBENCH_CUDA_TRY(memory.allocate(blocks * kContestedThreads * words, stream));
  return FASTVBENCH_LAUNCH(method == MatchMethod::kOptimal
                               ? match_contested_kernel<MatchMethod::kOptimal>
                               : match_contested_kernel<MatchMethod::kGreedy>,
                           blocks, kContestedThreads, 0, stream, pred, gold, min_iou, rows,
                           contested.count, memory.data(), words, chosen, counts, refused);
}

}  // namespace

CudaStatus Matching::find(MatchMethod method, double min_iou, const DeviceColumn& pred,
                          const DeviceColumn& gold, std::int64_t* offsets, Stream stream,
                          Refusals* refusals) {
  pair_count_ = 0;
  FASTVBENCH_CUDA_TRY(fill_bytes(offsets, 0, sizeof *offsets, stream));
  std::int64_t* counts = offsets + 1;  // of rows, and in the end their running sums
  RefusalReport report;
  DeviceBuffer<std::int64_t> rows;
  DeviceBuffer<Contested> contested;
  FASTVBENCH_CUDA_TRY(report.start(stream));
  FASTVBENCH_CUDA_TRY(chosen_.allocate(pred.value_count, stream));
  FASTVBENCH_CUDA_TRY(rows.allocate(pred.size, stream));
  FASTVBENCH_CUDA_TRY(contested.allocate(1, stream));
  FASTVBENCH_CUDA_TRY(fill_bytes(contested.data(), 0, contested.bytes(), stream));
  Grid grid(0);
  FASTVBENCH_CUDA_TRY(grid_for(pred.size, &grid));
  FASTVBENCH_CUDA_TRY(
      FASTVBENCH_LAUNCH(method == MatchMethod::kOptimal ? match_best_kernel<MatchMethod::kOptimal>
                                                        : match_best_kernel<MatchMethod::kGreedy>,
                        grid, kIntervalThreads, 0, stream, pred, gold, min_iou, chosen_.data(),
                        counts, rows.data(), contested.data(), report.rows()));
  Contested found = {};
  FASTVBENCH_CUDA_TRY(copy_to_host(&found, contested.data(), sizeof found, stream));
  FASTVBENCH_CUDA_TRY(report.finish(pred.size, stream, refusals));
  if (refusals->any()) return {};
  if (found.count > 0) {
    FASTVBENCH_CUDA_TRY(match_contested(method, min_iou, pred, gold, found, rows.data(),
                                        chosen_.data(), counts, report.rows(), stream));
  }
  FASTVBENCH_CUDA_TRY(prefix_sum(counts, pred.size, stream));
  FASTVBENCH_CUDA_TRY(copy_to_host(&pair_count_, offsets + pred.size, sizeof pair_count_, stream));
  return synchronize(stream);
}

CudaStatus Matching::write(const DeviceColumn& pred, const DeviceColumn& gold,
                           const std::int64_t* offsets, std::int64_t* pred_index,
                           std::int64_t* gold_index, double* iou, Stream stream) {
  RefusalReport report;  // find() has said what is refused; nobody asks again
  FASTVBENCH_CUDA_TRY(report.start(stream));
  Grid grid(0);
  FASTVBENCH_CUDA_TRY(grid_for(pred.size, &grid));
  return FASTVBENCH_LAUNCH(write_matches_kernel, grid, kIntervalThreads, 0, stream, pred, gold,
                           chosen_.data(), offsets, pred_index, gold_index, iou, report.rows());
}

}  // namespace cuda
}  // namespace fastvbench
