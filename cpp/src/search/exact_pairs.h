// Exact keys of chosen (query, row) pairs, gathered so that a row is fetched once for all queries
// that ask for it.
#pragma once

#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "fastvbench/buffer.h"
#include "search/gallery_data.h"
#include "search/query_rows.h"

namespace fastvbench {

struct ExactPair {
  std::int64_t row;
  std::int64_t query;
};

class ExactPairs {
 public:
  ExactPairs(const GalleryData& gallery, const QueryRows& queries)
      : gallery_(gallery), queries_(queries) {}

  /// keys[i] becomes the key of pairs[i].
  Status compute(const RunContext& context, const ExactPair* pairs, std::int64_t count,
                 double* keys);

 private:
  Status sort_by_row(const ExactPair* pairs, std::int64_t count);

  const GalleryData& gallery_;
  const QueryRows& queries_;
  AlignedBuffer<std::uint32_t> order_;
  AlignedBuffer<std::uint32_t> starts_;
};

}  // namespace fastvbench
