// Counts the rows above and tied with relevant rows by way of a filter. A row whose bounds lie on
// one side of a relevant row's key is counted as it is scanned; the others are scored exactly.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "fastvbench/buffer.h"
#include "search/exact_pairs.h"
#include "search/filter_scan.h"
#include "search/gallery_data.h"
#include "search/tie_count.h"

namespace fastvbench {

class FilterRanks {
 public:
  /// `keys` holds the exact key of every relevant row.
  FilterRanks(const GalleryData& gallery, const QueryRows& queries, const RelevantRows& relevant,
              const double* keys, const RankColumns& out)
      : gallery_(gallery), queries_(queries), relevant_(relevant), keys_(keys), out_(out) {}

  /// Adds the counts of `rows` for queries [begin, end).
  Status add(const RunContext& context, const FilterRows& rows, const RowFrame& frame,
             std::int64_t begin, std::int64_t end);
  /// Rows that had to be scored exactly so far.
  std::int64_t doubt_count() const { return doubt_count_; }

 private:
  friend class FilterScan<FilterRanks>;

  // A row that the filter cannot place.
  struct Doubt {
    std::int64_t row;
    std::int64_t query;
    std::int64_t item;
  };
  struct Worker {
    Buffer<Doubt> doubts;
    Buffer<std::int64_t> above;  // per item of the batch
  };

  float threshold(std::int32_t, std::int64_t query) const { return floors_[query]; }
  bool take(std::int32_t worker, std::int64_t query, std::int64_t block, std::uint32_t rows,
            const float* middles, const float* widths);
  Status settle(const RunContext& context, Buffer<Doubt>* doubts);

  const GalleryData& gallery_;
  const QueryRows& queries_;
  const RelevantRows& relevant_;
  const double* keys_;
  const RankColumns& out_;
  QueryPanels panels_;
  AlignedBuffer<float> floors_;         // per query: the least threshold of its items
  AlignedBuffer<float> item_floors_;    // per item of the batch
  AlignedBuffer<float> item_ceilings_;  // per item of the batch
  std::unique_ptr<Worker[]> workers_;
  std::int64_t first_query_ = 0;
  std::int64_t first_item_ = 0;
  std::int64_t first_row_ = 0;
  std::int64_t doubt_count_ = 0;
  std::mutex merging_;
};

}  // namespace fastvbench
