// Optimal matching of small rows in registers.
//
// A pair's gain is one integer: its weight llround(IoU * 2^40) above a digit of its prediction's
// place, (gold count - gold index) * (gold count + 1)^(predictions after it). Maximising the sum of
// gains therefore maximises the weight first and then takes the lexicographically first sequence,
// and two matchings never tie. Where each prediction's best gold is its own, that is the answer;
// otherwise sets of the smaller side are tried in a table.
#include "interval/kernels.h"
#include "interval/lanes.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

constexpr double kSmallestDouble = __DBL_DENORM_MIN__;
constexpr int kDigitBits = 20;            // all digits of a row stay below 2^20
constexpr std::int64_t kMostInTable = 6;  // intervals of the smaller side: 2^6 sets
// 6 * 2^40 * 2^20 + 2^20 < 2^63: no sum of gains overflows.

struct Gains {
  std::int64_t of[kLaneCount][kLaneCount];  // [gold][prediction]; 0: may not match
  double iou[kLaneCount][kLaneCount];
};

// llround(iou * 2^40) of values in [0, 1]: the product is exact, half goes up.
FASTVBENCH_INLINE Longs weights(const Doubles& iou) {
  const Doubles scaled = iou * all(1099511627776.0);
#ifdef FASTVBENCH_LEVEL_avx512
  // Rounded towards 0, the sum never reaches a whole number that the exact one doesn't.
  const __m512d with_half = _mm512_maskz_add_round_pd(0xFF, scaled.part[0], _mm512_set1_pd(0.5),
                                                      _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  Longs whole;
  whole.part[0] = (LongRegister)_mm512_maskz_cvttpd_epi64(0xFF, with_half);
  return whole;
#else
  // Adding 2^52 rounds to a whole number and leaves it in the low bits; a rounding up is undone.
  const Doubles shift = all(4503599627370496.0);
  const Doubles shifted = scaled + shift;
  const Doubles rounded = shifted - shift;
  const Longs too_high = rounded > scaled;
  const Longs whole = bit_patterns(shifted) - bit_patterns(shift) + too_high;
  const Doubles back = select(too_high, rounded - all(1.0), rounded);
  return whole - (scaled - back >= all(0.5));
#endif
}

FASTVBENCH_INLINE Longs shifted_by_digits(const Longs& weight) {
  Longs shifted;
  for (int k = 0; k < kParts; ++k) shifted.part[k] = weight.part[k] << kDigitBits;
  return shifted;
}

// Where lane i, as a set, holds element 0, 1 or 2.
template <int kBit>
FASTVBENCH_INLINE Longs lanes_with() {
  constexpr std::int64_t kHas[8] = {0 & kBit ? -1 : 0, 1 & kBit ? -1 : 0, 2 & kBit ? -1 : 0,
                                    3 & kBit ? -1 : 0, 4 & kBit ? -1 : 0, 5 & kBit ? -1 : 0,
                                    6 & kBit ? -1 : 0, 7 & kBit ? -1 : 0};
  return load(kHas);
}

// Sets with an element, eight in a register: the best of what they had and of what the set without
// the element had, plus its pair's gain.
template <int kBit>
FASTVBENCH_INLINE Longs with_element(const Longs& after, const Longs& before,
                                     std::int64_t pair_gain) {
  return larger(after, (swapped<kBit>(before) + all(pair_gain)) & lanes_with<kBit>());
}

// Finds the best gain of every set of the smaller side (of kSmallCount at most) after each interval
// of the larger side, then reads the choices back. `gain(large, small)` and `choose(large, small or
// -1)` know which side is which. A pair that may not match gains 0, which never beats leaving the
// smaller one unmatched; so do the elements that the smaller side has not got.
template <int kSmallCount, typename Gain, typename Choose>
FASTVBENCH_INLINE void match_by_table(int large_count, Gain gain, Choose choose) {
  static_assert(kSmallCount >= 3, "a register holds the sets of three");
  constexpr int kSetCount = 1 << kSmallCount;
  constexpr int kRegisters = kSetCount / 8;
  std::int64_t best[kLaneCount + 1][kSetCount];
  Longs before[kRegisters];
  for (int k = 0; k < kRegisters; ++k) {
    before[k] = all(std::int64_t{0});
    store(best[0] + 8 * k, before[k]);
  }
  for (int large = 0; large < large_count; ++large) {
    std::int64_t gains[kSmallCount];
    for (int small = 0; small < kSmallCount; ++small) {
      gains[small] = gain(large, small);
    }
    Longs after[kRegisters];
    for (int k = 0; k < kRegisters; ++k) {
      after[k] = with_element<1>(before[k], before[k], gains[0]);
      after[k] = with_element<2>(after[k], before[k], gains[1]);
      after[k] = with_element<4>(after[k], before[k], gains[2]);
      for (int small = 3; small < kSmallCount; ++small) {
        const int bit = 1 << (small - 3);
        if ((k & bit) != 0) after[k] = larger(after[k], before[k ^ bit] + all(gains[small]));
      }
    }
    for (int k = 0; k < kRegisters; ++k) {
      before[k] = after[k];
      store(best[large + 1] + 8 * k, after[k]);
    }
  }
  // No two matchings tie, so at most one pair explains a set's gain.
  int set = kSetCount - 1;
  for (int large = large_count - 1; large >= 0; --large) {
    const std::int64_t reached = best[large + 1][set];
    int chosen = -1;
    for (int small = 0; small < kSmallCount; ++small) {
      const std::int64_t pair_gain = gain(large, small);
      const int without = set & ~(1 << small);
      const bool explains =
          (without != set) & (pair_gain != 0) & (best[large][without] + pair_gain == reached);
      chosen = explains ? small : chosen;
    }
    choose(large, chosen);
    set = chosen < 0 ? set : set & ~(1 << chosen);
  }
}

template <int kSmallCount>
FASTVBENCH_INLINE void match_sides(const Gains& gains, int pred_count, int gold_count,
                                   std::int64_t* chosen) {
  if (gold_count <= pred_count) {
    match_by_table<kSmallCount>(
        pred_count, [&](int i, int j) { return gains.of[j][i]; },
        [&](int i, int j) { chosen[i] = j; });
  } else {
    match_by_table<kSmallCount>(
        gold_count, [&](int j, int i) { return gains.of[j][i]; },
        [&](int j, int i) {
          if (i >= 0) chosen[i] = j;
        });
  }
}

// Fills chosen[prediction] (gold index or -1) and chosen_iou.
__attribute__((noinline)) void match_contested(const Gains& gains, int pred_count, int gold_count,
                                               std::int64_t* chosen, double* chosen_iou) {
  for (int i = 0; i < kLaneCount; ++i) chosen[i] = -1;
  switch (pred_count < gold_count ? pred_count : gold_count) {
    case 1:
    case 2:
    case 3:
      match_sides<3>(gains, pred_count, gold_count, chosen);
      break;
    case 4:
      match_sides<4>(gains, pred_count, gold_count, chosen);
      break;
    case 5:
      match_sides<5>(gains, pred_count, gold_count, chosen);
      break;
    default:
      match_sides<6>(gains, pred_count, gold_count, chosen);
      break;
  }
  for (int i = 0; i < pred_count; ++i) {
    const std::int64_t gold = chosen[i] < 0 ? 0 : chosen[i];
    chosen_iou[i] = gains.iou[gold][i];
  }
}

// By the two sides' counts.
struct PlaceTable {
  // [gold count][pred count][prediction]: what one step of a prediction's digit is worth, and what
  // its first digit is: gold count steps.
  std::int64_t places[kLaneCount + 1][kLaneCount + 1][kLaneCount];
  std::int64_t first_digits[kLaneCount + 1][kLaneCount + 1][kLaneCount];
  bool fits[kLaneCount + 1][kLaneCount + 1];  // in kDigitBits, and in the table of sets
};

constexpr PlaceTable make_place_table() {
  PlaceTable table{};
  for (std::int64_t gold = 0; gold <= kLaneCount; ++gold) {
    for (std::int64_t pred = 0; pred <= kLaneCount; ++pred) {
      std::int64_t place = 1;
      for (std::int64_t i = pred - 1; i >= 0; --i) {
        table.places[gold][pred][i] = place;
        table.first_digits[gold][pred][i] = place * gold;
        place *= gold + 1;  // at most 9^8
      }
      const std::int64_t smaller_side = gold < pred ? gold : pred;
      table.fits[gold][pred] =
          place <= std::int64_t{1} << kDigitBits && smaller_side <= kMostInTable;
    }
  }
  return table;
}
constexpr PlaceTable kPlaceTable = make_place_table();

// Each prediction's best gold, before it is known whether others want it too.
struct Wishes {
  Gains gains;
  std::int64_t gold[kLaneCount];
  std::int64_t gold_bit[kLaneCount];
  double iou[kLaneCount];
  std::uint32_t wishing;  // predictions that may match any gold
  int pred_count;
  int gold_count;
};

// Wishes are taken a batch at a time and only then granted: whether two predictions want the same
// gold is a branch nobody can predict, and by then its answer is at hand.
constexpr std::int64_t kBatchRows = 16;

// The rows of one prediction register against golds, four at a time: a count of loops that changes
// from row to row would be guessed wrong.
FASTVBENCH_INLINE Longs take_wishes(const Doubles& pred_start_lanes, const Doubles& pred_end_lanes,
                                    std::int64_t pred_count, const Doubles& gold_start_lanes,
                                    const Doubles& gold_end_lanes, std::int64_t gold_count,
                                    double least_iou, Wishes* wishes) {
  // Lanes beyond the row's intervals get one without length, which nothing overlaps.
  const Longs pred_owned = lane_numbers() < all(pred_count);
  const Longs gold_owned = lane_numbers() < all(gold_count);
  const Doubles pred_starts = select(pred_owned, pred_start_lanes, all(0.0));
  const Doubles pred_ends = select(pred_owned, pred_end_lanes, all(0.0));
  const Doubles gold_starts = select(gold_owned, gold_start_lanes, all(0.0));
  const Doubles gold_ends = select(gold_owned, gold_end_lanes, all(0.0));
  const Doubles pred_lengths = pred_ends - pred_starts;
  const Doubles gold_lengths = gold_ends - gold_starts;
  double starts[8], ends[8], lengths[8];
  store(starts, gold_starts);
  store(ends, gold_ends);
  store(lengths, gold_lengths);
  const Longs places = load(kPlaceTable.places[gold_count][pred_count]);
  Longs digits = load(kPlaceTable.first_digits[gold_count][pred_count]);
  Longs best = all(std::int64_t{0});
  Longs best_gold = all(std::int64_t{0});
  Doubles best_iou = all(0.0);
  for (std::int64_t four = 0; four < gold_count; four += 4) {
    for (std::int64_t j = four; j < four + 4; ++j) {
      const Doubles overlap =
          larger(smaller(pred_ends, all(ends[j])) - larger(pred_starts, all(starts[j])), all(0.0));
      const Doubles iou = iou_or_nan(overlap, pred_lengths + all(lengths[j]));
      const Longs gain = (shifted_by_digits(weights(iou)) + digits) & (iou >= all(least_iou));
      digits = digits - places;
      store(wishes->gains.of[j], gain);
      store(wishes->gains.iou[j], iou);
      const Longs is_better = gain > best;
      best = larger(gain, best);
      best_gold = select(is_better, all(j), best_gold);
      best_iou = select(is_better, iou, best_iou);
    }
  }
  store(wishes->gold, best_gold);
  store(wishes->iou, best_iou);
  const Longs is_wishing = best > all(std::int64_t{0});
  store(wishes->gold_bit, (all(std::int64_t{1}) << best_gold) & is_wishing);
  wishes->wishing = bits(is_wishing);
  wishes->pred_count = static_cast<int>(pred_count);
  wishes->gold_count = static_cast<int>(gold_count);
  return refused_lanes(pred_lengths) | refused_lanes(gold_lengths);
}

// Appends the row's pairs and returns how many they are.
FASTVBENCH_INLINE int grant(const Wishes& wishes, MatchSink* sink) {
  const std::int64_t* bit = wishes.gold_bit;
  const std::int64_t wanted =
      ((bit[0] | bit[1]) | (bit[2] | bit[3])) | ((bit[4] | bit[5]) | (bit[6] | bit[7]));
  std::uint32_t matched = wishes.wishing;
  Longs gold = load(wishes.gold);
  Doubles iou = load(wishes.iou);
  if (__builtin_popcountll(wanted) != __builtin_popcount(matched)) {
    std::int64_t chosen[kLaneCount];
    double chosen_iou[kLaneCount] = {};
    match_contested(wishes.gains, wishes.pred_count, wishes.gold_count, chosen, chosen_iou);
    gold = load(chosen);
    iou = load(chosen_iou);
    matched = ~bits(gold < all(std::int64_t{0})) & 0xFF;
  }
  store_packed(sink->pred_index + sink->pair_count, lane_numbers(), matched);
  store_packed(sink->gold_index + sink->pair_count, gold, matched);
  store_packed(sink->iou + sink->pair_count, iou, matched);
  return __builtin_popcount(matched);
}

}  // namespace

