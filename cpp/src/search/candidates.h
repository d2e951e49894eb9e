// Rows that a filter could not rule out for one query.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "fastvbench/buffer.h"

namespace fastvbench {

struct Candidate {
  float lower;        // never NaN or +infinity
  float upper;        // never NaN
  std::uint32_t row;  // within the filter's rows
};

class Candidates {
 public:
  void start(std::int64_t wanted) {
    wanted_ = wanted;
    limit_ = first_limit(wanted);
    rows_.clear();
  }

  bool is_full() const { return rows_.size() >= limit_; }
  /// Room for one block's rows beyond the limit must have been made by `reserve_block`.
  bool reserve_block() { return rows_.reserve(rows_.size() + 64); }
  void add(float middle, float width, std::uint32_t row) {
    float lower = middle - width;
    float upper = middle + width;
    // A bound that overflowed or is NaN says nothing.
    if (!(std::fabs(lower) < HUGE_VALF)) lower = -HUGE_VALF;
    if (upper != upper) upper = HUGE_VALF;
    rows_.push_back({lower, upper, row});
  }
  bool take_over(const Candidates& other) {
    return rows_.append(other.rows_.data(), other.rows_.size());
  }

  /// The best lower bound that `wanted` rows reach; minus infinity where there are fewer.
  float best_floor(Buffer<float>* scratch) const {
    const std::int64_t count = rows_.size();
    if (count < wanted_ || !scratch->resize(count)) return -HUGE_VALF;
    for (std::int64_t i = 0; i < count; ++i) (*scratch)[i] = rows_[i].lower;
    float* begin = scratch->data();
    std::nth_element(begin, begin + (wanted_ - 1), begin + count, std::greater<float>());
    return begin[wanted_ - 1];
  }
  /// Drops what is below the threshold, and gives what is left room to grow.
  void drop_below(float threshold) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < rows_.size(); ++i) {
      rows_[kept] = rows_[i];
      kept += !(rows_[i].upper < threshold);
    }
    rows_.resize(kept);
    limit_ = std::max(first_limit(wanted_), 2 * kept + 64);
  }
  /// Whether more rows stay than a filter's candidates should: they can only be told apart exactly.
  bool is_crowded() const { return rows_.size() > 16 * wanted_ + 4096; }

  void clear() {
    rows_.clear();
    limit_ = first_limit(wanted_);
  }
  std::int64_t size() const { return rows_.size(); }
  Candidate* data() { return rows_.data(); }
  const Candidate& operator[](std::int64_t i) const { return rows_[i]; }

 private:
  static std::int64_t first_limit(std::int64_t wanted) {
    return std::max<std::int64_t>(4 * wanted, 128);
  }
  std::int64_t wanted_ = 0;
  std::int64_t limit_ = 0;
  Buffer<Candidate> rows_;
};

/// Scores by better lower bound first.
inline bool has_higher_floor(const Candidate& a, const Candidate& b) { return a.lower > b.lower; }

}  // namespace fastvbench
