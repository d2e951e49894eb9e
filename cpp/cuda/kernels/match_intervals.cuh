// One-to-one matching of small rows, a thread to a row. Most rows are settled at once: each
// prediction's best gold is its own. The contested ones are listed and solved afterwards, by the
// code that the CPU runs, in memory for as many of them as are worked on at a time.
#pragma once

#include "device.cuh"
#include "interval/row_assignment.h"
#include "kernels/interval_rows.cuh"

namespace fastvbench {
namespace cuda {

/// What the first pass leaves for the second.
struct Contested {
  std::int64_t count;  // of rows
  std::int64_t most_pred;
  std::int64_t most_gold;
};

/// `chosen` [prediction of all rows] and `counts` [row] are written for the rows that are settled;
/// `contested_rows` has room for all rows.
template <MatchMethod kMethod>
FASTVBENCH_KERNEL(match_best_kernel)(DeviceColumn pred, DeviceColumn gold, double min_iou,
                                     std::int32_t* __restrict__ chosen,
                                     std::int64_t* __restrict__ counts,
                                     std::int64_t* __restrict__ contested_rows,
                                     Contested* contested, RefusedRows* refused) {
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  for (std::int64_t row = std::int64_t{block_index()} * thread_count() + thread_index();
       row < pred.size; row += stride) {
    const RowRange p = row_range(pred, row, &refused->pred_offsets);
    const RowRange g = row_range(gold, row, &refused->gold_offsets);
    counts[row] = 0;
    if (p.count > kMostMatchedIntervals || g.count > kMostMatchedIntervals) {
      atomic_min(&refused->large, row);
      continue;
    }
    bool has_refused = false;
    for (std::int64_t j = 0; j < g.count; ++j) {
      has_refused = has_refused || is_refused(gold, g.begin + j);
    }
    std::uint64_t taken = 0;
    bool is_contested = false;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < p.count; ++i) {
      has_refused = has_refused || is_refused(pred, p.begin + i);
      std::int32_t best = -1;
      std::int64_t best_weight = kMayNotMatch;
      double best_iou = 0.0;
      for (std::int64_t j = 0; j < g.count; ++j) {
        const double iou = iou_of(pred, p.begin + i, gold, g.begin + j);
        if (!may_match(iou, min_iou)) continue;
        const std::int64_t weight = weight_of_iou(iou);
        if (kMethod == MatchMethod::kOptimal ? weight > best_weight : iou > best_iou) {
          best = static_cast<std::int32_t>(j);
          best_weight = weight;
          best_iou = iou;
        }
      }
      chosen[p.begin + i] = best;
      if (best < 0) continue;
      const std::uint64_t bit = std::uint64_t{1} << best;
      is_contested = is_contested || (taken & bit) != 0;
      taken |= bit;
      ++count;
    }
    if (has_refused) {
      atomic_min(&refused->interval, row);
    } else if (is_contested) {
      contested_rows[atomic_add(&contested->count, std::int64_t{1})] = row;
      atomic_max(&contested->most_pred, p.count);
      atomic_max(&contested->most_gold, g.count);
    } else {
      counts[row] = count;
    }
  }
}

/// Takes pairs in their order until none is left. `ious` has room for the row's pairs.
FASTVBENCH_DEVICE std::int64_t match_greedily(const DeviceColumn& pred, const RowRange& p,
                                              const DeviceColumn& gold, const RowRange& g,
                                              double min_iou, double* ious, std::int32_t* chosen) {
  const std::int64_t pair_count = p.count * g.count;
  for (std::int64_t k = 0; k < pair_count; ++k) {
    ious[k] = iou_of(pred, p.begin + k / g.count, gold, g.begin + k % g.count);
  }
  for (std::int64_t i = 0; i < p.count; ++i) chosen[p.begin + i] = -1;
  std::uint64_t taken = 0;  // golds
  std::int64_t count = 0;
  for (;; ++count) {
    std::int64_t first = -1;
    for (std::int64_t i = 0; i < p.count; ++i) {
      if (chosen[p.begin + i] >= 0) continue;
      for (std::int64_t j = 0; j < g.count; ++j) {
        const std::int64_t k = i * g.count + j;
        if ((taken >> j & 1) != 0 || !may_match(ious[k], min_iou)) continue;
        if (first < 0 || comes_before(ious[k], k, ious[first], first)) first = k;
      }
    }
    if (first < 0) return count;
    chosen[p.begin + first / g.count] = static_cast<std::int32_t>(first % g.count);
    taken |= std::uint64_t{1} << (first % g.count);
  }
}

FASTVBENCH_DEVICE std::int64_t match_optimally(const DeviceColumn& pred, const RowRange& p,
                                               const DeviceColumn& gold, const RowRange& g,
                                               double min_iou, std::int64_t* memory,
                                               std::int32_t* chosen) {
  const std::int64_t pair_count = p.count * g.count;
  for (std::int64_t k = 0; k < pair_count; ++k) {
    const double iou = iou_of(pred, p.begin + k / g.count, gold, g.begin + k % g.count);
    memory[k] = may_match(iou, min_iou) ? weight_of_iou(iou) : kMayNotMatch;
  }
  RowAssignment assignment(memory, p.count, g.count, memory + pair_count);
  assignment.solve([] { return false; });
  assignment.take_first_in_order();
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < p.count; ++i) {
    chosen[p.begin + i] = static_cast<std::int32_t>(assignment.chosen(i));
    count += assignment.chosen(i) >= 0 ? 1 : 0;
  }
  return count;
}

