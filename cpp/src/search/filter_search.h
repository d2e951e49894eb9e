// The best rows of a batch of queries by way of a filter: scan, then exact keys of what is left.
#pragma once

#include <cstdint>

#include "search/best_rows.h"
#include "search/filter_scan.h"
#include "search/gallery_data.h"
#include "search/search_memory.h"

namespace fastvbench {

class FilterSearch {
 public:
  FilterSearch(const GalleryData& gallery, const QueryRows& queries, std::int64_t k,
               SearchMemory& memory)
      : gallery_(gallery), queries_(queries), k_(k), memory_(memory), kernels_(search_kernels()) {}

  /// Adds the best rows among `rows` to `best[0 .. end - begin)`, which belong to queries
  /// [begin, end) and may hold rows of other parts of the gallery.
  Status add(const RunContext& context, const FilterRows& rows, const RowFrame& frame,
             std::int64_t begin, std::int64_t end, BestRows* best);

 private:
  friend class FilterScan<FilterSearch>;

  float threshold(std::int32_t, std::int64_t query) const { return memory_.thresholds[query]; }
  bool take(std::int32_t worker, std::int64_t query, std::int64_t block, std::uint32_t rows,
            const float* middles, const float* widths);
  void raise_threshold(std::int64_t query, const Candidates& candidates);
  bool tighten(std::int64_t query, Candidates& candidates, BestRows& scored);
  bool score_now(std::int64_t query, const Candidates& candidates, BestRows& best);
  Status settle(const RunContext& context, std::int32_t workers, BestRows* best);
  Status score_pairs(const RunContext& context, BestRows* best, const std::int64_t* first,
                     const std::int64_t* last);
  RunContext few_threads(const RunContext& context) const;
  std::int64_t slot(std::int32_t worker, std::int64_t query) const {
    return is_by_queries_ ? query : worker * query_count_ + query;
  }

  const GalleryData& gallery_;
  const QueryRows& queries_;
  const std::int64_t k_;
  SearchMemory& memory_;
  const SearchKernels& kernels_;
  std::int64_t query_count_ = 0;
  std::int64_t first_query_ = 0;
  std::int64_t first_row_ = 0;
  bool is_by_queries_ = false;
};

}  // namespace fastvbench
