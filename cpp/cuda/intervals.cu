#include "intervals.h"

#include "interval_launch.h"
#include "kernels/row_iou.cuh"
#include "kernels/temporal_iou.cuh"

namespace fastvbench {
namespace cuda {

CudaStatus temporal_iou(const double* pred, const double* gold, std::int64_t count, double* out,
                        Stream stream, Refusals* refusals) {
  RefusalReport report;
  FASTVBENCH_CUDA_TRY(report.start(stream));
  Grid grid(0);
  FASTVBENCH_CUDA_TRY(grid_for(count, &grid));
  const bool is_whole = is_whole_intervals(pred) && is_whole_intervals(gold);
  FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(
      is_whole ? temporal_iou_kernel<true> : temporal_iou_kernel<false>, grid, kIntervalThreads, 0,
      stream, pred, gold, count, out, &report.rows()->interval));
  return report.finish(count, stream, refusals);
}

CudaStatus row_iou(IouConvention convention, const DeviceColumn& pred, const DeviceColumn& gold,
                   double* out, Stream stream, Refusals* refusals) {
  RefusalReport report;
  FASTVBENCH_CUDA_TRY(report.start(stream));
  DeviceBuffer<double> sorted_pred, sorted_gold;
  // Rows of several are possible only where there are offsets.
  if (convention == IouConvention::kUnion && (pred.offsets != nullptr || gold.offsets != nullptr)) {
    FASTVBENCH_CUDA_TRY(sorted_pred.allocate(2 * pred.value_count, stream));
    FASTVBENCH_CUDA_TRY(sorted_gold.allocate(2 * gold.value_count, stream));
  }
  Grid grid(0);
  FASTVBENCH_CUDA_TRY(grid_for(pred.size, &grid));
  void (*kernel)(DeviceColumn, DeviceColumn, double*, double*, double*, RefusedRows*) = nullptr;
  switch (convention) {
    case IouConvention::kUnion:
      kernel = row_iou_kernel<IouConvention::kUnion>;
      break;
    case IouConvention::kFirst:
      kernel = row_iou_kernel<IouConvention::kFirst>;
      break;
    case IouConvention::kBest:
      kernel = row_iou_kernel<IouConvention::kBest>;
      break;
  }
  FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(kernel, grid, kIntervalThreads, 0, stream, pred, gold,
                                        sorted_pred.data(), sorted_gold.data(), out,
                                        report.rows()));
  return report.finish(pred.size, stream, refusals);
}

CudaStatus count_reached(const double* ious, const DeviceColumn& pred, const DeviceColumn& gold,
                         const double* host_thresholds, std::int64_t threshold_count,
                         bool is_strict, Stream stream, std::int64_t* rows_with_gold,
                         std::int64_t* reached) {
  const std::int64_t count_count = threshold_count + 1;
  DeviceBuffer<double> thresholds;
  DeviceBuffer<std::int64_t> counts;
  RefusalReport report;  // row_iou has said what is refused; nobody asks again
  FASTVBENCH_CUDA_TRY(report.start(stream));
  FASTVBENCH_CUDA_TRY(thresholds.allocate(threshold_count, stream));
  FASTVBENCH_CUDA_TRY(
      copy_to_device(thresholds.data(), host_thresholds, thresholds.bytes(), stream));
  FASTVBENCH_CUDA_TRY(counts.allocate(count_count, stream));
  FASTVBENCH_CUDA_TRY(fill_bytes(counts.data(), 0, counts.bytes(), stream));
  Grid grid(0);
  FASTVBENCH_CUDA_TRY(grid_for(pred.size, &grid));
  grid.y = count_count;
  FASTVBENCH_CUDA_TRY(FASTVBENCH_LAUNCH(count_reached_kernel, grid, kIntervalThreads, 0, stream,
                                        ious, pred, gold, thresholds.data(), threshold_count,
                                        is_strict, counts.data(), report.rows()));
  FASTVBENCH_CUDA_TRY(
      copy_to_host(reached, counts.data(), threshold_count * std::int64_t{8}, stream));
  FASTVBENCH_CUDA_TRY(
      copy_to_host(rows_with_gold, counts.data() + threshold_count, std::int64_t{8}, stream));
  return synchronize(stream);
}

}  // namespace cuda
}  // namespace fastvbench
