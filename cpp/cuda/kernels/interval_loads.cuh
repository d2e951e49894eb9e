// Intervals out of float64 [n, 2].
#pragma once

#include "device.cuh"

namespace fastvbench {
namespace cuda {

struct Interval {
  double start;
  double end;
};

/// Whether load_interval<true> may read from here.
inline bool is_whole_intervals(const void* values) {
  return reinterpret_cast<std::uintptr_t>(values) % 16 == 0;
}

/// One read of 16 bytes where kWhole, else two of 8: a slice of a tensor may begin anywhere.
template <bool kWhole>
FASTVBENCH_DEVICE Interval load_interval(const double* values, std::int64_t index) {
  if (!kWhole) return {values[2 * index], values[2 * index + 1]};
  struct alignas(16) Whole {
    double start;
    double end;
  };
  const Whole whole = reinterpret_cast<const Whole*>(values)[index];
  return {whole.start, whole.end};
}

}  // namespace cuda
}  // namespace fastvbench
