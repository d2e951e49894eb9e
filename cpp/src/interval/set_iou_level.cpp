// Set IoU of rows with up to eight intervals a side. With AVX-512 no branch depends on their order:
// a sorting network, a running maximum of ends, and whole-vector overlaps. Elsewhere plain loops,
// which are faster than a network in narrower registers.
#include "interval/kernels.h"
#include "interval/lanes.h"
#include "interval/sweep.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

#ifdef FASTVBENCH_LEVEL_avx512

// Rows are merged a batch at a time and only then compared. How many intervals a row merges into is
// a branch nobody can predict; by then it is known, so a wrong guess costs little.
constexpr std::int64_t kBatchRows = 32;

// One side of a row as disjoint intervals in order, in the first `count` lanes; 0 in the others.
struct Merged {
  double starts[8];
  double ends[8];
  int count;
};
struct MergedRow {
  Merged pred;
  Merged gold;
};

FASTVBENCH_INLINE __m512d permuted(__m512d lanes, __m512i from) {
  return _mm512_maskz_permutexvar_pd(0xFF, from, lanes);
}
FASTVBENCH_INLINE __m512d larger(__m512d a, __m512d b) { return _mm512_maskz_max_pd(0xFF, a, b); }
FASTVBENCH_INLINE __m512d smaller(__m512d a, __m512d b) { return _mm512_maskz_min_pd(0xFF, a, b); }

FASTVBENCH_INLINE __mmask8 first_lanes(std::int64_t count) {
  return static_cast<__mmask8>((1u << count) - 1);
}
FASTVBENCH_INLINE __mmask8 last_of_first_lanes(std::int64_t count) {
  return static_cast<__mmask8>(1u << count >> 1);
}

FASTVBENCH_INLINE __mmask8 refused(__m512d starts, __m512d ends, __mmask8 owned) {
  const __m512d lengths = ends - starts;
  const __mmask8 valid = _mm512_cmp_pd_mask(lengths, _mm512_setzero_pd(), _CMP_GE_OQ) &
                         _mm512_cmp_pd_mask(lengths, _mm512_set1_pd(kLongestSeconds), _CMP_LE_OQ);
  return static_cast<__mmask8>(owned & ~valid);
}

// One layer of a sorting network: lane i exchanges with lane partner[i], and the lower of the two
// keeps the earlier start. Equal starts stay, on both lanes alike.
FASTVBENCH_INLINE void exchange(__m512i partner, __mmask8 is_lower, __m512d* starts,
                                __m512d* ends) {
  const __m512d other = permuted(*starts, partner);
  const __m512d other_end = permuted(*ends, partner);
  const auto is_higher = static_cast<__mmask8>(~is_lower);
  const __m512d kept = _mm512_mask_max_pd(smaller(*starts, other), is_higher, *starts, other);
  const __mmask8 moves = _mm512_cmp_pd_mask(kept, *starts, _CMP_NEQ_UQ);
  *ends = _mm512_mask_blend_pd(moves, *ends, other_end);
  *starts = kept;
}

// Sorts each half of four lanes by start.
FASTVBENCH_INLINE void sort_halves(__m512d* starts, __m512d* ends) {
  exchange(_mm512_setr_epi64(1, 0, 3, 2, 5, 4, 7, 6), 0x55, starts, ends);
  exchange(_mm512_setr_epi64(2, 3, 0, 1, 6, 7, 4, 5), 0x33, starts, ends);
  exchange(_mm512_setr_epi64(0, 2, 1, 3, 4, 6, 5, 7), 0x22, starts, ends);
}

FASTVBENCH_INLINE void merge_sorted_halves(__m512d* starts, __m512d* ends) {
  exchange(_mm512_setr_epi64(4, 5, 6, 7, 0, 1, 2, 3), 0x0F, starts, ends);
  exchange(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), 0x0C, starts, ends);
  exchange(_mm512_setr_epi64(0, 2, 1, 4, 3, 6, 5, 7), 0x2A, starts, ends);
}

// Keeps the starts of the lanes that open a merged interval, and the reach of those that close one.
FASTVBENCH_INLINE void store_merged(__m512d starts, __m512d reach, __mmask8 opens, __mmask8 closes,
                                    Merged* merged) {
  _mm512_storeu_pd(merged->starts, _mm512_maskz_compress_pd(opens, starts));
  _mm512_storeu_pd(merged->ends, _mm512_maskz_compress_pd(closes, reach));
  merged->count = __builtin_popcount(opens);
}

