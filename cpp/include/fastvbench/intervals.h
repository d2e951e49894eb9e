// Overlap of time intervals in ragged columns.
//
// An interval is (start, end) in seconds. It is refused unless 0 <= end - start <= kLongestSeconds,
// which NaN, infinities and reversed pairs all fail; the bound keeps sums of lengths finite.
//
// Meanings, each in this order of float64 operations and never fused:
//   overlap(p, g) = max(0, min(ends) - max(starts)); touching intervals overlap by 0
//   pair IoU      = overlap / ((length(p) + length(g)) - overlap)
//   set IoU       = the same of two merged sides: touching intervals merge; lengths, and overlaps,
//                   are each added in the order of time
//   and where the denominator is not above 0 (nothing has any length) the IoU is 0; it is never
//   above 1, whatever the rounding of long sums.
// Every CPU level and thread count returns the same bits.
#pragma once

#include <cstdint>

#include "fastvbench/run_context.h"
#include "fastvbench/status.h"

namespace fastvbench {

constexpr double kLongestSeconds = 1e300;

/// Row i owns the pairs values[2 * offsets[i]] .. values[2 * offsets[i + 1] - 1]. Offsets ascend.
struct IntervalColumn {
  const double* values;
  const std::int64_t* offsets;
  std::int64_t size;

  std::int64_t count(std::int64_t row) const { return offsets[row + 1] - offsets[row]; }
  const double* row(std::int64_t row) const { return values + 2 * offsets[row]; }
  std::int64_t value_count() const { return offsets[size]; }
};

/// What the IoU of a row with several intervals is.
enum class IouConvention : std::int32_t {
  kUnion = 0,  // set IoU
  kFirst = 1,  // first listed prediction against the gold interval that it overlaps most
  kBest = 2,   // best of all pairs: an oracle picks the prediction
};

/// One pair per row, both sides [count, 2]. Writes `count` values to `out`.
/// Refuses (kInvalidArgument with the lowest such row) a row with a refused interval.
Status temporal_iou(const RunContext& context, const double* pred, const double* gold,
                    std::int64_t count, double* out);

/// One value per row of two columns of the same size; 0 where a side is empty. Refuses as above.
Status row_iou(const RunContext& context, IouConvention convention, const IntervalColumn& pred,
               const IntervalColumn& gold, double* out);

/// Left to right within blocks of 1024 values, then over the blocks' sums; `count` is above 0.
double mean_in_blocks(const double* values, std::int64_t count);

inline bool is_valid_interval(double start, double end) {
  const double seconds = end - start;
  return seconds >= 0.0 && seconds <= kLongestSeconds;
}

}  // namespace fastvbench
