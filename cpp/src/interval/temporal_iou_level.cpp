// IoU of one pair per row: bound by memory, so eight rows at a time, read ahead, and stores that
// pass the cache where the result is larger than it.
#include "interval/kernels.h"
#include "interval/lanes.h"
#include "interval/pair_iou.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

constexpr int kReadAheadDoubles = 256;  // 2 KiB a side

FASTVBENCH_INLINE double iou_of_one(const double* pred, const double* gold, bool* refused) {
  if (!is_valid_length(pred[1] - pred[0]) || !is_valid_length(gold[1] - gold[0])) *refused = true;
  return pair_iou(pred[0], pred[1], gold[0], gold[1]);
}

FASTVBENCH_INLINE void store_past_cache(double* out, const Doubles& lanes) {
#if defined(FASTVBENCH_LEVEL_avx512)
  _mm512_stream_pd(out, lanes.part[0]);
#elif defined(FASTVBENCH_LEVEL_avx2)
  for (int k = 0; k < kParts; ++k) _mm256_stream_pd(out + 4 * k, lanes.part[k]);
#elif defined(FASTVBENCH_X86_LEVELS)
  for (int k = 0; k < kParts; ++k) _mm_stream_pd(out + 2 * k, lanes.part[k]);
#else
  store(out, lanes);
#endif
}

template <bool kPastCache>
FASTVBENCH_INLINE std::int64_t whole_vectors(const double* pred, const double* gold,
                                             std::int64_t begin, std::int64_t count, double* out,
                                             Longs* any_refused) {
  std::int64_t i = begin;
  for (; i + 8 <= count; i += 8) {
    for (int line = 0; line < 16; line += 8) {
      __builtin_prefetch(pred + 2 * i + kReadAheadDoubles + line);
      __builtin_prefetch(gold + 2 * i + kReadAheadDoubles + line);
    }
    Doubles pred_starts, pred_ends, gold_starts, gold_ends;
    split_pairs(pred + 2 * i, &pred_starts, &pred_ends);
    split_pairs(gold + 2 * i, &gold_starts, &gold_ends);
    const Doubles pred_lengths = pred_ends - pred_starts;
    const Doubles gold_lengths = gold_ends - gold_starts;
    *any_refused = *any_refused | refused_lanes(pred_lengths) | refused_lanes(gold_lengths);
    const Doubles overlap =
        larger(smaller(pred_ends, gold_ends) - larger(pred_starts, gold_starts), all(0.0));
    const Doubles iou = iou_of(overlap, pred_lengths + gold_lengths);
    if (kPastCache) {
      store_past_cache(out + i, iou);
    } else {
      store(out + i, iou);
    }
  }
  return i;
}

}  // namespace

void temporal_iou_block(const double* pred, const double* gold, std::int64_t count, double* out,
                        bool past_cache, bool* refused) {
  Longs any_refused = all(std::int64_t{0});
  std::int64_t i = 0;
  if (past_cache) {
    for (; i < count && (reinterpret_cast<std::uintptr_t>(out + i) & 63) != 0; ++i) {
      out[i] = iou_of_one(pred + 2 * i, gold + 2 * i, refused);
    }
    i = whole_vectors<true>(pred, gold, i, count, out, &any_refused);
  } else {
    i = whole_vectors<false>(pred, gold, i, count, out, &any_refused);
  }
  for (; i < count; ++i) out[i] = iou_of_one(pred + 2 * i, gold + 2 * i, refused);
  if (bits(any_refused) != 0) *refused = true;
#ifdef FASTVBENCH_X86_LEVELS
  if (past_cache) _mm_sfence();
#endif
}

void iou_with_each(double start, double end, const double* starts, const double* ends,
                   std::int64_t count, double* out) {
  const double length = end - start;
  std::int64_t j = 0;
  for (; j + 8 <= count; j += 8) {
    const Doubles other_starts = load(starts + j);
    const Doubles other_ends = load(ends + j);
    const Doubles overlap =
        larger(smaller(all(end), other_ends) - larger(all(start), other_starts), all(0.0));
    store(out + j, iou_of(overlap, all(length) + (other_ends - other_starts)));
  }
  for (; j < count; ++j) {
    const double one[2] = {start, end};
    const double other[2] = {starts[j], ends[j]};
    bool refused = false;
    out[j] = iou_of_one(one, other, &refused);
  }
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
