// One row of any size, taken apart into starts and ends, in memory that the next row reuses.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fastvbench/buffer.h"
#include "fastvbench/intervals.h"
#include "interval/kernels.h"

namespace fastvbench {

constexpr const char* kIntervalRefused = "expected finite seconds with start <= end";

bool has_refused(const IntervalColumn& column, std::int64_t row);

/// The lowest row of [begin, end) with a refused interval on either side, as a failure; ok if none.
Status first_refused_row(const IntervalColumn& pred, const IntervalColumn& gold, std::int64_t begin,
                         std::int64_t end);

class RowWorkspace {
 public:
  /// Takes one row; false where memory ran out.
  bool load(const IntervalColumn& pred, const IntervalColumn& gold, std::int64_t row) {
    return take(pred, row, &pred_pairs_, &pred_count_) &&
           take(gold, row, &gold_pairs_, &gold_count_);
  }

  /// Set IoU of the row, which is not usable for anything else afterwards. No NaN may be in it for
  /// the result to mean anything; nothing breaks where there is.
  double set_iou() {
    pred_count_ = merge(pred_pairs_.data(), pred_count_);
    gold_count_ = merge(gold_pairs_.data(), gold_count_);
    double overlap = 0.0;
    for (std::int64_t i = 0, j = 0; i < pred_count_ && j < gold_count_;) {
      const Pair& p = pred_pairs_[i];
      const Pair& g = gold_pairs_[j];
      const double seconds = std::min(p.end, g.end) - std::max(p.start, g.start);
      if (seconds > 0.0) overlap += seconds;
      if (p.end < g.end) {
        ++i;
      } else {
        ++j;
      }
    }
    const double denominator =
        (seconds_of(pred_pairs_, pred_count_) + seconds_of(gold_pairs_, gold_count_)) - overlap;
    if (!(denominator > 0.0)) return 0.0;
    const double value = overlap / denominator;
    return value < 1.0 ? value : 1.0;
  }

  /// Best IoU of any pair, or of any with the first prediction. 0 where memory ran out is not
  /// possible: the row's arrays were made by load.
  double best_iou(const IntervalKernels& kernels, bool first_only) {
    double best = 0.0;
    const std::int64_t pred_count =
        first_only ? std::min<std::int64_t>(1, pred_count_) : pred_count_;
    for (std::int64_t i = 0; i < pred_count; ++i) {
      for (std::int64_t begin = 0; begin < gold_count_; begin += kChunk) {
        const std::int64_t count = std::min(kChunk, gold_count_ - begin);
        double starts[kChunk], ends[kChunk], iou[kChunk];
        for (std::int64_t j = 0; j < count; ++j) {
          starts[j] = gold_pairs_[begin + j].start;
          ends[j] = gold_pairs_[begin + j].end;
        }
        kernels.iou_with_each(pred_pairs_[i].start, pred_pairs_[i].end, starts, ends, count, iou);
        for (std::int64_t j = 0; j < count; ++j) best = iou[j] > best ? iou[j] : best;
      }
    }
    return best;
  }

 private:
  struct Pair {
    double start;
    double end;
  };
  static constexpr std::int64_t kChunk = 64;

  static bool take(const IntervalColumn& column, std::int64_t row, Buffer<Pair>* pairs,
                   std::int64_t* count) {
    *count = column.count(row);
    pairs->clear();
    return pairs->append(reinterpret_cast<const Pair*>(column.row(row)), *count);
  }

  static std::int64_t merge(Pair* pairs, std::int64_t count) {
    if (count == 0) return 0;
    // A NaN start compares as the largest, so that the order stays an order.
    std::sort(pairs, pairs + count, [](const Pair& a, const Pair& b) {
      return a.start < b.start || (b.start != b.start && a.start == a.start);
    });
    std::int64_t last = 0;
    for (std::int64_t i = 1; i < count; ++i) {
      if (pairs[i].start <= pairs[last].end) {
        pairs[last].end = std::max(pairs[last].end, pairs[i].end);
      } else {
        pairs[++last] = pairs[i];
      }
    }
    return last + 1;
  }

  static double seconds_of(const Buffer<Pair>& pairs, std::int64_t count) {
    double seconds = 0.0;
    for (std::int64_t i = 0; i < count; ++i) seconds += pairs[i].end - pairs[i].start;
    return seconds;
  }

  Buffer<Pair> pred_pairs_;
  Buffer<Pair> gold_pairs_;
  std::int64_t pred_count_ = 0;
  std::int64_t gold_count_ = 0;
};

}  // namespace fastvbench
