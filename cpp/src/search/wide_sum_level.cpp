// dot64, the one sum that decides, and the widening of 16-bit values.
#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

// Several sums side by side: one alone would wait for each addition.
#if defined(FASTVBENCH_LEVEL_avx512)
constexpr int kPairsAtOnce = 4;
#elif defined(FASTVBENCH_LEVEL_avx2)
constexpr int kPairsAtOnce = 2;
#else
constexpr int kPairsAtOnce = 1;
#endif

// To the second-level cache: asking for the first one waits for one of its few free lines.
FASTVBENCH_INLINE void fetch(const float* from) {
#ifdef FASTVBENCH_X86_LEVELS
  _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T1);
#else
  __builtin_prefetch(from, 0, 2);
#endif
}

struct WholeVector {
  FASTVBENCH_INLINE Wides operator()(const float* from) const { return widened(from); }
};
struct Tail {
  std::int64_t count;
  FASTVBENCH_INLINE Wides operator()(const float* from) const {
    return widened(PaddedTail(from, count).values);
  }
};

// dot64 of several pairs: `terms(load, d, sums)` adds the products of sixteen dimensions from d on.
template <int kPairs, typename Terms>
FASTVBENCH_INLINE void sum_over_dimensions(const Terms& terms, std::int64_t dimension,
                                           double* out) {
  Wides sums[kPairs];
  for (int p = 0; p < kPairs; ++p) sums[p] = no_wides();
  std::int64_t d = 0;
  for (; d + kVectorLanes <= dimension; d += kVectorLanes) terms(WholeVector{}, d, sums);
  if (d < dimension) terms(Tail{dimension - d}, d, sums);
  for (int p = 0; p < kPairs; ++p) out[p] = sum_of_lanes(sums[p]);
}

template <int kPairs>
struct Pairs {
  const float* const* a;
  const float* const* b;
  template <typename Load>
  FASTVBENCH_INLINE void operator()(Load load, std::int64_t d, Wides* sums) const {
    for (int p = 0; p < kPairs; ++p) sums[p] = add_product(sums[p], load(a[p] + d), load(b[p] + d));
  }
};

// All pairs share `a`, which is widened once for all of them. `next` are the vectors that come
// after `b`, fetched meanwhile: hardware sees too short a stretch of each.
template <int kPairs>
struct PairsOfOne {
  const float* a;
  const float* const* b;
  const float* const* next;
  template <typename Load>
  FASTVBENCH_INLINE void operator()(Load load, std::int64_t d, Wides* sums) const {
    const Wides shared = load(a + d);
    for (int p = 0; p < kPairs; ++p) {
      fetch(next[p] + d);
      sums[p] = add_product(sums[p], shared, load(b[p] + d));
    }
  }
};

// Vectors with themselves.
template <int kPairs>
struct Squares {
  const float* const* a;
  const float* const* next;
  template <typename Load>
  FASTVBENCH_INLINE void operator()(Load load, std::int64_t d, Wides* sums) const {
    for (int p = 0; p < kPairs; ++p) {
      const Wides values = load(a[p] + d);
      fetch(next[p] + d);
      sums[p] = add_product(sums[p], values, values);
    }
  }
};

template <int kPairs>
FASTVBENCH_INLINE bool all_same(const float* const* vectors) {
  for (int p = 1; p < kPairs; ++p) {
    if (vectors[p] != vectors[0]) return false;
  }
  return true;
}

template <int kPairs>
FASTVBENCH_INLINE bool all_equal(const float* const* a, const float* const* b) {
  for (int p = 0; p < kPairs; ++p) {
    if (a[p] != b[p]) return false;
  }
  return true;
}

FASTVBENCH_INLINE float from_bits(std::uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// IEEE half precision by hand, for levels without the instruction.
FASTVBENCH_INLINE float half_as_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1F;
  const std::uint32_t fraction = half & 0x3FF;
  if (exponent == 0) {  // a whole number of 2^-24
    const float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;
    return sign == 0 ? magnitude : -magnitude;
  }
  if (exponent == 0x1F) return from_bits(sign | 0x7F800000 | fraction << 13);
  return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

}  // namespace

void dot64_pairs(const float* const* a, const float* const* b, std::int64_t count,
                 std::int64_t dimension, double* out) {
  constexpr int kPairs = kPairsAtOnce;
  std::int64_t i = 0;
  for (; i + kPairs <= count; i += kPairs) {
    const std::int64_t next = i + 2 * kPairs <= count ? i + kPairs : i;
    if (all_equal<kPairs>(a + i, b + i)) {
      sum_over_dimensions<kPairs>(Squares<kPairs>{a + i, a + next}, dimension, out + i);
    } else if (all_same<kPairs>(a + i)) {
      sum_over_dimensions<kPairs>(PairsOfOne<kPairs>{a[i], b + i, b + next}, dimension, out + i);
    } else if (all_same<kPairs>(b + i)) {
      sum_over_dimensions<kPairs>(PairsOfOne<kPairs>{b[i], a + i, a + next}, dimension, out + i);
    } else {
      sum_over_dimensions<kPairs>(Pairs<kPairs>{a + i, b + i}, dimension, out + i);
    }
  }
  for (; i < count; ++i) sum_over_dimensions<1>(Pairs<1>{a + i, b + i}, dimension, out + i);
}

void widen_halves(const std::uint16_t* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
#if defined(FASTVBENCH_LEVEL_avx512) || defined(FASTVBENCH_LEVEL_avx2)
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
#endif
  for (; i < count; ++i) to[i] = half_as_float(from[i]);
}

void widen_brain_floats(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = from_bits(static_cast<std::uint32_t>(from[i]) << 16);
  }
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