/// Each thread has `memory_words` of `memory`, for the largest contested row.
template <MatchMethod kMethod>
FASTVBENCH_KERNEL(match_contested_kernel)(DeviceColumn pred, DeviceColumn gold, double min_iou,
                                          const std::int64_t* __restrict__ contested_rows,
                                          std::int64_t contested_count, std::int64_t* memory,
                                          std::int64_t memory_words, std::int32_t* chosen,
                                          std::int64_t* counts, RefusedRows* refused) {
  const std::int64_t thread = std::int64_t{block_index()} * thread_count() + thread_index();
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  std::int64_t* mine = memory + thread * memory_words;
  for (std::int64_t k = thread; k < contested_count; k += stride) {
    const std::int64_t row = contested_rows[k];
    const RowRange p = row_range(pred, row, &refused->pred_offsets);
    const RowRange g = row_range(gold, row, &refused->gold_offsets);
    counts[row] =
        kMethod == MatchMethod::kGreedy
            ? match_greedily(pred, p, gold, g, min_iou, reinterpret_cast<double*>(mine), chosen)
            : match_optimally(pred, p, gold, g, min_iou, mine, chosen);
  }
}

/// Row by row, prediction by prediction, from offsets[row] on.
FASTVBENCH_KERNEL(write_matches_kernel)(DeviceColumn pred, DeviceColumn gold,
                                        const std::int32_t* __restrict__ chosen,
                                        const std::int64_t* __restrict__ offsets,
                                        std::int64_t* __restrict__ pred_index,
                                        std::int64_t* __restrict__ gold_index,
                                        double* __restrict__ iou, RefusedRows* refused) {
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  for (std::int64_t row = std::int64_t{block_index()} * thread_count() + thread_index();
       row < pred.size; row += stride) {
    std::int64_t place = offsets[row];
    if (place == offsets[row + 1]) continue;
    const RowRange p = row_range(pred, row, &refused->pred_offsets);
    const RowRange g = row_range(gold, row, &refused->gold_offsets);
    for (std::int64_t i = 0; i < p.count; ++i) {
      const std::int32_t j = chosen[p.begin + i];
      if (j < 0) continue;
      pred_index[place] = i;
      gold_index[place] = j;
      iou[place] = iou_of(pred, p.begin + i, gold, g.begin + j);
      ++place;
    }
  }
}

}  // namespace cuda
}  // namespace fastvbench
