// How many rows stand above one relevant row, and how many with it.
#pragma once

#include <cstdint>

#include "fastvbench/search.h"

namespace fastvbench {

class TieCount {
 public:
  TieCount(const RelevantRows& relevant, std::int64_t item, double key)
      : relevant_(relevant), item_(item), row_(relevant.values[item]), key_(key) {}

  void add(double key, std::int64_t row) {
    above_ += key > key_;
    if (key != key_) return;
    ++tied_;
    before_ += row < row_;
    if (relevant_.order != nullptr)
      before_in_order_ += relevant_.order[row] < relevant_.order[row_];
  }
  bool is_empty() const { return above_ == 0 && tied_ == 0; }
  /// Not safe from several threads at once for the same item.
  void add_to(const RankColumns& out) const {
    out.above[item_] += above_;
    out.tied[item_] += tied_;
    out.tied_before[item_] += before_;
    if (out.tied_before_in_order != nullptr) out.tied_before_in_order[item_] += before_in_order_;
  }

 private:
  const RelevantRows& relevant_;
  std::int64_t item_;
  std::int64_t row_;
  double key_;
  std::int64_t above_ = 0;
  std::int64_t tied_ = 0;
  std::int64_t before_ = 0;
  std::int64_t before_in_order_ = 0;
};

}  // namespace fastvbench
