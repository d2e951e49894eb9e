// Set IoU of rows with up to eight intervals a side. With AVX-512 no branch depends on their order:
// a sorting network, a running maximum of ends, and whole-vector overlaps. Elsewhere plain loops,
// which are faster than a network in narrower registers.
#include "interval/kernels.h"
#include "interval/lanes.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

FASTVBENCH_INLINE double ratio(double overlap, double denominator) {
  const double value = overlap / (denominator > 0.0 ? denominator : 1.0);
  return value < 1.0 ? value : 1.0;
}

#ifdef FASTVBENCH_LEVEL_avx512

// Disjoint intervals in order, in the first `count` lanes.
struct Merged {
  __m512d starts;
  __m512d ends;
  int count;
  double seconds;
};

// One layer of a sorting network: lane i exchanges with lane partner[i], and the lower of the two
// keeps the earlier start. Equal starts stay, on both lanes alike.
FASTVBENCH_INLINE void exchange(__m512i partner, __mmask8 is_lower, __m512d* starts,
                                __m512d* ends) {
  const __m512d other = _mm512_maskz_permutexvar_pd(0xFF, partner, *starts);
  const __m512d other_end = _mm512_maskz_permutexvar_pd(0xFF, partner, *ends);
  const __mmask8 moves = (_mm512_cmp_pd_mask(other, *starts, _CMP_LT_OQ) & is_lower) |
                         (_mm512_cmp_pd_mask(*starts, other, _CMP_LT_OQ) & ~is_lower);
  *starts = _mm512_mask_blend_pd(moves, *starts, other);
  *ends = _mm512_mask_blend_pd(moves, *ends, other_end);
}

FASTVBENCH_INLINE void sort_by_start(int count, __m512d* starts, __m512d* ends) {
  exchange(_mm512_setr_epi64(1, 0, 3, 2, 5, 4, 7, 6), 0x55, starts, ends);
  exchange(_mm512_setr_epi64(2, 3, 0, 1, 6, 7, 4, 5), 0x33, starts, ends);
  exchange(_mm512_setr_epi64(0, 2, 1, 3, 4, 6, 5, 7), 0x22, starts, ends);
  if (count <= 4) return;
  exchange(_mm512_setr_epi64(4, 5, 6, 7, 0, 1, 2, 3), 0x0F, starts, ends);
  exchange(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), 0x0C, starts, ends);
  exchange(_mm512_setr_epi64(0, 2, 1, 4, 3, 6, 5, 7), 0x2A, starts, ends);
}

// Lane i becomes the largest of itself and lane i - kStep.
template <int kStep>
FASTVBENCH_INLINE __m512d with_lane_before(__m512d reach) {
  const __m512i never = (__m512i)_mm512_set1_pd(-kInfinity);
  const auto moved = (__m512d)_mm512_maskz_alignr_epi64(0xFF, (__m512i)reach, never, 8 - kStep);
  return _mm512_maskz_max_pd(0xFF, reach, moved);
}

FASTVBENCH_INLINE double add_in_order(__m512d lanes) {
  double values[8];
  _mm512_storeu_pd(values, lanes);
  double sum = 0.0;
  for (double value : values) sum += value;
  return sum;
}

FASTVBENCH_INLINE Merged merge(__m512d starts, __m512d ends, int count) {
  const auto owned = static_cast<__mmask8>((1u << count) - 1);
  starts = _mm512_mask_blend_pd(owned, _mm512_set1_pd(kInfinity), starts);
  ends = _mm512_mask_blend_pd(owned, _mm512_set1_pd(-kInfinity), ends);
  sort_by_start(count, &starts, &ends);

  // reach, lane i: the latest end of intervals 0 to i.
  const __m512d reach = with_lane_before<4>(with_lane_before<2>(with_lane_before<1>(ends)));
  const auto reach_before = (__m512d)_mm512_maskz_alignr_epi64(
      0xFF, (__m512i)reach, (__m512i)_mm512_set1_pd(-kInfinity), 7);
  const auto opens =
      static_cast<__mmask8>(_mm512_cmp_pd_mask(starts, reach_before, _CMP_GT_OQ) & owned);
  const auto closes = static_cast<__mmask8>(((opens >> 1) | (1u << count >> 1)) & owned);

  Merged merged;
  merged.starts = _mm512_maskz_compress_pd(opens, starts);
  merged.ends = _mm512_maskz_compress_pd(closes, reach);
  merged.count = __builtin_popcount(opens);
  merged.seconds = add_in_order(merged.ends - merged.starts);
  return merged;
}

