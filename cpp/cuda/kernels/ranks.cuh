// Ranks: keys of relevant rows, what they are to the filter, and rows in doubt compared exactly.
#pragma once

#include "kernels/exact_scan.cuh"
#include "kernels/sinks.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

/// values[i] = i.
FASTVBENCH_KERNEL(count_up_kernel)(std::int64_t* values, std::int64_t count) {
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  for (std::int64_t i = std::int64_t{block_index()} * thread_count() + thread_index(); i < count;
       i += stride) {
    values[i] = i;
  }
}

/// keys[i] of each item, NaN where its row or its query cannot be ranked, or is not there; counts
/// start at 0. `queries` are [first_query, ...) of the offsets; sixteen lanes go over each query's
/// items.
template <ElementType kType>
FASTVBENCH_KERNEL(relevant_keys_kernel)(ExactRows rows, ExactQueries queries, RankItems items,
                                        std::int64_t first_query, double* keys) {
  const std::int32_t mine = block_index() * half_warp_count() + half_warp_index();
  const std::int32_t query = mine < queries.count ? mine : queries.count - 1;
  const std::int64_t begin = items.offsets[first_query + query];
  const std::int64_t own =
      mine < queries.count ? items.offsets[first_query + query + 1] - begin : 0;
  const std::int64_t other = shuffle_xor(own, kDotLanes);
  const std::int64_t rounds = own > other ? own : other;
  const bool is_comparable = std::isfinite(queries.norms[query]);
  for (std::int64_t i = 0; i < rounds; ++i) {
    const std::int64_t wanted = i < own ? items.rows[begin + i] : 0;
    const bool is_there = wanted >= 0 && wanted < rows.count;
    const double key =
        exact_key<kType>(rows, queries.values + query * rows.dimension, is_there ? wanted : 0);
    if (i >= own || dot_lane() != 0) continue;
    const std::int64_t item = begin + i;
    const bool is_rankable = is_there && is_comparable && std::isfinite(key);
    keys[item] = is_rankable ? key : std::nan("");
    items.above[item] = 0;
    items.tied[item] = 0;
    items.tied_before[item] = 0;
    if (items.order != nullptr) items.tied_before_in_order[item] = 0;
  }
}

/// What the scan compares with: floors and ceilings per item, and per query the least floor.
FASTVBENCH_KERNEL(rank_limits_kernel)(RankItems items, std::int64_t first_query,
                                      const KeyScale* scales, std::int32_t query_count,
                                      std::int32_t padded_count, float* floors, float* ceilings,
                                      float* thresholds) {
  const std::int32_t query = block_index() * thread_count() + thread_index();
  if (query >= padded_count) return;
  float least = kDropAll;
  if (query < query_count) {
    const std::int64_t end = items.offsets[first_query + query + 1];
    for (std::int64_t item = items.offsets[first_query + query]; item < end; ++item) {
      const double key = items.keys[item];
      const bool is_rankable = !std::isnan(key);
      floors[item] = is_rankable ? scales[query].threshold(key) : HUGE_VALF;
      ceilings[item] = is_rankable ? scales[query].ceiling(key) : HUGE_VALF;
      if (is_rankable && floors[item] < least) least = floors[item];
    }
  }
  thresholds[query] = least;
}

/// Exact keys of rows in doubt, added to the counts.
template <ElementType kType>
FASTVBENCH_KERNEL(settle_doubts_kernel)(ExactRows rows, ExactQueries queries, RankItems items,
                                        const Doubt* doubts, const std::int32_t* doubt_count,
                                        std::int32_t capacity) {
  const std::int32_t found = *doubt_count;
  const std::int32_t count = found < capacity ? found : capacity;
  const std::int32_t stride = block_count() * half_warp_count();
  for (std::int32_t first = block_index() * half_warp_count() + half_warp_index() - dot_half();
       first < count; first += stride) {
    const std::int32_t i = first + dot_half();
    const Doubt doubt = doubts[i < count ? i : count - 1];
    const double key = exact_key<kType>(
        rows, queries.values + std::int64_t{doubt.query} * rows.dimension, doubt.row);
    if (i >= count || dot_lane() != 0) continue;
    const double own = items.keys[doubt.item];
    const std::int64_t row = items.rows[doubt.item];
    if (key > own) atomic_add(items.above + doubt.item, std::int64_t{1});
    if (key != own) continue;
    atomic_add(items.tied + doubt.item, std::int64_t{1});
    if (doubt.row < row) atomic_add(items.tied_before + doubt.item, std::int64_t{1});
    if (items.order != nullptr && items.order[doubt.row] < items.order[row]) {
      atomic_add(items.tied_before_in_order + doubt.item, std::int64_t{1});
    }
  }
}

