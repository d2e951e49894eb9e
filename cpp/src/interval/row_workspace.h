// One row of any size, taken apart into starts and ends, in memory that the next row reuses.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fastvbench/buffer.h"
#include "fastvbench/intervals.h"
#include "interval/kernels.h"
#include "interval/sweep.h"

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
    Pair* pred = pred_pairs_.data();
    Pair* gold = gold_pairs_.data();
    pred_count_ = merge(pred, pred_count_);
    gold_count_ = merge(gold, gold_count_);
    const double overlap = overlap_seconds<2>(&pred->start, &pred->end, pred_count_, &gold->start,
                                              &gold->end, gold_count_);
    return set_iou_of(overlap, seconds_of<2>(&pred->start, &pred->end, pred_count_),
                      seconds_of<2>(&gold->start, &gold->end, gold_count_));
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
    // A NaN start compares as the largest, so that the order stays an order.
    std::sort(pairs, pairs + count, [](const Pair& a, const Pair& b) {
      return a.start < b.start || (b.start != b.start && a.start == a.start);
    });
    return merge_sorted<2>(&pairs->start, &pairs->end, count);
  }

  Buffer<Pair> pred_pairs_;
  Buffer<Pair> gold_pairs_;
  std::int64_t pred_count_ = 0;
  std::int64_t gold_count_ = 0;
};

}  // namespace fastvbench
