// Interval kernels on a device: the contracts of fastvbench/intervals.h and matching.h, bit for
// bit. All arrays are on the current device. Each function waits for its stream, because it says on
// the host whether an interval was refused.
#pragma once

#include <cstdint>

#include "runtime.h"

namespace fastvbench {
namespace cuda {

/// What a call found in its input: the lowest row with a refused interval, or -1.
struct RefusedRow {
  std::int64_t row = -1;
};

/// One pair per row, both sides [count, 2].
CudaStatus temporal_iou(const double* pred, const double* gold, std::int64_t count, double* out,
                        Stream stream, RefusedRow* refused);

}  // namespace cuda
}  // namespace fastvbench
