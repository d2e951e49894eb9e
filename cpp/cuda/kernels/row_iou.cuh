// One IoU per row of two columns. Rows are small, mostly: a thread does its own row where both
// sides fit kThreadIntervals; the others are done by the whole warp, one after another.
#pragma once

#include "device.cuh"
#include "interval/sweep.h"
#include "kernels/interval_rows.cuh"

namespace fastvbench {
namespace cuda {

constexpr std::int64_t kThreadIntervals = 8;

/// A side of a row, sorted and merged by one thread in its own memory.
struct MergedSide {
  double starts[kThreadIntervals];
  double ends[kThreadIntervals];
  std::int64_t count;
};

FASTVBENCH_DEVICE void merge_side(const double* values, const RowRange& range, MergedSide* side) {
  for (std::int64_t i = 0; i < range.count; ++i) {
    const double* pair = values + 2 * (range.begin + i);
    insert_by_start<1>(side->starts, side->ends, i, pair[0], pair[1]);
  }
  side->count = merge_sorted<1>(side->starts, side->ends, range.count);
}

FASTVBENCH_DEVICE double thread_set_iou(const DeviceColumn& pred, const RowRange& pred_range,
                                        const DeviceColumn& gold, const RowRange& gold_range) {
  MergedSide p, g;
  merge_side(pred.values, pred_range, &p);
  merge_side(gold.values, gold_range, &g);
  const double overlap = overlap_seconds<1>(p.starts, p.ends, p.count, g.starts, g.ends, g.count);
  return set_iou_of(overlap, seconds_of<1>(p.starts, p.ends, p.count),
                    seconds_of<1>(g.starts, g.ends, g.count));
}

/// A warp copies a side in order of start to the same places of `sorted`: an interval's rank is how
/// many come before it. Where NaNs leave places unwritten, the row is refused anyway.
FASTVBENCH_DEVICE void warp_sort(const double* values, const RowRange& range, double* sorted) {
  const double* pairs = values + 2 * range.begin;
  double* out = sorted + 2 * range.begin;
  for (std::int64_t i = lane_index(); i < range.count; i += kWarpSize) {
    const double start = pairs[2 * i];
    std::int64_t rank = 0;
    for (std::int64_t j = 0; j < range.count; ++j) {
      const double other = pairs[2 * j];
      rank += other < start || (other == start && j < i) ? 1 : 0;
    }
    out[2 * rank] = start;
    out[2 * rank + 1] = pairs[2 * i + 1];
  }
}

/// Lane 0 has the value. Sums run in the order of time, so one lane adds them.
FASTVBENCH_DEVICE double warp_set_iou(const DeviceColumn& pred, const RowRange& pred_range,
                                      const DeviceColumn& gold, const RowRange& gold_range,
                                      double* sorted_pred, double* sorted_gold) {
  warp_sort(pred.values, pred_range, sorted_pred);
  warp_sort(gold.values, gold_range, sorted_gold);
  sync_warp();
  double* p = sorted_pred + 2 * pred_range.begin;
  double* g = sorted_gold + 2 * gold_range.begin;
  double value = 0.0;
  if (lane_index() == 0) {
    const std::int64_t pred_count = merge_sorted<2>(p, p + 1, pred_range.count);
    const std::int64_t gold_count = merge_sorted<2>(g, g + 1, gold_range.count);
    const double overlap = overlap_seconds<2>(p, p + 1, pred_count, g, g + 1, gold_count);
    value = set_iou_of(overlap, seconds_of<2>(p, p + 1, pred_count),
                       seconds_of<2>(g, g + 1, gold_count));
  }
  return value;
}

/// The best IoU of every `step`th pair from `first` on, of the first prediction or of all.
FASTVBENCH_DEVICE double best_iou(const DeviceColumn& pred, const RowRange& pred_range,
                                  const DeviceColumn& gold, const RowRange& gold_range,
                                  std::int64_t pred_count, std::int64_t first, std::int64_t step) {
  double best = 0.0;
  for (std::int64_t pair = first; pair < pred_count * gold_range.count; pair += step) {
    const double iou = iou_of(pred, pred_range.begin + pair / gold_range.count, gold,
                              gold_range.begin + pair % gold_range.count);
    best = iou > best ? iou : best;
  }
  return best;
}

FASTVBENCH_DEVICE bool any_refused(const DeviceColumn& column, const RowRange& range,
                                   std::int64_t first, std::int64_t step) {
  bool found = false;
  for (std::int64_t i = first; i < range.count; i += step) {
    found = found || is_refused(column, range.begin + i);
  }
  return found;
}

/// `sorted_pred` and `sorted_gold` have the sizes of the values; they are used by kUnion alone, for
/// rows that a warp does.
template <IouConvention kConvention>
FASTVBENCH_KERNEL(row_iou_kernel)(DeviceColumn pred, DeviceColumn gold,
                                  double* __restrict__ sorted_pred,
                                  double* __restrict__ sorted_gold, double* __restrict__ out,
                                  RefusedRows* refused) {
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  // All lanes of a warp go round together, also past the last row.
  for (std::int64_t first = std::int64_t{block_index()} * thread_count() + warp_index() * kWarpSize;
       first < pred.size; first += stride) {
    const std::int64_t row = first + lane_index();
    RowRange p = {0, 0};
    RowRange g = {0, 0};
    if (row < pred.size) {
      p = row_range(pred, row, &refused->pred_offsets);
      g = row_range(gold, row, &refused->gold_offsets);
    }
    if (p.count > kMostRowIntervals || g.count > kMostRowIntervals) {
      atomic_min(&refused->large, row);
      p.count = g.count = 0;
    }
    const bool is_small = p.count <= kThreadIntervals && g.count <= kThreadIntervals;
    double value = 0.0;
    if (is_small) {
      if (any_refused(pred, p, 0, 1) || any_refused(gold, g, 0, 1)) {
        atomic_min(&refused->interval, row);
      }
      if (p.count > 0 && g.count > 0) {
        value = kConvention == IouConvention::kUnion
                    ? thread_set_iou(pred, p, gold, g)
                    : best_iou(pred, p, gold, g, kConvention == IouConvention::kFirst ? 1 : p.count,
                               0, 1);
      }
    }
    for (std::uint32_t large = ballot(!is_small); large != 0; large &= large - 1) {
      const std::int32_t owner = lowest_bit(large);
      const RowRange warp_p = {shuffle(p.begin, owner), shuffle(p.count, owner)};
      const RowRange warp_g = {shuffle(g.begin, owner), shuffle(g.count, owner)};
      if (any_refused(pred, warp_p, lane_index(), kWarpSize) ||
          any_refused(gold, warp_g, lane_index(), kWarpSize)) {
        atomic_min(&refused->interval, first + owner);
      }
      double warp_value = 0.0;
      if (warp_p.count > 0 && warp_g.count > 0) {
        if (kConvention == IouConvention::kUnion) {
          warp_value = warp_set_iou(pred, warp_p, gold, warp_g, sorted_pred, sorted_gold);
        } else {
          warp_value = best_iou(pred, warp_p, gold, warp_g,
                                kConvention == IouConvention::kFirst ? 1 : warp_p.count,
                                lane_index(), kWarpSize);
          for (std::int32_t half = kWarpSize / 2; half > 0; half /= 2) {
            const double other = shuffle_xor(warp_value, half);
            warp_value = other > warp_value ? other : warp_value;
          }
        }
      }
      warp_value = shuffle(warp_value, 0);
      if (lane_index() == owner) value = warp_value;
    }
    if (row < pred.size) out[row] = value;
  }
}

/// Counts rows for one threshold per y; the last y counts the rows with gold.
FASTVBENCH_KERNEL(count_reached_kernel)(const double* __restrict__ ious, DeviceColumn pred,
                                        DeviceColumn gold, const double* __restrict__ thresholds,
                                        std::int64_t threshold_count, bool is_strict,
                                        std::int64_t* counts, RefusedRows* refused) {
  const bool is_total = block_index_y() == threshold_count;
  const double threshold = is_total ? 0.0 : thresholds[block_index_y()];
  std::int64_t mine = 0;
  const std::int64_t stride = std::int64_t{block_count()} * thread_count();
  for (std::int64_t row = std::int64_t{block_index()} * thread_count() + thread_index();
       row < pred.size; row += stride) {
    if (row_range(gold, row, &refused->gold_offsets).count == 0) continue;
    const bool is_reached = is_strict ? ious[row] > threshold : ious[row] >= threshold;
    if (is_total || (is_reached && row_range(pred, row, &refused->pred_offsets).count > 0)) ++mine;
  }
  for (std::int32_t half = kWarpSize / 2; half > 0; half /= 2) mine += shuffle_xor(mine, half);
  if (lane_index() == 0) atomic_add(counts + block_index_y(), mine);
}

}  // namespace cuda
}  // namespace fastvbench
