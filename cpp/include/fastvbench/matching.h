// One-to-one matching of predicted to gold intervals, row by row.
//
// A pair may match when its IoU is above 0 and at least min_iou.
// Optimal: the sum of the integers llround(IoU * 2^40) is maximised; of all matchings with that sum
// the one whose sequence (for each prediction in order its gold index, unmatched after every index)
// comes first in lexicographic order. One answer exists, so no order of work can change it.
// Greedy: pairs by IoU descending, ties by prediction then gold index, each interval used once.
#pragma once

#include <cstdint>

#include "fastvbench/intervals.h"

namespace fastvbench {

enum class MatchMethod : std::int32_t { kOptimal = 0, kGreedy = 1 };

/// Where matched pairs go, by row and then by prediction. Indices count within their rows; row i
/// owns pairs offsets[i] to offsets[i + 1] - 1.
struct MatchedPairs {
  std::int64_t* pred_index;  // room for most_matches() each
  std::int64_t* gold_index;
  double* iou;
  std::int64_t* offsets;  // rows + 1
};

/// Most pairs that any matching of two columns of the same size can have.
std::int64_t most_matches(const IntervalColumn& pred, const IntervalColumn& gold);

/// Matches all rows and writes offsets[size] pairs. min_iou is not NaN.
/// A row of n by m takes O(n m min(n, m)) time and O(n m) memory. Refuses as row_iou does.
Status match_intervals(const RunContext& context, const IntervalColumn& pred,
                       const IntervalColumn& gold, MatchMethod method, double min_iou,
                       const MatchedPairs& out);

}  // namespace fastvbench
