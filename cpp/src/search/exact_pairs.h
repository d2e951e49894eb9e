// Exact keys of chosen (query, row) pairs, gathered so that a row is fetched once for all queries
// that ask for it.
#pragma once

#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "search/query_rows.h"

namespace fastvbench {

struct GalleryData;

struct ExactPair {
  std::int64_t row;
  std::int64_t query;
};

/// The order in which pairs are taken; kept for its memory.
struct PairOrder {
  AlignedBuffer<std::uint32_t> places;
  AlignedBuffer<std::uint32_t> starts;
};

/// keys[i] becomes the key of pairs[i].
Status exact_keys(const RunContext& context, const GalleryData& gallery, const QueryRows& queries,
                  const ExactPair* pairs, std::int64_t count, PairOrder& order, double* keys);

}  // namespace fastvbench
