// Between and after scans: thresholds rise, candidates below them go, the others get exact keys.
#pragma once

#include "kernels/select.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

template <ElementType kType>
FASTVBENCH_DEVICE const void* row_at(const ExactRows& rows, std::int64_t row) {
  constexpr std::int64_t kBytes = kType == ElementType::kFloat32 ? 4 : 2;
  return static_cast<const char*>(rows.values) + row * rows.dimension * kBytes;
}

/// The key of a row for a query, in every one of the sixteen lanes.
template <ElementType kType>
FASTVBENCH_DEVICE double exact_key(const ExactRows& rows, const float* query, std::int64_t row) {
  const double product =
      dot64<ElementType::kFloat32, kType>(query, row_at<kType>(rows, row), rows.dimension);
  return rows.norms == nullptr ? product : product / rows.norms[row];
}

/// keys[i] = the key of rows[i] for `first` <= i < `count`, by every half warp of `workers`, of
/// which this one is `worker`.
template <ElementType kType>
FASTVBENCH_DEVICE void score_rows(const ExactRows& rows, const float* query,
                                  const std::uint32_t* candidates, std::int32_t count,
                                  std::int32_t first_worker, std::int32_t workers, double* keys) {
  for (std::int32_t first = first_worker; first < count; first += workers) {
    // A warp's two halves go round as often: the first of them decides.
    const std::int32_t i = first + dot_half();
    const double key = exact_key<kType>(rows, query, candidates[i < count ? i : count - 1]);
    if (i < count && dot_lane() == 0) keys[i] = key;
  }
}

/// A block for each query, after each scan. Raises the query's threshold to what its best rows are
/// sure to reach, and drops what is below. Where too much stays, or rows were lost, exact keys
/// leave the best k.
template <ElementType kType>
FASTVBENCH_KERNEL(compact_kernel)(ExactRows rows, ExactQueries queries, const KeyScale* scales,
                                  CandidateColumns candidates, std::int32_t k) {
  FASTVBENCH_SHARED(SelectMemory, memory, 1);
  FASTVBENCH_SHARED(std::int32_t, kept, 1);
  FASTVBENCH_SHARED(std::uint64_t, last_order, 1);
  const std::int32_t query = block_index();
  const std::int64_t first = std::int64_t{query} * candidates.capacity;
  std::uint32_t* own_rows = candidates.rows + first;
  float* lowers = candidates.lowers + first;
  float* uppers = candidates.uppers + first;
  double* keys = candidates.keys + first;
  const std::int32_t found = candidates.counts[query];
  const std::int32_t held = found < candidates.capacity ? found : candidates.capacity;
  const bool is_lost = found > candidates.capacity || candidates.is_lost[query] != 0;
  float threshold = candidates.thresholds[query];
  if (held >= k) {
    auto order = [&](std::int32_t i) { return order_of_bound(lowers[i]); };
    auto place = [](std::int32_t) { return 0u; };
    const Cut cut = find_cut(order, place, held, k, false, memory);
    const float raised = scales[query].below_floor(bound_of_order(cut.order));
    if (raised > threshold) threshold = raised;
  }
  if (thread_index() == 0) kept[0] = 0;
  // A stretch of entries is read, then what stays of it is written to places read before.
  for (std::int32_t start = 0; start < held; start += thread_count()) {
    const std::int32_t i = start + thread_index();
    const bool is_there = i < held;
    const std::uint32_t row = is_there ? own_rows[i] : 0;
    const float lower = is_there ? lowers[i] : 0.0f;
    const float upper = is_there ? uppers[i] : 0.0f;
    sync_block();
    if (!is_there || upper < threshold) continue;
    const std::int32_t place = atomic_add(kept, 1);
    own_rows[place] = row;
    lowers[place] = lower;
    uppers[place] = upper;
  }
  sync_block();
  std::int32_t count = kept[0];
  if (count > candidates.capacity / 2 || is_lost) {
    // Rows that the filter can't tell apart.
    const float* values = queries.values + query * rows.dimension;
    const std::int32_t own_first = half_warp_index() - dot_half();
    score_rows<kType>(rows, values, own_rows, count, own_first, half_warp_count(), keys);
    sync_block();
    auto order = [&](std::int32_t i) { return order_of_key(keys[i]); };
    auto place = [&](std::int32_t i) { return ~own_rows[i]; };
    const Cut cut = find_cut(order, place, count, k, true, memory);
    if (thread_index() == 0) {
      kept[0] = 0;
      last_order[0] = ~std::uint64_t{0};
    }
    sync_block();
    const KeyScale scale = scales[query];
    for (std::int32_t start = 0; start < count; start += thread_count()) {
      const std::int32_t i = start + thread_index();
      const std::uint32_t row = i < count ? own_rows[i] : 0;
      const double key = i < count ? keys[i] : 0.0;
      sync_block();
      if (i >= count || !cut.takes(order_of_key(key), ~row)) continue;
      const std::int32_t to = atomic_add(kept, 1);
      atomic_min(last_order, order_of_key(key));
      own_rows[to] = row;
      keys[to] = key;
      lowers[to] = scale.threshold(key);
      uppers[to] = scale.ceiling(key);
    }
    sync_block();
    count = kept[0];
    if (count >= k) {
      const float raised = scale.threshold(key_of_order(last_order[0]));
      if (raised > threshold) threshold = raised;
    }
  }
  if (thread_index() != 0) return;
  candidates.counts[query] = count;
  candidates.is_lost[query] = is_lost ? 1 : 0;
  candidates.thresholds[query] = threshold;
}

/// Exact keys of every query's candidates: a row of blocks for each.
template <ElementType kType>
FASTVBENCH_KERNEL(score_candidates_kernel)(ExactRows rows, ExactQueries queries,
                                           CandidateColumns candidates) {
  const std::int32_t query = block_index_y();
  const std::int64_t first = std::int64_t{query} * candidates.capacity;
  const std::int32_t own_first = block_index() * half_warp_count() + half_warp_index() - dot_half();
  score_rows<kType>(rows, queries.values + query * rows.dimension, candidates.rows + first,
                    candidates.counts[query], own_first, block_count() * half_warp_count(),
                    candidates.keys + first);
}

}  // namespace cuda
}  // namespace fastvbench
