// Queries as a filter reads them, in panels of kPanelQueries, and how their keys relate to bounds.
#pragma once

#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "search/bound_terms.h"
#include "search/filter_rows.h"
#include "search/query_rows.h"

namespace fastvbench {

class QueryPanels {
 public:
  /// Prepares queries [begin, end) for codes of one width.
  Status load(const RunContext& context, const QueryRows& queries, std::int64_t begin,
              std::int64_t end, const RowFrame& frame, Similarity similarity, CodeWidth width);

  std::int64_t query_count() const { return query_count_; }
  std::int64_t panel_count() const { return (query_count_ + kPanelQueries - 1) / kPanelQueries; }
  int queries_in(std::int64_t panel) const {
    const std::int64_t left = query_count_ - panel * kPanelQueries;
    return left < kPanelQueries ? static_cast<int>(left) : kPanelQueries;
  }
  const FilterPanel& panel(std::int64_t index) const { return panels_[index]; }
  const KeyScale& scale(std::int64_t query) const { return scales_[query]; }

 private:
  struct Worker;
  void encode(const float* query, double query_norm, std::int64_t index, const RowFrame& frame,
              Similarity similarity, Worker& worker);

  std::int64_t query_count_ = 0;
  std::int64_t dimension_ = 0;
  CodeWidth width_ = CodeWidth::kByte;
  AlignedBuffer<std::uint8_t> codes_;
  AlignedBuffer<FilterPanel> panels_;
  AlignedBuffer<KeyScale> scales_;
};

}  // namespace fastvbench