std::int64_t match_rows(const IntervalColumn& pred, const IntervalColumn& gold, std::int64_t begin,
                        std::int64_t end, double min_iou, MatchSink* sink, bool* refused) {
  const std::int64_t pred_total = pred.offsets[pred.size];
  const std::int64_t gold_total = gold.offsets[gold.size];
  // Above 0, which NaN is not either.
  const double least_iou = min_iou > 0.0 ? min_iou : kSmallestDouble;
  Wishes batch[kBatchRows];
  Longs any_refused = all(std::int64_t{0});
  bool is_small = true;
  std::int64_t row = begin;
  while (row < end && is_small) {
    const std::int64_t first = row;
    for (; row < end && row - first < kBatchRows; ++row) {
      const std::int64_t pred_first = pred.offsets[row];
      const std::int64_t gold_first = gold.offsets[row];
      const std::int64_t pred_count = pred.offsets[row + 1] - pred_first;
      const std::int64_t gold_count = gold.offsets[row + 1] - gold_first;
      is_small = pred_count <= kLaneCount && gold_count <= kLaneCount &&
                 kPlaceTable.fits[gold_count][pred_count];
      if (!is_small) break;
      Doubles pred_starts, pred_ends, gold_starts, gold_ends;
      load_intervals(pred.values + 2 * pred_first, pred_count, pred_total - pred_first,
                     &pred_starts, &pred_ends);
      load_intervals(gold.values + 2 * gold_first, gold_count, gold_total - gold_first,
                     &gold_starts, &gold_ends);
      any_refused =
          any_refused | take_wishes(pred_starts, pred_ends, pred_count, gold_starts, gold_ends,
                                    gold_count, least_iou, &batch[row - first]);
    }
    for (std::int64_t done = first; done < row; ++done) {
      const int count = grant(batch[done - first], sink);
      sink->pair_count += count;
      sink->row_counts[done] = count;
    }
  }
  if (bits(any_refused) != 0) *refused = true;
  return row;
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
