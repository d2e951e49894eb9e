// Interval kernels on a device: the contracts of fastvbench/intervals.h and matching.h, bit for
// bit. All arrays are on the current device. Each function waits for its stream, because it says on
// the host what was refused.
#pragma once

#include <cstdint>

#include "fastvbench/host_device.h"
#include "fastvbench/intervals.h"
#include "fastvbench/matching.h"
#include "runtime.h"

namespace fastvbench {
namespace cuda {

/// Intervals of several rows: IntervalColumn, on a device. Nobody has looked at its offsets, so
/// kernels check them, and stay within the values whatever they are.
struct DeviceColumn {
  const double* values;         // [value_count, 2]
  const std::int64_t* offsets;  // [size + 1]; null: one interval per row
  std::int64_t size;
  std::int64_t value_count;
};

/// Most intervals on a side of a row: that row_iou takes, and that match_intervals takes.
constexpr std::int64_t kMostRowIntervals = 4096;
constexpr std::int64_t kMostMatchedIntervals = 64;

/// What a call found in its input: the lowest row of each kind, or -1. Where there is one, results
/// mean nothing.
struct Refusals {
  std::int64_t interval_row = -1;  // with a refused interval on either side
  std::int64_t pred_offsets_row = -1;
  std::int64_t gold_offsets_row = -1;  // whose offsets don't ascend from 0 to value_count
  std::int64_t large_row = -1;         // with more intervals on a side than the function takes

  bool any() const {
    return interval_row >= 0 || pred_offsets_row >= 0 || gold_offsets_row >= 0 || large_row >= 0;
  }
};

/// One pair per row, both sides [count, 2].
CudaStatus temporal_iou(const double* pred, const double* gold, std::int64_t count, double* out,
                        Stream stream, Refusals* refusals);

/// One value per row of two columns of the same size; 0 where a side is empty.
CudaStatus row_iou(IouConvention convention, const DeviceColumn& pred, const DeviceColumn& gold,
                   double* out, Stream stream, Refusals* refusals);

/// Of the rows with gold: how many there are, and how many of those have a prediction and an IoU
/// (from row_iou) that reaches each threshold. Counts go to the host.
CudaStatus count_reached(const double* ious, const DeviceColumn& pred, const DeviceColumn& gold,
                         const double* host_thresholds, std::int64_t threshold_count,
                         bool is_strict, Stream stream, std::int64_t* rows_with_gold,
                         std::int64_t* reached);

/// One-to-one matching in two steps, because the number of pairs is known only after the first.
class Matching {
 public:
  /// Matches all rows and writes `offsets` [size + 1] on the device.
  CudaStatus find(MatchMethod method, double min_iou, const DeviceColumn& pred,
                  const DeviceColumn& gold, std::int64_t* offsets, Stream stream,
                  Refusals* refusals);
  std::int64_t pair_count() const { return pair_count_; }

  /// Writes the pairs of find(), with the same columns and offsets; each array has pair_count()
  /// values. Does not wait.
  CudaStatus write(const DeviceColumn& pred, const DeviceColumn& gold, const std::int64_t* offsets,
                   std::int64_t* pred_index, std::int64_t* gold_index, double* iou, Stream stream);

 private:
  DeviceBuffer<std::int32_t> chosen_;  // [prediction of all rows]: gold index in its row, or -1
  std::int64_t pair_count_ = 0;
};

}  // namespace cuda
}  // namespace fastvbench
