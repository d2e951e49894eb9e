// Set IoU of rows with up to eight intervals a side, without a branch on their order: a sorting
// network, a running maximum of ends, and whole-vector overlaps.
#include "interval/kernels.h"
#include "interval/lanes.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

// Disjoint intervals in order, in the first `count` lanes.
struct Merged {
  Doubles starts;
  Doubles ends;
  int count;
  double seconds;
};

// One layer of a sorting network: lane i exchanges with lane P<i>, the lower lane keeps the earlier
// start. Equal starts stay, on both lanes alike.
#define FASTVBENCH_EXCHANGE(starts, ends, p0, p1, p2, p3, p4, p5, p6, p7)                         \
  do {                                                                                            \
    const Doubles other = __builtin_shufflevector(starts, starts, p0, p1, p2, p3, p4, p5, p6, p7); \
    const Doubles other_end = __builtin_shufflevector(ends, ends, p0, p1, p2, p3, p4, p5, p6, p7); \
    const Longs partner = {p0, p1, p2, p3, p4, p5, p6, p7};                                       \
    const Longs is_lower = (Longs)(partner > lane_numbers());                                     \
    const Doubles kept = is_lower ? smaller(starts, other) : larger(starts, other);               \
    ends = kept == starts ? ends : other_end;                                                     \
    starts = kept;                                                                                \
  } while (false)

FASTVBENCH_INLINE double add_in_order(Doubles lanes) {
  double sum = 0.0;
  for (int lane = 0; lane < 8; ++lane) sum += lanes[lane];
  return sum;
}

FASTVBENCH_INLINE Merged merge(Doubles starts, Doubles ends, int count) {
  const Longs owned = (Longs)(lane_numbers() < all(static_cast<std::int64_t>(count)));
  starts = owned ? starts : all(kInfinity);
  ends = owned ? ends : all(-kInfinity);
  FASTVBENCH_EXCHANGE(starts, ends, 1, 0, 3, 2, 5, 4, 7, 6);
  FASTVBENCH_EXCHANGE(starts, ends, 2, 3, 0, 1, 6, 7, 4, 5);
  FASTVBENCH_EXCHANGE(starts, ends, 0, 2, 1, 3, 4, 6, 5, 7);
  if (count > 4) {
    FASTVBENCH_EXCHANGE(starts, ends, 4, 5, 6, 7, 0, 1, 2, 3);
    FASTVBENCH_EXCHANGE(starts, ends, 0, 1, 4, 5, 2, 3, 6, 7);
    FASTVBENCH_EXCHANGE(starts, ends, 0, 2, 1, 4, 3, 6, 5, 7);
  }

  // reach[i]: the latest end of intervals 0 to i.
  const Doubles never = all(-kInfinity);
  Doubles reach = larger(ends, __builtin_shufflevector(ends, never, 8, 0, 1, 2, 3, 4, 5, 6));
  reach = larger(reach, __builtin_shufflevector(reach, never, 8, 8, 0, 1, 2, 3, 4, 5));
  reach = larger(reach, __builtin_shufflevector(reach, never, 8, 8, 8, 8, 0, 1, 2, 3));
  const Doubles reach_before = __builtin_shufflevector(reach, never, 8, 0, 1, 2, 3, 4, 5, 6);
  const std::uint32_t all_owned = (1u << count) - 1;
  const std::uint32_t opens = bits((Longs)(starts > reach_before)) & all_owned;
  const std::uint32_t closes = ((opens >> 1) | (1u << count >> 1)) & all_owned;

  Merged merged;
  merged.starts = pack(starts, opens, 0.0);
  merged.ends = pack(reach, closes, 0.0);
  merged.count = __builtin_popcount(opens);
  merged.seconds = add_in_order(merged.ends - merged.starts);
  return merged;
}

// Overlaps in the order of time. Adding the pairs that don't overlap changes nothing.
FASTVBENCH_INLINE double overlap_seconds(const Merged& pred, const Merged& gold) {
  double pred_starts[8], pred_ends[8];
  store(pred_starts, pred.starts);
  store(pred_ends, pred.ends);
  // Two sides of disjoint intervals have at most 15 overlapping pairs; 8 more are junk of a store.
  double found[24];
  store(found, all(0.0));
  int found_count = 0;
  for (int i = 0; i < pred.count; ++i) {
    const Doubles overlap = smaller(all(pred_ends[i]), gold.ends) -
                            larger(all(pred_starts[i]), gold.starts);
    const std::uint32_t positive =
        bits((Longs)(overlap > all(0.0))) & ((1u << gold.count) - 1);
    store(found + found_count, pack(overlap, positive, 0.0));
    found_count += __builtin_popcount(positive);
  }
  double seconds = 0.0;
  for (int k = 0; k < found_count; ++k) seconds += found[k];
  return seconds;
}

}  // namespace

std::int64_t set_iou_rows(const IntervalColumn& pred, const IntervalColumn& gold,
                          std::int64_t begin, std::int64_t end, double* out, bool* refused) {
  const std::int64_t pred_total = pred.offsets[pred.size];
  const std::int64_t gold_total = gold.offsets[gold.size];
  Longs any_refused = {};
  std::int64_t row = begin;
  for (; row < end; ++row) {
    const std::int64_t pred_first = pred.offsets[row];
    const std::int64_t gold_first = gold.offsets[row];
    const std::int64_t pred_count = pred.offsets[row + 1] - pred_first;
    const std::int64_t gold_count = gold.offsets[row + 1] - gold_first;
    if (pred_count > kLaneCount || gold_count > kLaneCount) break;
    Doubles pred_starts, pred_ends, gold_starts, gold_ends;
    load_intervals(pred.values + 2 * pred_first, pred_count, pred_total - pred_first,
                   &pred_starts, &pred_ends);
    load_intervals(gold.values + 2 * gold_first, gold_count, gold_total - gold_first,
                   &gold_starts, &gold_ends);
    any_refused |= refused_lanes(pred_ends - pred_starts) &
                   (Longs)(lane_numbers() < all(pred_count));
    any_refused |= refused_lanes(gold_ends - gold_starts) &
                   (Longs)(lane_numbers() < all(gold_count));
    const Merged pred_merged = merge(pred_starts, pred_ends, static_cast<int>(pred_count));
    const Merged gold_merged = merge(gold_starts, gold_ends, static_cast<int>(gold_count));
    const double overlap = overlap_seconds(pred_merged, gold_merged);
    const double denominator = (pred_merged.seconds + gold_merged.seconds) - overlap;
    const double value = overlap / (denominator > 0.0 ? denominator : 1.0);
    out[row] = value < 1.0 ? value : 1.0;
  }
  if (bits(any_refused) != 0) *refused = true;
  return row;
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
