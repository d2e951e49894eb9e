// Eight lanes of float64 or int64, in as many of the CPU level's own registers as that takes.
// Included by *_level.cpp files only: every function lives in the level's namespace and is inlined.
#pragma once

#include <cstdint>

#include "support/level_code.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {

#if defined(FASTVBENCH_LEVEL_avx512)
constexpr int kRegisterLanes = 8;
#elif defined(FASTVBENCH_LEVEL_avx2)
constexpr int kRegisterLanes = 4;
#else
constexpr int kRegisterLanes = 2;
#endif
constexpr int kParts = 8 / kRegisterLanes;
constexpr double kInfinity = __builtin_inf();

using DoubleRegister = double __attribute__((vector_size(8 * kRegisterLanes)));
using LongRegister = std::int64_t __attribute__((vector_size(8 * kRegisterLanes)));

struct Doubles {
  DoubleRegister part[kParts];
};
struct Longs {  // as the answer of a comparison: -1 where it holds, else 0
  LongRegister part[kParts];
};

#define FASTVBENCH_LANEWISE(result, name, argument, expression)         \
  FASTVBENCH_INLINE result name(const argument& a, const argument& b) { \
    result r;                                                           \
    for (int k = 0; k < kParts; ++k) r.part[k] = expression;            \
    return r;                                                           \
  }
FASTVBENCH_LANEWISE(Doubles, operator+, Doubles, a.part[k] + b.part[k])
FASTVBENCH_LANEWISE(Doubles, operator-, Doubles, a.part[k] - b.part[k])
FASTVBENCH_LANEWISE(Doubles, operator*, Doubles, a.part[k] * b.part[k])
FASTVBENCH_LANEWISE(Doubles, operator/, Doubles, a.part[k] / b.part[k])
FASTVBENCH_LANEWISE(Longs, operator>, Doubles, (LongRegister)(a.part[k] > b.part[k]))
FASTVBENCH_LANEWISE(Longs, operator>=, Doubles, (LongRegister)(a.part[k] >= b.part[k]))
FASTVBENCH_LANEWISE(Longs, operator<=, Doubles, (LongRegister)(a.part[k] <= b.part[k]))
FASTVBENCH_LANEWISE(Longs, operator==, Doubles, (LongRegister)(a.part[k] == b.part[k]))
FASTVBENCH_LANEWISE(Longs, operator+, Longs, a.part[k] + b.part[k])
FASTVBENCH_LANEWISE(Longs, operator-, Longs, a.part[k] - b.part[k])
FASTVBENCH_LANEWISE(Longs, operator<<, Longs, a.part[k] << b.part[k])
FASTVBENCH_LANEWISE(Longs, operator&, Longs, a.part[k] & b.part[k])
FASTVBENCH_LANEWISE(Longs, operator|, Longs, a.part[k] | b.part[k])
FASTVBENCH_LANEWISE(Longs, operator>, Longs, (LongRegister)(a.part[k] > b.part[k]))
FASTVBENCH_LANEWISE(Longs, operator<, Longs, (LongRegister)(a.part[k] < b.part[k]))

// `larger` and `smaller` give b where both are equal, so larger(x, all(0.0)) is never -0.
// The AVX-512 forms with a full mask are spared a false warning of GCC 12 about the plain ones.
#if defined(FASTVBENCH_LEVEL_avx512)
FASTVBENCH_LANEWISE(Doubles, larger, Doubles, _mm512_maskz_max_pd(0xFF, a.part[k], b.part[k]))
FASTVBENCH_LANEWISE(Doubles, smaller, Doubles, _mm512_maskz_min_pd(0xFF, a.part[k], b.part[k]))
#elif defined(FASTVBENCH_LEVEL_avx2)
FASTVBENCH_LANEWISE(Doubles, larger, Doubles, _mm256_max_pd(a.part[k], b.part[k]))
FASTVBENCH_LANEWISE(Doubles, smaller, Doubles, _mm256_min_pd(a.part[k], b.part[k]))
#elif defined(FASTVBENCH_X86_LEVELS)
FASTVBENCH_LANEWISE(Doubles, larger, Doubles, _mm_max_pd(a.part[k], b.part[k]))
FASTVBENCH_LANEWISE(Doubles, smaller, Doubles, _mm_min_pd(a.part[k], b.part[k]))
#else
FASTVBENCH_LANEWISE(Doubles, larger, Doubles, a.part[k] > b.part[k] ? a.part[k] : b.part[k])
FASTVBENCH_LANEWISE(Doubles, smaller, Doubles, a.part[k] < b.part[k] ? a.part[k] : b.part[k])
#endif
#undef FASTVBENCH_LANEWISE

