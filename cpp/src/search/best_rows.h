// The best rows seen so far by exact key, in the order that decides: key descending, row ascending.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "fastvbench/buffer.h"
#include "search/query_rows.h"

namespace fastvbench {

struct ScoredRow {
  double key;
  std::int64_t row;
};

inline bool is_better(const ScoredRow& a, const ScoredRow& b) {
  return a.key > b.key || (a.key == b.key && a.row < b.row);
}
/// The same as a type, which sorting inlines.
struct IsBetter {
  bool operator()(const ScoredRow& a, const ScoredRow& b) const { return is_better(a, b); }
};

/// Keeps the best `wanted` rows of those offered. Holds up to twice as many between tidyings, so
/// that an offer costs a comparison and seldom more.
class BestRows {
 public:
  void start(std::int64_t wanted) {
    wanted_ = wanted;
    worst_kept_ = {-std::numeric_limits<double>::infinity(), INT64_MAX};
    rows_.clear();
  }
  /// False where memory ran out.
  bool offer(double key, std::int64_t row) {
    const ScoredRow offered{key, row};
    if (!is_better(offered, worst_kept_)) return true;
    if (!rows_.push_back(offered)) return false;
    if (rows_.size() >= 2 * wanted_ + kSlack) tidy();
    return true;
  }
  bool take_over(const BestRows& other) {
    for (std::int64_t i = 0; i < other.rows_.size(); ++i) {
      if (!offer(other.rows_[i].key, other.rows_[i].row)) return false;
    }
    return true;
  }
  /// Leaves the best `wanted` rows only, in no particular order.
  void tidy() {
    if (rows_.size() < wanted_) return;
    ScoredRow* begin = rows_.data();
    std::nth_element(begin, begin + (wanted_ - 1), begin + rows_.size(), IsBetter());
    rows_.resize(wanted_);
    worst_kept_ = rows_[wanted_ - 1];
  }
  void sort() {
    tidy();
    std::sort(rows_.data(), rows_.data() + rows_.size(), IsBetter());
  }
  /// The key that a row must reach, as of the last tidying: minus infinity until `wanted` rows are
  /// there.
  double floor_key() const { return worst_kept_.key; }
  std::int64_t size() const { return rows_.size(); }
  std::int64_t memory_bytes() const { return rows_.capacity() * std::int64_t{sizeof(ScoredRow)}; }
  const ScoredRow& operator[](std::int64_t i) const { return rows_[i]; }

 private:
  static constexpr std::int64_t kSlack = 64;
  std::int64_t wanted_ = 0;
  ScoredRow worst_kept_{};
  Buffer<ScoredRow> rows_;
};

/// Sorts the best rows of queries [first, first + count) and writes them as rows of [queries][k].
/// `best[0]` belongs to query `first`.
Status write_best(const RunContext& context, const QueryRows& queries, std::int64_t first,
                  std::int64_t count, Similarity similarity, std::int64_t k, BestRows* best,
                  std::int64_t* indices, double* scores);

}  // namespace fastvbench
