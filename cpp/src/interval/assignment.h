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
  const IntervalKernels& kernels_;
  std::int64_t pred_count_ = 0;
  std::int64_t gold_count_ = 0;
  Buffer<double> gold_starts_;
  Buffer<double> gold_ends_;
  Buffer<double> iou_;           // [pred][gold]
  Buffer<std::int64_t> weight_;  // [pred][gold]
  Buffer<std::int64_t> chosen_;  // gold of each prediction, or -1
  Buffer<std::int64_t> memory_;
  Buffer<bool> is_taken_;  // [gold]
};

}  // namespace fastvbench