// Overlaps in the order of time. Adding the pairs that don't overlap would change nothing.
FASTVBENCH_INLINE double overlap_seconds(const Merged& pred, const Merged& gold) {
  double pred_starts[8], pred_ends[8];
  _mm512_storeu_pd(pred_starts, pred.starts);
  _mm512_storeu_pd(pred_ends, pred.ends);
  const auto gold_owned = static_cast<__mmask8>((1u << gold.count) - 1);
  // Two sides of disjoint intervals overlap in at most 15 places; the last store adds 8 of junk.
  double found[24];
  int found_count = 0;
  for (int i = 0; i < pred.count; ++i) {
    const __m512d overlap = _mm512_maskz_min_pd(0xFF, _mm512_set1_pd(pred_ends[i]), gold.ends) -
                            _mm512_maskz_max_pd(0xFF, _mm512_set1_pd(pred_starts[i]), gold.starts);
    const auto positive = static_cast<__mmask8>(
        _mm512_cmp_pd_mask(overlap, _mm512_setzero_pd(), _CMP_GT_OQ) & gold_owned);
    _mm512_storeu_pd(found + found_count, _mm512_maskz_compress_pd(positive, overlap));
    found_count += __builtin_popcount(positive);
  }
  double seconds = 0.0;
  for (int k = 0; k < found_count; ++k) seconds += found[k];
  return seconds;
}

FASTVBENCH_INLINE double set_iou(const Doubles& pred_starts, const Doubles& pred_ends,
                                 int pred_count, const Doubles& gold_starts,
                                 const Doubles& gold_ends, int gold_count) {
  const Merged pred = merge(pred_starts.part[0], pred_ends.part[0], pred_count);
  const Merged gold = merge(gold_starts.part[0], gold_ends.part[0], gold_count);
  const double overlap = overlap_seconds(pred, gold);
  return ratio(overlap, (pred.seconds + gold.seconds) - overlap);
}

#else

struct Merged {
  double starts[8];
  double ends[8];
  int count;
  double seconds;
};

FASTVBENCH_INLINE void merge(const Doubles& start_lanes, const Doubles& end_lanes, int count,
                             Merged* merged) {
  double raw_starts[8], raw_ends[8];
  store(raw_starts, start_lanes);
  store(raw_ends, end_lanes);
  double* starts = merged->starts;
  double* ends = merged->ends;
  for (int i = 0; i < count; ++i) {
    int at = i;
    for (; at > 0 && starts[at - 1] > raw_starts[i]; --at) {
      starts[at] = starts[at - 1];
      ends[at] = ends[at - 1];
    }
    starts[at] = raw_starts[i];
    ends[at] = raw_ends[i];
  }
  int last = 0;
  for (int i = 1; i < count; ++i) {
    if (starts[i] <= ends[last]) {
      ends[last] = ends[last] < ends[i] ? ends[i] : ends[last];
    } else {
      ++last;
      starts[last] = starts[i];
      ends[last] = ends[i];
    }
  }
  merged->count = count == 0 ? 0 : last + 1;
  merged->seconds = 0.0;
  for (int i = 0; i < merged->count; ++i) merged->seconds += ends[i] - starts[i];
}

FASTVBENCH_INLINE double set_iou(const Doubles& pred_starts, const Doubles& pred_ends,
                                 int pred_count, const Doubles& gold_starts,
                                 const Doubles& gold_ends, int gold_count) {
  Merged pred, gold;
  merge(pred_starts, pred_ends, pred_count, &pred);
  merge(gold_starts, gold_ends, gold_count, &gold);
  double overlap = 0.0;
  for (int i = 0, j = 0; i < pred.count && j < gold.count;) {
    const double start = pred.starts[i] > gold.starts[j] ? pred.starts[i] : gold.starts[j];
    const bool pred_ends_first = pred.ends[i] < gold.ends[j];
    const double seconds = (pred_ends_first ? pred.ends[i] : gold.ends[j]) - start;
    overlap += seconds > 0.0 ? seconds : 0.0;
    i += pred_ends_first;
    j += !pred_ends_first;
  }
  return ratio(overlap, (pred.seconds + gold.seconds) - overlap);
}

#endif

}  // namespace

std::int64_t set_iou_rows(const IntervalColumn& pred, const IntervalColumn& gold,
                          std::int64_t begin, std::int64_t end, double* out, bool* refused) {
  const std::int64_t pred_total = pred.offsets[pred.size];
  const std::int64_t gold_total = gold.offsets[gold.size];
  Longs any_refused = all(std::int64_t{0});
  std::int64_t row = begin;
  for (; row < end; ++row) {
    const std::int64_t pred_first = pred.offsets[row];
    const std::int64_t gold_first = gold.offsets[row];
    const std::int64_t pred_count = pred.offsets[row + 1] - pred_first;
    const std::int64_t gold_count = gold.offsets[row + 1] - gold_first;
    if (pred_count > kLaneCount || gold_count > kLaneCount) break;
    Doubles pred_starts, pred_ends, gold_starts, gold_ends;
    load_intervals(pred.values + 2 * pred_first, pred_count, pred_total - pred_first, &pred_starts,
                   &pred_ends);
    load_intervals(gold.values + 2 * gold_first, gold_count, gold_total - gold_first, &gold_starts,
                   &gold_ends);
    const Longs lanes = lane_numbers();
    any_refused = any_refused |
                  (refused_lanes(pred_ends - pred_starts) & (lanes < all(pred_count))) |
                  (refused_lanes(gold_ends - gold_starts) & (lanes < all(gold_count)));
    out[row] = set_iou(pred_starts, pred_ends, static_cast<int>(pred_count), gold_starts, gold_ends,
                       static_cast<int>(gold_count));
  }
  if (bits(any_refused) != 0) *refused = true;
  return row;
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