FASTVBENCH_INLINE Longs operator~(const Longs& a) {
  Longs r;
  for (int k = 0; k < kParts; ++k) r.part[k] = ~a.part[k];
  return r;
}

template <typename Lanes>
FASTVBENCH_INLINE Lanes select(const Longs& condition, const Lanes& yes, const Lanes& no) {
  Lanes r;
  for (int k = 0; k < kParts; ++k) r.part[k] = condition.part[k] ? yes.part[k] : no.part[k];
  return r;
}

// Registers made lane by lane would not become one broadcast.
#if defined(FASTVBENCH_LEVEL_avx512)
FASTVBENCH_INLINE DoubleRegister broadcast(double x) { return _mm512_set1_pd(x); }
FASTVBENCH_INLINE LongRegister broadcast(std::int64_t x) {
  return (LongRegister)_mm512_set1_epi64(x);
}
#elif defined(FASTVBENCH_LEVEL_avx2)
FASTVBENCH_INLINE DoubleRegister broadcast(double x) { return _mm256_set1_pd(x); }
FASTVBENCH_INLINE LongRegister broadcast(std::int64_t x) {
  return (LongRegister)_mm256_set1_epi64x(x);
}
#else
FASTVBENCH_INLINE DoubleRegister broadcast(double x) { return DoubleRegister{x, x}; }
FASTVBENCH_INLINE LongRegister broadcast(std::int64_t x) { return LongRegister{x, x}; }
#endif

FASTVBENCH_INLINE Doubles all(double x) {
  Doubles r;
  for (int k = 0; k < kParts; ++k) r.part[k] = broadcast(x);
  return r;
}
FASTVBENCH_INLINE Longs all(std::int64_t x) {
  Longs r;
  for (int k = 0; k < kParts; ++k) r.part[k] = broadcast(x);
  return r;
}

template <typename Lanes, typename T>
FASTVBENCH_INLINE Lanes load_as(const T* from) {
  static_assert(sizeof(Lanes) == 8 * sizeof(T), "eight lanes");
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
FASTVBENCH_INLINE Doubles load(const double* from) { return load_as<Doubles>(from); }
FASTVBENCH_INLINE Longs load(const std::int64_t* from) { return load_as<Longs>(from); }
template <typename Lanes, typename T>
FASTVBENCH_INLINE void store(T* to, const Lanes& lanes) {
  static_assert(sizeof(Lanes) == 8 * sizeof(T), "eight lanes");
  __builtin_memcpy(to, &lanes, sizeof lanes);
}

FASTVBENCH_INLINE Longs bit_patterns(const Doubles& a) {
  Longs r;
  for (int k = 0; k < kParts; ++k) r.part[k] = (LongRegister)a.part[k];
  return r;
}

// The larger of each lane.
FASTVBENCH_INLINE Longs larger(const Longs& a, const Longs& b) {
#ifdef FASTVBENCH_LEVEL_avx512
  Longs r;
  r.part[0] = (LongRegister)_mm512_maskz_max_epi64(0xFF, (__m512i)a.part[0], (__m512i)b.part[0]);
  return r;
#else
  return select(a > b, a, b);
#endif
}

// Lane i gets lane i ^ kBit, for kBit 1, 2 or 4.
template <int kBit>
FASTVBENCH_INLINE Longs swapped(const Longs& a) {
  Longs r;
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512i from = _mm512_setr_epi64(0 ^ kBit, 1 ^ kBit, 2 ^ kBit, 3 ^ kBit, 4 ^ kBit, 5 ^ kBit,
                                         6 ^ kBit, 7 ^ kBit);
  r.part[0] = (LongRegister)_mm512_maskz_permutexvar_epi64(0xFF, from, (__m512i)a.part[0]);
#elif defined(FASTVBENCH_LEVEL_avx2)
  for (int k = 0; k < kParts; ++k) {
    constexpr int kOrder = kBit == 1 ? 0xB1 : kBit == 2 ? 0x4E : 0xE4;
    r.part[k] = (LongRegister)_mm256_permute4x64_epi64((__m256i)a.part[k ^ (kBit / 4)], kOrder);
  }
#else
  for (int k = 0; k < kParts; ++k) {
    const LongRegister from = a.part[k ^ (kBit / 2)];
    r.part[k] = kBit == 1 ? LongRegister{from[1], from[0]} : from;
  }
#endif
  return r;
}

FASTVBENCH_INLINE Longs lane_numbers() {
  constexpr std::int64_t kNumbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return load(kNumbers);
}

// Bit i is set where lane i of a comparison holds.
FASTVBENCH_INLINE std::uint32_t bits(const Longs& condition) {
#if defined(FASTVBENCH_LEVEL_avx512)
  return _mm512_movepi64_mask((__m512i)condition.part[0]);
#elif defined(FASTVBENCH_LEVEL_avx2)
  return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)condition.part[0]) |
                                    _mm256_movemask_pd((__m256d)condition.part[1]) << 4);
