// IoU of one pair of intervals, on every CPU level and on CUDA devices: the order of operations
// that fastvbench/intervals.h promises.
#pragma once

#include "fastvbench/host_device.h"
#include "fastvbench/intervals.h"

namespace fastvbench {

/// False for what is refused; NaN, which fails every comparison, is.
FASTVBENCH_HOST_DEVICE_INLINE bool is_valid_length(double seconds) {
  return seconds >= 0.0 && seconds <= kLongestSeconds;
}

/// Of valid intervals a value in [0, 1]; of others some number or NaN.
FASTVBENCH_HOST_DEVICE_INLINE double pair_iou(double pred_start, double pred_end, double gold_start,
                                              double gold_end) {
  const double seconds = (pred_end < gold_end ? pred_end : gold_end) -
                         (pred_start > gold_start ? pred_start : gold_start);
  const double overlap = seconds > 0.0 ? seconds : 0.0;
  const double denominator = ((pred_end - pred_start) + (gold_end - gold_start)) - overlap;
  return denominator > 0.0 ? overlap / denominator : 0.0;
}

}  // namespace fastvbench