// A side of up to eight intervals. `reach`, lane i, is the latest end of intervals 0 to i in order.
FASTVBENCH_INLINE __mmask8 merge_side(const double* values, std::int64_t count,
                                      std::int64_t readable, Merged* merged) {
  Doubles start_lanes, end_lanes;
  load_intervals(values, count, readable, &start_lanes, &end_lanes);
  const __mmask8 owned = first_lanes(count);
  const __mmask8 is_refused = refused(start_lanes.part[0], end_lanes.part[0], owned);
  __m512d starts = _mm512_mask_blend_pd(owned, _mm512_set1_pd(kInfinity), start_lanes.part[0]);
  __m512d ends = _mm512_mask_blend_pd(owned, _mm512_set1_pd(-kInfinity), end_lanes.part[0]);
  sort_halves(&starts, &ends);
  merge_sorted_halves(&starts, &ends);
  __m512d reach = ends;
  reach = larger(reach, permuted(reach, _mm512_setr_epi64(0, 0, 1, 2, 3, 4, 5, 6)));
  reach = larger(reach, permuted(reach, _mm512_setr_epi64(0, 1, 0, 1, 2, 3, 4, 5)));
  reach = larger(reach, permuted(reach, _mm512_setr_epi64(0, 1, 2, 3, 0, 1, 2, 3)));
  const __m512d before = permuted(reach, _mm512_setr_epi64(0, 0, 1, 2, 3, 4, 5, 6));
  const auto opens =
      static_cast<__mmask8>((_mm512_cmp_pd_mask(starts, before, _CMP_GT_OQ) | 0x01) & owned);
  const auto closes = static_cast<__mmask8>(((opens >> 1) | last_of_first_lanes(count)) & owned);
  store_merged(starts, reach, opens, closes, merged);
  return is_refused;
}

// Both sides of a row with up to four intervals each, in the two halves of one register.
FASTVBENCH_INLINE __mmask8 merge_both(const double* pred, std::int64_t pred_count,
                                      const double* gold, std::int64_t gold_count, MergedRow* row) {
  const __m512d pred_pairs = _mm512_loadu_pd(pred);
  const __m512d gold_pairs = _mm512_loadu_pd(gold);
  __m512d starts =
      _mm512_permutex2var_pd(pred_pairs, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), gold_pairs);
  __m512d ends =
      _mm512_permutex2var_pd(pred_pairs, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), gold_pairs);
  const auto owned = static_cast<__mmask8>(first_lanes(pred_count) | first_lanes(gold_count) << 4);
  const __mmask8 is_refused = refused(starts, ends, owned);
  starts = _mm512_mask_blend_pd(owned, _mm512_set1_pd(kInfinity), starts);
  ends = _mm512_mask_blend_pd(owned, _mm512_set1_pd(-kInfinity), ends);
  sort_halves(&starts, &ends);
  __m512d reach = ends;
  reach = larger(reach, permuted(reach, _mm512_setr_epi64(0, 0, 1, 2, 4, 4, 5, 6)));
  reach = larger(reach, permuted(reach, _mm512_setr_epi64(0, 1, 0, 1, 4, 5, 4, 5)));
  const __m512d before = permuted(reach, _mm512_setr_epi64(0, 0, 1, 2, 4, 4, 5, 6));
  const auto opens =
      static_cast<__mmask8>((_mm512_cmp_pd_mask(starts, before, _CMP_GT_OQ) | 0x11) & owned);
  const auto last =
      static_cast<__mmask8>(last_of_first_lanes(pred_count) | last_of_first_lanes(gold_count) << 4);
  const auto closes = static_cast<__mmask8>(((opens >> 1) | last) & owned);
  store_merged(starts, reach, opens & 0x0F, closes & 0x0F, &row->pred);
  store_merged(starts, reach, opens & 0xF0, closes & 0xF0, &row->gold);
  return is_refused;
}

// Adds the first `count` of eight or more values in order; those after them are 0, and adding some
// of them changes nothing.
FASTVBENCH_INLINE double add_in_order(const double* values, int count) {
  double sum = 0.0;
  for (int k = 0; k < 4; ++k) sum += values[k];
  for (int k = 4; k < count; ++k) sum += values[k];
  return sum;
}

FASTVBENCH_INLINE double seconds_of(const Merged& side) {
  double lengths[8];
  _mm512_storeu_pd(lengths, _mm512_loadu_pd(side.ends) - _mm512_loadu_pd(side.starts));
  return add_in_order(lengths, side.count);
}

// Positive overlaps in the order of lanes go to `found`; a store writes zeros after them.
FASTVBENCH_INLINE int store_overlaps(__m512d pred_starts, __m512d pred_ends, __m512d gold_starts,
                                     __m512d gold_ends, double* found) {
  const __m512d overlap = smaller(pred_ends, gold_ends) - larger(pred_starts, gold_starts);
  const __mmask8 positive = _mm512_cmp_pd_mask(overlap, _mm512_setzero_pd(), _CMP_GT_OQ);
  _mm512_storeu_pd(found, _mm512_maskz_compress_pd(positive, overlap));
  return __builtin_popcount(positive);
}

