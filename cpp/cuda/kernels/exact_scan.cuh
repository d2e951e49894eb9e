// The path without a filter: dot64 on every row, the best of each part of the gallery kept. It
// answers small galleries, deep searches, and queries whose candidates were too many.
#pragma once

#include "kernels/candidates.cuh"
#include "kernels/select.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

constexpr int kExactThreads = 512;
constexpr int kExactRows = 4;  // rows that sixteen lanes take together
constexpr int kExactBatch = kExactThreads / kDotLanes * kExactRows;

/// Entries of queries, found in parts of the gallery: [query][part][place].
struct PartColumns {
  double* keys;
  std::uint32_t* rows;
  std::int64_t query_stride;
  std::int32_t part_size;  // at least k + kExactBatch
};

/// Keys of kExactRows rows from `first` on, in all sixteen lanes. NaN beyond `end`, and for a row
/// that cannot be ranked: its key alone is not finite.
template <ElementType kType>
FASTVBENCH_DEVICE void keys_of_rows(const ExactRows& rows, const float* query, std::int64_t first,
                                    std::int64_t end, double (&keys)[kExactRows]) {
  const void* values[kExactRows];
  FASTVBENCH_UNROLL
  for (int i = 0; i < kExactRows; ++i) {
    values[i] = row_at<kType>(rows, first + i < end ? first + i : end - 1);
  }
  dot64_rows<kExactRows, kType>(query, values, rows.dimension, keys);
  FASTVBENCH_UNROLL
  for (int i = 0; i < kExactRows; ++i) {
    if (first + i < end && rows.norms != nullptr) keys[i] /= rows.norms[first + i];
    if (first + i >= end || !std::isfinite(keys[i])) keys[i] = std::nan("");
  }
}

/// A block for each part and query; its best k end in the part's first places, NaN in the others
/// of the first k. With `is_wanted`, blocks of queries that are not return at once.
template <ElementType kType>
FASTVBENCH_KERNEL_BOUNDED(exact_scan_kernel, kExactThreads,
                          1)(ExactRows rows, ExactQueries queries, std::int32_t k,
                             const std::int32_t* is_wanted, PartColumns parts) {
  FASTVBENCH_SHARED(SelectMemory, memory, 1);
  FASTVBENCH_SHARED(std::int32_t, held, 1);
  const std::int32_t query = block_index_y();
  if (is_wanted != nullptr && is_wanted[query] == 0) return;
  const std::int64_t place = query * parts.query_stride + block_index() * parts.part_size;
  double* keys = parts.keys + place;
  std::uint32_t* own_rows = parts.rows + place;
  const std::int64_t part_rows = (rows.count + block_count() - 1) / block_count();
  const std::int64_t begin = block_index() * part_rows;
  const std::int64_t end = begin + part_rows < rows.count ? begin + part_rows : rows.count;
  auto order = [&](std::int32_t i) { return order_of_key(keys[i]); };
  auto back = [&](std::int32_t i) { return ~own_rows[i]; };
  Cut cut{1, 0};  // the least that counts
  if (thread_index() == 0) held[0] = 0;
  sync_block();
  for (std::int64_t batch = begin; batch < end; batch += kExactBatch) {
    const std::int64_t first = batch + half_warp_index() * kExactRows;
    double own[kExactRows];
    keys_of_rows<kType>(rows, queries.values + query * rows.dimension,
                        first < end ? first : end - 1, end, own);
    FASTVBENCH_UNROLL
    for (int i = 0; i < kExactRows; ++i) {
      if (dot_lane() != i || first + i >= end) continue;
      const auto row = static_cast<std::uint32_t>(first + i);
      if (!cut.takes(order_of_key(own[i]), ~row)) continue;
      const std::int32_t to = atomic_add(held, 1);
      keys[to] = own[i];
      own_rows[to] = row;
    }
    sync_block();
    const std::int32_t count = held[0];
    const bool is_last = batch + kExactBatch >= end;
    if (count <= (is_last ? k : parts.part_size - kExactBatch)) {
      sync_block();  // nobody adds to `held` before everybody has read it
      continue;
    }
    cut = find_cut(order, back, count, k, true, memory);
    if (thread_index() == 0) held[0] = 0;
    sync_block();
    for (std::int32_t start = 0; start < count; start += thread_count()) {
      const std::int32_t i = start + thread_index();
      const double key = i < count ? keys[i] : 0.0;
      const std::uint32_t row = i < count ? own_rows[i] : 0;
      sync_block();
      if (i >= count || !cut.takes(order_of_key(key), ~row)) continue;
      const std::int32_t to = atomic_add(held, 1);
      keys[to] = key;
      own_rows[to] = row;
    }
    sync_block();
  }
  for (std::int32_t i = held[0] + thread_index(); i < k; i += thread_count()) {
    keys[i] = std::nan("");
  }
}

}  // namespace cuda
}  // namespace fastvbench
