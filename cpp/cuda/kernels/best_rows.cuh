// The end of a search: the best k of each query's entries, sorted and written.
#pragma once

#include "kernels/exact_scan.cuh"
#include "kernels/select.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

constexpr int kMostSharedBest = 2048;  // sorted in shared memory; more in memory of their own

/// Where a query's entries are: candidates, or k of each part of the gallery.
struct FoundEntries {
  CandidateColumns candidates;  // `counts` is null where there are parts only
  PartColumns parts;
  std::int32_t part_count;
};

/// A block for each query. Places beyond the rows that can be ranked get -1 and NaN, and so does
/// everything of a query that cannot be compared. `padded_k` is a power of two.
FASTVBENCH_KERNEL(write_best_kernel)(FoundEntries found, const double* query_norms, bool is_cosine,
                                     std::int32_t k, std::int32_t padded_k,
                                     std::uint64_t* all_orders, std::uint32_t* all_places,
                                     std::int64_t* indices, double* scores) {
  FASTVBENCH_SHARED(SelectMemory, memory, 1);
  FASTVBENCH_SHARED(std::int32_t, taken, 1);
  const std::int32_t query = block_index();
  std::uint64_t* orders = all_orders == nullptr ? dynamic_shared<std::uint64_t>()
                                                : all_orders + std::int64_t{query} * padded_k;
  std::uint32_t* places = all_places == nullptr
                              ? reinterpret_cast<std::uint32_t*>(orders + padded_k)
                              : all_places + std::int64_t{query} * padded_k;
  const CandidateColumns& candidates = found.candidates;
  const bool is_by_parts = candidates.counts == nullptr || candidates.is_lost[query] != 0;
  const std::int64_t first =
      is_by_parts ? query * found.parts.query_stride : std::int64_t{query} * candidates.capacity;
  const double* keys = (is_by_parts ? found.parts.keys : candidates.keys) + first;
  const std::uint32_t* rows = (is_by_parts ? found.parts.rows : candidates.rows) + first;
  const std::int32_t count = is_by_parts ? found.part_count * k : candidates.counts[query];
  auto entry = [&](std::int32_t i) {
    return is_by_parts ? std::int64_t{i / k} * found.parts.part_size + i % k : std::int64_t{i};
  };
  const double norm = query_norms[query];
  const bool is_comparable = std::isfinite(norm);
  auto order = [&](std::int32_t i) {
    return is_comparable ? order_of_key(keys[entry(i)]) : std::uint64_t{0};
  };
  auto back = [&](std::int32_t i) { return ~rows[entry(i)]; };
  const Cut cut = find_cut(order, back, count, k, true, memory);
  if (thread_index() == 0) taken[0] = 0;
  for (std::int32_t i = thread_index(); i < padded_k; i += thread_count()) {
    orders[i] = 0;
    places[i] = 0;
  }
  sync_block();
  for (std::int32_t i = thread_index(); i < count; i += thread_count()) {
    const std::uint64_t own = order(i);
    if (own == 0 || !cut.takes(own, back(i))) continue;
    const std::int32_t to = atomic_add(taken, 1);
    orders[to] = own;
    places[to] = back(i);
  }
  sort_best_first(orders, places, padded_k);
  for (std::int32_t i = thread_index(); i < k; i += thread_count()) {
    const std::int64_t to = std::int64_t{query} * k + i;
    if (orders[i] == 0) {
      indices[to] = -1;
      scores[to] = std::nan("");
      continue;
    }
    const double key = key_of_order(orders[i]);
    indices[to] = ~places[i];
    scores[to] = is_cosine ? key / norm : key;
  }
}

}  // namespace cuda
}  // namespace fastvbench
