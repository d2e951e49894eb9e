// Running sums of a whole array.
#pragma once

#include <cstdint>

#include "runtime.h"

namespace fastvbench {
namespace cuda {

/// Replaces each value by the sum of all up to and including it.
CudaStatus prefix_sum(std::int64_t* values, std::int64_t count, Stream stream);

}  // namespace cuda
}  // namespace fastvbench
