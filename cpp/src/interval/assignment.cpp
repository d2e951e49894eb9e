#include "interval/assignment.h"

#include <algorithm>

#include "interval/row_assignment.h"

namespace fastvbench {

bool RowMatcher::load(const IntervalColumn& pred, const IntervalColumn& gold, std::int64_t row) {
  pred_count_ = pred.count(row);
  gold_count_ = gold.count(row);
  if (gold_count_ > 0 && pred_count_ > INT64_MAX / 16 / gold_count_) return false;
  if (!gold_starts_.resize(gold_count_) || !gold_ends_.resize(gold_count_) ||
      !iou_.resize(pred_count_ * gold_count_) || !chosen_.resize(pred_count_)) {
    return false;
  }
  const double* pairs = gold.row(row);
  for (std::int64_t j = 0; j < gold_count_; ++j) {
    gold_starts_[j] = pairs[2 * j];
    gold_ends_[j] = pairs[2 * j + 1];
  }
  const double* preds = pred.row(row);
  for (std::int64_t i = 0; i < pred_count_; ++i) {
    kernels_.iou_with_each(preds[2 * i], preds[2 * i + 1], gold_starts_.data(), gold_ends_.data(),
                           gold_count_, iou_.data() + i * gold_count_);
  }
  return true;
}

Status RowMatcher::match_optimal(double min_iou, const RunContext* context) {
  if (!weight_.resize(pred_count_ * gold_count_) ||
      !memory_.resize(RowAssignment::memory_words(pred_count_, gold_count_))) {
    return Status::out_of_memory();
  }
  for (std::int64_t k = 0; k < pred_count_ * gold_count_; ++k) {
    weight_[k] = may_match(iou_[k], min_iou) ? weight_of_iou(iou_[k]) : kMayNotMatch;
  }
  RowAssignment assignment(weight_.data(), pred_count_, gold_count_, memory_.data());
  if (!assignment.give_everyone_the_best()) {
    if (!assignment.solve([&] { return context != nullptr && context->should_stop(); })) {
      return Status::cancelled();
    }
    assignment.take_first_in_order();
  }
  for (std::int64_t i = 0; i < pred_count_; ++i) chosen_[i] = assignment.chosen(i);
  return Status();
}

Status RowMatcher::match_greedy(double min_iou) {
  memory_.clear();  // places of pairs, in order of taking
  for (std::int64_t k = 0; k < pred_count_ * gold_count_; ++k) {
    if (may_match(iou_[k], min_iou) && !memory_.push_back(k)) return Status::out_of_memory();
  }
  if (!is_taken_.resize(gold_count_)) return Status::out_of_memory();
  std::sort(memory_.data(), memory_.data() + memory_.size(),
            [&](std::int64_t a, std::int64_t b) { return comes_before(iou_[a], a, iou_[b], b); });
  for (std::int64_t i = 0; i < pred_count_; ++i) chosen_[i] = -1;
  for (std::int64_t j = 0; j < gold_count_; ++j) is_taken_[j] = false;
  for (std::int64_t n = 0; n < memory_.size(); ++n) {
    const std::int64_t i = memory_[n] / gold_count_;
    const std::int64_t j = memory_[n] % gold_count_;
    if (chosen_[i] >= 0 || is_taken_[j]) continue;
    chosen_[i] = j;
    is_taken_[j] = true;
  }
  return Status();
}

}  // namespace fastvbench