// Overlaps are added in the order of time. Lanes without an interval hold one of no length, which
// overlaps nothing, so no lane needs a mask.
FASTVBENCH_INLINE double overlap_seconds(const Merged& pred, const Merged& gold) {
  // Two sides of disjoint intervals overlap in 15 places at most; a refused row's may in all.
  double found[kLaneCount * kLaneCount + kLaneCount];
  int found_count = 0;
  if (pred.count <= 4 && gold.count <= 4) {
    // Two predictions against four golds at a time.
    const __m512d gold_starts = _mm512_maskz_broadcast_f64x4(0xFF, _mm256_loadu_pd(gold.starts));
    const __m512d gold_ends = _mm512_maskz_broadcast_f64x4(0xFF, _mm256_loadu_pd(gold.ends));
    const __m512d pred_starts = _mm512_loadu_pd(pred.starts);
    const __m512d pred_ends = _mm512_loadu_pd(pred.ends);
    const __m512i first_two = _mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1);
    const __m512i last_two = _mm512_setr_epi64(2, 2, 2, 2, 3, 3, 3, 3);
    found_count = store_overlaps(permuted(pred_starts, first_two), permuted(pred_ends, first_two),
                                 gold_starts, gold_ends, found);
    found_count += store_overlaps(permuted(pred_starts, last_two), permuted(pred_ends, last_two),
                                  gold_starts, gold_ends, found + found_count);
  } else {
    _mm512_storeu_pd(found, _mm512_setzero_pd());
    const __m512d gold_starts = _mm512_loadu_pd(gold.starts);
    const __m512d gold_ends = _mm512_loadu_pd(gold.ends);
    for (int i = 0; i < pred.count; ++i) {
      found_count += store_overlaps(_mm512_set1_pd(pred.starts[i]), _mm512_set1_pd(pred.ends[i]),
                                    gold_starts, gold_ends, found + found_count);
    }
  }
  return add_in_order(found, found_count);
}

#else

struct Merged {
  double starts[8];
  double ends[8];
  std::int64_t count;
  double seconds;
};

FASTVBENCH_INLINE void merge(const Doubles& start_lanes, const Doubles& end_lanes, int count,
                             Merged* merged) {
  double raw_starts[8], raw_ends[8];
  store(raw_starts, start_lanes);
  store(raw_ends, end_lanes);
  for (int i = 0; i < count; ++i) {
    insert_by_start<1>(merged->starts, merged->ends, i, raw_starts[i], raw_ends[i]);
  }
  merged->count = merge_sorted<1>(merged->starts, merged->ends, count);
  merged->seconds = seconds_of<1>(merged->starts, merged->ends, merged->count);
}

FASTVBENCH_INLINE double set_iou(const Doubles& pred_starts, const Doubles& pred_ends,
                                 int pred_count, const Doubles& gold_starts,
                                 const Doubles& gold_ends, int gold_count) {
  Merged pred, gold;
  merge(pred_starts, pred_ends, pred_count, &pred);
  merge(gold_starts, gold_ends, gold_count, &gold);
  const double overlap =
      overlap_seconds<1>(pred.starts, pred.ends, pred.count, gold.starts, gold.ends, gold.count);
  return set_iou_of(overlap, pred.seconds, gold.seconds);
}

#endif

}  // namespace

#ifdef FASTVBENCH_LEVEL_avx512

std::int64_t set_iou_rows(const IntervalColumn& pred, const IntervalColumn& gold,
                          std::int64_t begin, std::int64_t end, double* out, bool* refused) {
  const std::int64_t pred_total = pred.offsets[pred.size];
  const std::int64_t gold_total = gold.offsets[gold.size];
  MergedRow batch[kBatchRows];
  __mmask8 any_refused = 0;
  bool is_small = true;
  std::int64_t row = begin;
  while (row < end && is_small) {
    const std::int64_t first = row;
    for (; row < end && row - first < kBatchRows; ++row) {
      const std::int64_t pred_first = pred.offsets[row];
      const std::int64_t gold_first = gold.offsets[row];
      const std::int64_t pred_count = pred.offsets[row + 1] - pred_first;
      const std::int64_t gold_count = gold.offsets[row + 1] - gold_first;
      const double* pred_pairs = pred.values + 2 * pred_first;
      const double* gold_pairs = gold.values + 2 * gold_first;
      MergedRow* merged = &batch[row - first];
      if (pred_count <= 4 && gold_count <= 4 && pred_total - pred_first >= 4 &&
          gold_total - gold_first >= 4) {
        any_refused |= merge_both(pred_pairs, pred_count, gold_pairs, gold_count, merged);
      } else if (pred_count <= kLaneCount && gold_count <= kLaneCount) {
        any_refused |= merge_side(pred_pairs, pred_count, pred_total - pred_first, &merged->pred);
        any_refused |= merge_side(gold_pairs, gold_count, gold_total - gold_first, &merged->gold);
      } else {
        is_small = false;
        break;
      }
    }
    for (std::int64_t done = first; done < row; ++done) {
      const MergedRow& merged = batch[done - first];
      const double overlap = overlap_seconds(merged.pred, merged.gold);
      out[done] = set_iou_of(overlap, seconds_of(merged.pred), seconds_of(merged.gold));
    }
  }
  if (any_refused != 0) *refused = true;
  return row;
}

#else

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

#endif

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
