#include "search/exact_pairs.h"

#include <algorithm>
#include <cmath>

#include "fastvbench/parallel.h"
#include "search/gallery_data.h"
#include "search/row_reader.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kAtOnce = 16;       // pairs handed to the kernel together
constexpr std::int64_t kBlockPairs = 512;  // pairs that a thread takes at a time
constexpr std::int64_t kCachedBytes = 2 << 20;
constexpr std::int64_t kWorthSorting = 4096;  // fewer pairs share too few rows

// A counting sort by stretches of rows; pairs of a stretch keep their order.
Status sort_by_row(std::int64_t row_count, const ExactPair* pairs, std::int64_t count,
                   PairOrder& order) {
  int shift = 0;
  while ((row_count >> shift) > (1 << 16)) ++shift;
  const std::int64_t stretches = (row_count >> shift) + 1;
  if (!order.places.allocate(count) || !order.starts.allocate(stretches + 1))
    return Status::out_of_memory();
  std::uint32_t* starts = order.starts.data();
  std::fill(starts, starts + stretches + 1, 0u);
  for (std::int64_t i = 0; i < count; ++i) ++starts[(pairs[i].row >> shift) + 1];
  for (std::int64_t s = 0; s < stretches; ++s) starts[s + 1] += starts[s];
  for (std::int64_t i = 0; i < count; ++i) {
    order.places[starts[pairs[i].row >> shift]++] = static_cast<std::uint32_t>(i);
  }
  return Status();
}

}  // namespace

Status exact_keys(const RunContext& context, const GalleryData& gallery, const QueryRows& queries,
                  const ExactPair* pairs, std::int64_t count, PairOrder& order, double* keys) {
  // Rows that stay in a core's cache are better met query by query, each widened once for several.
  const std::int64_t gallery_bytes =
      gallery.rows.count * gallery.rows.dimension * element_size(gallery.rows.type);
  const bool is_sorted =
      count >= kWorthSorting && count < UINT32_MAX && gallery_bytes > kCachedBytes;
  if (is_sorted) {
    const Status status = sort_by_row(gallery.rows.count, pairs, count, order);
    if (!status.ok()) return status;
  }
  const SearchKernels& kernels = search_kernels();
  const std::int64_t dimension = gallery.rows.dimension;
  const bool is_float32 = gallery.rows.type == ElementType::kFloat32;
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    AlignedBuffer<float> widened;
    if (!is_float32 && !widened.allocate(kAtOnce * dimension)) return Status::out_of_memory();
    const float* rows[kAtOnce];
    const float* query_rows[kAtOnce];
    std::int64_t places[kAtOnce];
    double products[kAtOnce];
    for (std::int64_t first = begin; first < end; first += kAtOnce) {
      const std::int64_t taken = std::min(kAtOnce, end - first);
      for (std::int64_t i = 0; i < taken; ++i) {
        places[i] = is_sorted ? order.places[first + i] : first + i;
        const ExactPair& pair = pairs[places[i]];
        query_rows[i] = queries.row(pair.query);
        const void* row = gallery.rows.row(pair.row);
        if (is_float32) {
          rows[i] = static_cast<const float*>(row);
        } else if (i > 0 && pairs[places[i - 1]].row == pair.row) {
          rows[i] = rows[i - 1];
        } else {
          float* to = widened.data() + i * dimension;
          widen_values(kernels, row, gallery.rows.type, dimension, to);
          rows[i] = to;
        }
      }
      kernels.dot64_pairs(query_rows, rows, taken, dimension, products);
      for (std::int64_t i = 0; i < taken; ++i) {
        const std::int64_t row = pairs[places[i]].row;
        keys[places[i]] =
            gallery.similarity == Similarity::kDot ? products[i] : products[i] / gallery.norms[row];
      }
    }
    return Status();
  };
  RunContext few = context;
  if (count * dimension < (1 << 16)) few.threads = 1;
  const std::int64_t block = std::clamp(count / 8 / kAtOnce * kAtOnce, kAtOnce, kBlockPairs);
  return parallel_for(few, count, block, body);
}

}  // namespace fastvbench