/// Counts of queries that lost rows start again.
FASTVBENCH_KERNEL(clear_lost_kernel)(RankItems items, std::int64_t first_query,
                                     const std::int32_t* is_lost, std::int32_t query_count) {
  const std::int32_t query = block_index() * thread_count() + thread_index();
  if (query >= query_count || is_lost[query] == 0) return;
  const std::int64_t end = items.offsets[first_query + query + 1];
  for (std::int64_t item = items.offsets[first_query + query]; item < end; ++item) {
    items.above[item] = 0;
    items.tied[item] = 0;
    items.tied_before[item] = 0;
    if (items.order != nullptr) items.tied_before_in_order[item] = 0;
  }
}

/// dot64 on every row: a block for each part of the gallery and query. With `is_wanted`, blocks of
/// queries that are not return at once. Each of sixteen lanes counts for one item at a time.
template <ElementType kType>
FASTVBENCH_KERNEL_BOUNDED(count_exactly_kernel, kExactThreads,
                          1)(ExactRows rows, ExactQueries queries, RankItems items,
                             std::int64_t first_query, const std::int32_t* is_wanted) {
  const std::int32_t query = block_index_y();
  if (is_wanted != nullptr && is_wanted[query] == 0) return;
  const std::int64_t part_rows = (rows.count + block_count() - 1) / block_count();
  const std::int64_t begin = block_index() * part_rows;
  const std::int64_t end = begin + part_rows < rows.count ? begin + part_rows : rows.count;
  const std::int64_t last_item = items.offsets[first_query + query + 1];
  for (std::int64_t item = items.offsets[first_query + query]; item < last_item;
       item += kDotLanes) {
    const std::int64_t own = item + dot_lane();
    const bool has_item = own < last_item;
    const double own_key = has_item ? items.keys[own] : std::nan("");
    const std::int64_t own_row = has_item && !std::isnan(own_key) ? items.rows[own] : 0;
    std::int64_t above = 0;
    std::int64_t tied = 0;
    std::int64_t before = 0;
    std::int64_t before_in_order = 0;
    for (std::int64_t batch = begin; batch < end; batch += kExactBatch) {
      const std::int64_t first = batch + half_warp_index() * kExactRows;
      double keys[kExactRows];
      keys_of_rows<kType>(rows, queries.values + std::int64_t{query} * rows.dimension,
                          first < end ? first : end - 1, end, keys);
      FASTVBENCH_UNROLL
      for (int i = 0; i < kExactRows; ++i) {
        if (first + i >= end) continue;
        above += keys[i] > own_key ? 1 : 0;  // NaN answers no
        if (keys[i] != own_key) continue;
        ++tied;
        before += first + i < own_row ? 1 : 0;
        if (items.order != nullptr) {
          before_in_order += items.order[first + i] < items.order[own_row] ? 1 : 0;
        }
      }
    }
    if (!has_item) continue;
    if (above > 0) atomic_add(items.above + own, above);
    if (tied > 0) atomic_add(items.tied + own, tied);
    if (before > 0) atomic_add(items.tied_before + own, before);
    if (before_in_order > 0) atomic_add(items.tied_before_in_order + own, before_in_order);
  }
}

/// -1 for items that cannot be ranked.
FASTVBENCH_KERNEL(mark_unranked_kernel)(RankItems items, std::int64_t item_count) {
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  for (std::int64_t i = std::int64_t{block_index()} * thread_count() + thread_index();
       i < item_count; i += stride) {
    if (!std::isnan(items.keys[i])) continue;
    items.above[i] = items.tied[i] = items.tied_before[i] = -1;
    if (items.order != nullptr) items.tied_before_in_order[i] = -1;
  }
}

}  // namespace cuda
}  // namespace fastvbench