#elif defined(FASTVBENCH_X86_LEVELS)
  int set = 0;
  for (int k = 0; k < kParts; ++k) set |= _mm_movemask_pd((__m128d)condition.part[k]) << 2 * k;
  return static_cast<std::uint32_t>(set);
#else
  std::uint32_t set = 0;
  for (int i = 0; i < 8; ++i) {
    const auto lane = condition.part[i / kRegisterLanes][i % kRegisterLanes];
    set |= static_cast<std::uint32_t>(lane & 1) << i;
  }
  return set;
#endif
}

// Writes the lanes whose bit is set to `to` in order; eight values are written, the rest is junk.
FASTVBENCH_INLINE void store_packed(double* to, const Doubles& lanes, std::uint32_t keep) {
#ifdef FASTVBENCH_LEVEL_avx512
  // To a register first: on some CPUs the form that writes memory takes a hundred cycles.
  _mm512_storeu_pd(to, _mm512_maskz_compress_pd(static_cast<__mmask8>(keep), lanes.part[0]));
#else
  double from[8];
  store(from, lanes);
  for (; keep != 0; keep &= keep - 1) *to++ = from[__builtin_ctz(keep)];
#endif
}
FASTVBENCH_INLINE void store_packed(std::int64_t* to, const Longs& lanes, std::uint32_t keep) {
#ifdef FASTVBENCH_LEVEL_avx512
  _mm512_storeu_si512(
      to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(keep), (__m512i)lanes.part[0]));
#else
  std::int64_t from[8];
  store(from, lanes);
  for (; keep != 0; keep &= keep - 1) *to++ = from[__builtin_ctz(keep)];
#endif
}

// Eight (start, end) pairs as eight starts and eight ends.
FASTVBENCH_INLINE void split_pairs(const double* from, Doubles* starts, Doubles* ends) {
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512d low = _mm512_loadu_pd(from);
  const __m512d high = _mm512_loadu_pd(from + 8);
  starts->part[0] = _mm512_permutex2var_pd(low, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), high);
  ends->part[0] = _mm512_permutex2var_pd(low, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), high);
#elif defined(FASTVBENCH_LEVEL_avx2)
  for (int k = 0; k < kParts; ++k) {
    const __m256d low = _mm256_loadu_pd(from + 8 * k);
    const __m256d high = _mm256_loadu_pd(from + 8 * k + 4);
    starts->part[k] = _mm256_permute4x64_pd(_mm256_unpacklo_pd(low, high), 0xD8);
    ends->part[k] = _mm256_permute4x64_pd(_mm256_unpackhi_pd(low, high), 0xD8);
  }
#else
  for (int k = 0; k < kParts; ++k) {
    starts->part[k] = DoubleRegister{from[4 * k], from[4 * k + 2]};
    ends->part[k] = DoubleRegister{from[4 * k + 1], from[4 * k + 3]};
  }
#endif
}

// Up to eight intervals from `from` on as starts and ends; lanes from `count` on are junk.
// `readable` intervals may be read.
FASTVBENCH_INLINE void load_intervals(const double* from, std::int64_t count, std::int64_t readable,
                                      Doubles* starts, Doubles* ends) {
  double padded[16];
  if (__builtin_expect(readable < 8, 0)) {
    for (int i = 0; i < 16; ++i) padded[i] = i < 2 * count ? from[i] : 0.0;
    from = padded;
  }
  split_pairs(from, starts, ends);
}

// Where an interval is refused (see is_valid_interval; NaN makes both comparisons false).
FASTVBENCH_INLINE Longs refused_lanes(const Doubles& lengths) {
  return ~((lengths >= all(0.0)) & (lengths <= all(1e300)));
}

// Of two intervals; NaN where neither has any length. Never above 1: a length rounds to no less
// than the overlap does, so the rounded sum of two is at least twice the overlap.
FASTVBENCH_INLINE Doubles iou_or_nan(const Doubles& overlap, const Doubles& length_sum) {
  return overlap / (length_sum - overlap);
}

FASTVBENCH_INLINE Doubles iou_of(const Doubles& overlap, const Doubles& length_sum) {
  const Doubles denominator = length_sum - overlap;
  // Where the denominator is 0 so is the overlap: 0 / 1.
  return overlap / select(denominator > all(0.0), denominator, all(1.0));
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
