// Norms and faults of rows, and values of 16 bits as float32.
#pragma once

#include "kernels/dot64.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

/// norms[i] = sqrt(dot64(row, row)). `faults` and `fault_count` may be null; with `marks_faults` a
/// row with a fault has NaN as its norm.
template <ElementType kType>
FASTVBENCH_KERNEL(measure_rows_kernel)(const void* rows, std::int64_t row_count,
                                       std::int64_t dimension, bool is_cosine, bool marks_faults,
                                       double* norms, std::uint8_t* faults,
                                       std::int64_t* fault_count) {
  constexpr std::int64_t kBytes = kType == ElementType::kFloat32 ? 4 : 2;
  const std::int64_t stride = std::int64_t{block_count()} * half_warp_count();
  // Both halves of a warp go round as often.
  for (std::int64_t first = std::int64_t{block_index()} * half_warp_count(); first < row_count;
       first += stride) {
    const std::int64_t wanted = first + half_warp_index();
    const std::int64_t row = wanted < row_count ? wanted : row_count - 1;
    const void* values = static_cast<const char*>(rows) + row * dimension * kBytes;
    const double square = dot64<kType, kType>(values, values, dimension);
    std::int32_t nans = 0;
    if (!std::isfinite(square)) {  // the same in all lanes of a sum
      for (std::int64_t d = dot_lane(); d < dimension; d += kDotLanes) {
        nans |= std::isnan(value_at<kType>(values, d)) ? 1 : 0;
      }
    }
    nans = sum_of_lanes(nans);
    if (wanted >= row_count || dot_lane() != 0) continue;
    RowFault fault = RowFault::kNone;
    if (!std::isfinite(square)) {
      fault = nans > 0 ? RowFault::kNan : RowFault::kInfinite;
    } else if (is_cosine && square == 0.0) {
      fault = RowFault::kZero;
    }
    const bool is_marked = marks_faults && fault != RowFault::kNone;
    if (norms != nullptr) norms[row] = is_marked ? std::nan("") : std::sqrt(square);
    if (faults != nullptr) faults[row] = static_cast<std::uint8_t>(fault);
    if (fault_count != nullptr && fault != RowFault::kNone) {
      atomic_add(fault_count, std::int64_t{1});
    }
  }
}

template <ElementType kType>
FASTVBENCH_KERNEL(widen_kernel)(const void* from, std::int64_t count, float* to) {
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  for (std::int64_t i = std::int64_t{block_index()} * thread_count() + thread_index(); i < count;
       i += stride) {
    to[i] = value_at<kType>(from, i);
  }
}

}  // namespace cuda
}  // namespace fastvbench
