// Optimal and greedy matching of one row of any size.
#pragma once

#include <cstdint>

#include "fastvbench/buffer.h"
#include "fastvbench/intervals.h"
#include "fastvbench/run_context.h"
#include "fastvbench/status.h"
#include "interval/kernels.h"

namespace fastvbench {

/// Matches single rows, in memory that the next row reuses.
class RowMatcher {
 public:
  explicit RowMatcher(const IntervalKernels& kernels) : kernels_(kernels) {}
  RowMatcher() : RowMatcher(interval_kernels()) {}

  /// Takes a row and computes all its IoUs. False where memory ran out.
  bool load(const IntervalColumn& pred, const IntervalColumn& gold, std::int64_t row);

  /// The matching rule of matching.h. `context` is polled once per prediction; it may be null.
  Status match_optimal(double min_iou, const RunContext* context);
  Status match_greedy(double min_iou);

  std::int64_t pred_count() const { return pred_count_; }
  std::int64_t gold_count() const { return gold_count_; }
  double iou(std::int64_t pred, std::int64_t gold) const { return iou_[pred * gold_count_ + gold]; }
  /// After matching: gold index of a prediction, or -1.
  std::int64_t chosen(std::int64_t pred) const { return chosen_[pred]; }

 private:
  static constexpr std::int64_t kMayNot = -1;  // weight of a pair that may not match

  bool everyone_gets_the_best();
  Status solve(const RunContext* context);
  Status take_first_in_order();
  void find_what_reaches(std::int64_t pred, std::int64_t wanted_gold);
  void follow_cycle(std::int64_t pred, std::int64_t gold);
  std::int64_t weight(std::int64_t pred, std::int64_t gold) const {
    return weight_[pred * gold_count_ + gold];
  }
  bool is_tight(std::int64_t pred, std::int64_t gold) const {
    const std::int64_t pair_weight = weight(pred, gold);
    return pair_weight >= 0 && pred_price_[pred] + gold_price_[gold] == pair_weight;
  }

  // Not owned by a prediction before `pred`, whose choices are settled.
  bool is_open(std::int64_t gold, std::int64_t pred) const {
    return owner_[gold] < 0 || owner_[gold] >= pred;
  }

  const IntervalKernels& kernels_;
  std::int64_t pred_count_ = 0;
  std::int64_t gold_count_ = 0;
  Buffer<double> gold_starts_;
  Buffer<double> gold_ends_;
  Buffer<double> iou_;               // [pred][gold]
  Buffer<std::int64_t> weight_;      // [pred][gold], kMayNot where they may not match
  Buffer<std::int64_t> chosen_;      // gold of each prediction, or -1
  Buffer<std::int64_t> owner_;       // prediction of each gold, or -1
  Buffer<std::int64_t> pred_price_;  // dual values: prices of a pair sum to its weight at least
  Buffer<std::int64_t> gold_price_;
  Buffer<std::int64_t> scratch_;
  Buffer<std::int64_t> order_;
};

}  // namespace fastvbench
