// One-to-one matching of predicted to gold intervals, row by row.
//
// A pair may match when its IoU is above 0 and at least min_iou.
// Optimal: the sum of the integers llround(IoU * 2^40) is maximised; of all matchings with that sum
// the one whose sequence (for each prediction in order its gold index, unmatched after every index)
// comes first in lexicographic order. One answer exists, so no order of work can change it.
// Greedy: pairs by IoU descending, ties by prediction then gold index, each interval used once.
#pragma once

#include <cstdint>
#include <memory>

#include "fastvbench/buffer.h"
#include "fastvbench/intervals.h"

namespace fastvbench {

enum class MatchMethod : std::int32_t { kOptimal = 0, kGreedy = 1 };

/// Matches all rows, then hands the pairs over. Two steps, because the caller allocates the result
/// when its size is known.
class Matching {
 public:
  /// Pairs of all rows of two columns of the same size. min_iou is not NaN.
  /// O(n m min(n, m)) time and O(n m) memory for a row of n by m. Refuses as row_iou does.
  Status run(const RunContext& context, const IntervalColumn& pred, const IntervalColumn& gold,
             MatchMethod method, double min_iou);

  std::int64_t pair_count() const { return pair_count_; }

  /// Writes pair_count() indices (within their rows) and IoUs, by row and then by prediction, and
  /// size + 1 offsets of the rows' pairs.
  Status write(const RunContext& context, std::int64_t* pred_index, std::int64_t* gold_index,
               double* iou, std::int64_t* offsets) const;

 private:
  // What one worker found, over all blocks that it claimed.
  struct Pairs {
    Buffer<std::int64_t> pred_index;
    Buffer<std::int64_t> gold_index;
    Buffer<double> iou;
  };
  struct Block {
    std::int32_t worker;
    std::int64_t first_pair;  // in the worker's pairs
    std::int64_t pair_count;
    std::int64_t first_result;  // in the result
  };
  struct Run;

  std::unique_ptr<Pairs[]> pairs_;
  Buffer<Block> blocks_;
  Buffer<std::int32_t> row_counts_;
  std::int64_t pair_count_ = 0;
};

}  // namespace fastvbench
