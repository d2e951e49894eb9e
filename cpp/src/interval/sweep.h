// Merging one side of a row and sweeping over both, on the CPU and on CUDA devices: the order of
// operations that fastvbench/intervals.h promises for set IoU.
//
// Intervals are given as a pointer to the first start and one to the first end, with kStride values
// from one to the next: 1 for two arrays, 2 for an array of pairs. NaN gives some number, never
// another place in memory.
#pragma once

#include <cstdint>

#include "fastvbench/host_device.h"

namespace fastvbench {

/// Puts an interval into the `count` sorted ones, after those that don't start later; there is room
/// for it.
template <int kStride>
FASTVBENCH_HOST_DEVICE_INLINE void insert_by_start(double* starts, double* ends, std::int64_t count,
                                                   double start, double end) {
  std::int64_t at = count;
  for (; at > 0 && starts[kStride * (at - 1)] > start; --at) {
    starts[kStride * at] = starts[kStride * (at - 1)];
    ends[kStride * at] = ends[kStride * (at - 1)];
  }
  starts[kStride * at] = start;
  ends[kStride * at] = end;
}

/// Merges intervals sorted by start, in place; touching ones become one. Returns how many are left.
template <int kStride>
FASTVBENCH_HOST_DEVICE_INLINE std::int64_t merge_sorted(double* starts, double* ends,
                                                        std::int64_t count) {
  if (count == 0) return 0;
  std::int64_t last = 0;
  for (std::int64_t i = 1; i < count; ++i) {
    const double end = ends[kStride * i];
    if (starts[kStride * i] <= ends[kStride * last]) {
      if (ends[kStride * last] < end) ends[kStride * last] = end;
    } else {
      ++last;
      starts[kStride * last] = starts[kStride * i];
      ends[kStride * last] = end;
    }
  }
  return last + 1;
}

/// Sum of lengths in the order given.
template <int kStride>
FASTVBENCH_HOST_DEVICE_INLINE double seconds_of(const double* starts, const double* ends,
                                                std::int64_t count) {
  double seconds = 0.0;
  for (std::int64_t i = 0; i < count; ++i) seconds += ends[kStride * i] - starts[kStride * i];
  return seconds;
}

/// Sum of the overlaps of two merged sides, in the order of time.
template <int kStride>
FASTVBENCH_HOST_DEVICE_INLINE double overlap_seconds(
    const double* pred_starts, const double* pred_ends, std::int64_t pred_count,
    const double* gold_starts, const double* gold_ends, std::int64_t gold_count) {
  double overlap = 0.0;
  for (std::int64_t i = 0, j = 0; i < pred_count && j < gold_count;) {
    const double pred_start = pred_starts[kStride * i];
    const double gold_start = gold_starts[kStride * j];
    const double start = pred_start > gold_start ? pred_start : gold_start;
    const bool pred_ends_first = pred_ends[kStride * i] < gold_ends[kStride * j];
    const double end = pred_ends_first ? pred_ends[kStride * i] : gold_ends[kStride * j];
    const double seconds = end - start;
    overlap += seconds > 0.0 ? seconds : 0.0;
    i += pred_ends_first ? 1 : 0;
    j += pred_ends_first ? 0 : 1;
  }
  return overlap;
}

/// Overlap over union; 0 where nothing has any length, and never above 1.
FASTVBENCH_HOST_DEVICE_INLINE double set_iou_of(double overlap, double pred_seconds,
                                                double gold_seconds) {
  const double denominator = (pred_seconds + gold_seconds) - overlap;
  const double value = overlap / (denominator > 0.0 ? denominator : 1.0);
  return value < 1.0 ? value : 1.0;
}

}  // namespace fastvbench
