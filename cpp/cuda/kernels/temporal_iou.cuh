// IoU of one pair per row: bound by memory, so a thread does a row at a time and neighbours read
// neighbouring pairs.
#pragma once

#include "device.cuh"
#include "interval/pair_iou.h"
#include "kernels/interval_loads.cuh"

namespace fastvbench {
namespace cuda {

/// `first_refused` becomes the lowest row with a refused interval if that is below what it was.
template <bool kWhole>
FASTVBENCH_KERNEL(temporal_iou_kernel)(const double* __restrict__ pred,
                                       const double* __restrict__ gold, std::int64_t count,
                                       double* __restrict__ out, std::int64_t* first_refused) {
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  for (std::int64_t row = std::int64_t{block_index()} * thread_count() + thread_index();
       row < count; row += stride) {
    const Interval p = load_interval<kWhole>(pred, row);
    const Interval g = load_interval<kWhole>(gold, row);
    if (!is_valid_length(p.end - p.start) || !is_valid_length(g.end - g.start)) {
      atomic_min(first_refused, row);
    }
    out[row] = pair_iou(p.start, p.end, g.start, g.end);
  }
}

}  // namespace cuda
}  // namespace fastvbench
