// Eight float64 lanes in the compiler's own vectors: one source, and each CPU level's instructions.
// Included by *_level.cpp files only; every function lives in the level's namespace and is inlined.
#pragma once

#include <cstdint>

#if defined(FASTVBENCH_LEVEL_avx2) || defined(FASTVBENCH_LEVEL_avx512)
#include <immintrin.h>
#endif

// Vectors wider than the level's registers never cross a call here: everything is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

#define FASTVBENCH_INLINE inline __attribute__((always_inline))

namespace fastvbench {
namespace FASTVBENCH_LEVEL {

using Doubles = double __attribute__((vector_size(64)));
using Longs = std::int64_t __attribute__((vector_size(64)));  // comparisons give -1 and 0

constexpr double kInfinity = __builtin_inf();

FASTVBENCH_INLINE Doubles all(double x) { return Doubles{x, x, x, x, x, x, x, x}; }
FASTVBENCH_INLINE Longs all(std::int64_t x) { return Longs{x, x, x, x, x, x, x, x}; }
FASTVBENCH_INLINE Longs lane_numbers() { return Longs{0, 1, 2, 3, 4, 5, 6, 7}; }

FASTVBENCH_INLINE Doubles load(const double* from) {
  Doubles lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <typename Lanes, typename T>
FASTVBENCH_INLINE void store(T* to, Lanes lanes) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}

// The forms with a full mask are spared a false warning of GCC 12 about the others.
// b where they are equal, so larger(x, all(0.0)) never gives -0.
FASTVBENCH_INLINE Doubles larger(Doubles a, Doubles b) {
#ifdef FASTVBENCH_LEVEL_avx512
  return (Doubles)_mm512_maskz_max_pd(0xFF, (__m512d)a, (__m512d)b);
#else
  return a > b ? a : b;
#endif
}
FASTVBENCH_INLINE Doubles smaller(Doubles a, Doubles b) {
#ifdef FASTVBENCH_LEVEL_avx512
  return (Doubles)_mm512_maskz_min_pd(0xFF, (__m512d)a, (__m512d)b);
#else
  return a < b ? a : b;
#endif
}

// Bit i is set where lane i of a comparison holds.
FASTVBENCH_INLINE std::uint32_t bits(Longs condition) {
#if defined(FASTVBENCH_LEVEL_avx512)
  return _mm512_movepi64_mask((__m512i)condition);
#elif defined(FASTVBENCH_LEVEL_avx2)
  __m256d half[2];
  __builtin_memcpy(half, &condition, sizeof half);
  return static_cast<std::uint32_t>(_mm256_movemask_pd(half[0]) |
                                    _mm256_movemask_pd(half[1]) << 4);
#else
  std::uint32_t set = 0;
  for (int lane = 0; lane < 8; ++lane) {
    set |= static_cast<std::uint32_t>(condition[lane] & 1) << lane;
  }
  return set;
#endif
}

// The lanes whose bit is set move to the front in order; `rest` fills the lanes after them.
FASTVBENCH_INLINE Doubles pack(Doubles lanes, std::uint32_t keep, double rest) {
#ifdef FASTVBENCH_LEVEL_avx512
  return (Doubles)_mm512_mask_compress_pd((__m512d)all(rest), static_cast<__mmask8>(keep),
                                          (__m512d)lanes);
#else
  Doubles packed = all(rest);
  for (int next = 0; keep != 0; keep &= keep - 1) packed[next++] = lanes[__builtin_ctz(keep)];
  return packed;
#endif
}
FASTVBENCH_INLINE Longs pack(Longs lanes, std::uint32_t keep) {
#ifdef FASTVBENCH_LEVEL_avx512
  return (Longs)_mm512_maskz_compress_epi64(static_cast<__mmask8>(keep), (__m512i)lanes);
#else
  Longs packed = {};
  for (int next = 0; keep != 0; keep &= keep - 1) packed[next++] = lanes[__builtin_ctz(keep)];
  return packed;
#endif
}

// Eight (start, end) pairs as eight starts and eight ends.
FASTVBENCH_INLINE void split_pairs(const double* from, Doubles* starts, Doubles* ends) {
#ifdef FASTVBENCH_LEVEL_avx2
  __m256d half[2][2];
  for (int i = 0; i < 2; ++i) {
    const __m256d low = _mm256_loadu_pd(from + 8 * i);
    const __m256d high = _mm256_loadu_pd(from + 8 * i + 4);
    half[0][i] = _mm256_permute4x64_pd(_mm256_unpacklo_pd(low, high), 0xD8);
    half[1][i] = _mm256_permute4x64_pd(_mm256_unpackhi_pd(low, high), 0xD8);
  }
  __builtin_memcpy(starts, half[0], sizeof *starts);
  __builtin_memcpy(ends, half[1], sizeof *ends);
#else
  const Doubles low = load(from);
  const Doubles high = load(from + 8);
  *starts = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
  *ends = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

// Up to eight intervals from `from` on as starts and ends; lanes from `count` on are junk.
// `readable` intervals may be read.
FASTVBENCH_INLINE void load_intervals(const double* from, std::int64_t count,
                                      std::int64_t readable, Doubles* starts, Doubles* ends) {
  double padded[16];
  if (__builtin_expect(readable < 8, 0)) {
    for (int i = 0; i < 16; ++i) padded[i] = i < 2 * count ? from[i] : 0.0;
    from = padded;
  }
  split_pairs(from, starts, ends);
}

// Where an interval is refused (see is_valid_interval; NaN makes both comparisons false).
FASTVBENCH_INLINE Longs refused_lanes(Doubles lengths) {
  return ~((Longs)(lengths >= all(0.0)) & (Longs)(lengths <= all(1e300)));
}

FASTVBENCH_INLINE Doubles iou_of(Doubles overlap, Doubles length_sum) {
  const Doubles denominator = length_sum - overlap;
  // Where the denominator is 0 so is the overlap: 0 / 1.
  const Doubles safe = denominator > all(0.0) ? denominator : all(1.0);
  return smaller(overlap / safe, all(1.0));
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
