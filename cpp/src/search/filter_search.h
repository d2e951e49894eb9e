// The best rows of a batch of queries by way of a filter: scan, then exact keys of what is left.
#pragma once

#include <cstdint>
#include <memory>

#include "search/best_rows.h"
#include "search/candidates.h"
#include "search/exact_pairs.h"
#include "search/filter_scan.h"
#include "search/shared_floats.h"

namespace fastvbench {

/// Keeps what is expensive to allocate from batch to batch.
class FilterSearch {
 public:
  FilterSearch(const GalleryData& gallery, const QueryRows& queries, std::int64_t k)
      : gallery_(gallery), queries_(queries), k_(k), pairs_(gallery, queries) {}

  /// Adds the best rows among `rows` to `best[0 .. end - begin)`, which belong to queries
  /// [begin, end) and may hold rows of other parts of the gallery.
  Status add(const RunContext& context, const FilterRows& rows, const RowFrame& frame,
             std::int64_t begin, std::int64_t end, BestRows* best);

 private:
  friend class FilterScan<FilterSearch>;

  float threshold(std::int32_t, std::int64_t query) const { return thresholds_[query]; }
  bool take(std::int32_t worker, std::int64_t query, std::int64_t block, std::uint32_t rows,
            const float* middles, const float* widths);
  bool tighten(std::int32_t worker, std::int64_t query, Candidates& candidates);
  bool score_now(std::int64_t query, Candidates& candidates, BestRows& best);
  Status settle(const RunContext& context, std::int32_t workers, std::int64_t begin,
                BestRows* best);
  Status score_pairs(const RunContext& context, std::int64_t begin, BestRows* best,
                     const std::int64_t* first, const std::int64_t* last);
  RunContext few_threads(const RunContext& context) const;
  std::int64_t slot(std::int32_t worker, std::int64_t query) const {
    return is_by_queries_ ? query : worker * query_count_ + query;
  }

  const GalleryData& gallery_;
  const QueryRows& queries_;
  const std::int64_t k_;
  ExactPairs pairs_;
  QueryPanels panels_;
  SharedFloats thresholds_;
  std::unique_ptr<Candidates[]> candidates_;  // by slot
  std::unique_ptr<BestRows[]> scored_;        // by slot: rows that had to be scored on the way
  std::unique_ptr<Buffer<float>[]> scratch_;  // by worker
  std::int64_t slot_capacity_ = 0;
  std::int64_t query_count_ = 0;
  std::int64_t first_query_ = 0;
  std::int64_t first_row_ = 0;
  bool is_by_queries_ = false;
  AlignedBuffer<std::int64_t> split_;   // per query: candidates scored in the first round
  AlignedBuffer<std::int64_t> starts_;  // per query: where its pairs begin
  AlignedBuffer<ExactPair> pair_list_;
  AlignedBuffer<double> pair_keys_;
};

}  // namespace fastvbench
