// Which rows cannot be ranked, found from sums that are at hand anyway.
#pragma once

#include <cmath>
#include <cstdint>

#include "fastvbench/search.h"

namespace fastvbench {

/// The fault of one row, value by value.
RowFault fault_of(const float* row, std::int64_t dimension, Similarity similarity);

/// A refusal that says what the row holds.
Status fault_status(RowFault fault, std::int64_t row);

/// Whether a row's dot64 with itself leaves a fault possible. Finite float32 values never overflow
/// a float64 sum of squares or make it NaN, and a value that is not 0 never underflows it.
inline bool needs_look(double square, Similarity similarity) {
  return !std::isfinite(square) || (similarity == Similarity::kCosine && square == 0.0);
}

}  // namespace fastvbench
