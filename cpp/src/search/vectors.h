// Sixteen float32 lanes and sixteen float64 lanes in a CPU level's own registers.
// Included by *_level.cpp files only: every function lives in the level's namespace and is inlined.
#pragma once

#include <cstdint>

#include "support/level_code.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {

constexpr int kVectorLanes = 16;
#if defined(FASTVBENCH_LEVEL_avx512)
constexpr int kRegisterBytes = 64;
#elif defined(FASTVBENCH_LEVEL_avx2)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif
constexpr int kFloatParts = 64 / kRegisterBytes;
constexpr int kDoubleParts = 128 / kRegisterBytes;
constexpr int kFloatLanes = kRegisterBytes / 4;
constexpr int kDoubleLanes = kRegisterBytes / 8;

using FloatRegister = float __attribute__((vector_size(kRegisterBytes)));
using IntRegister = std::int32_t __attribute__((vector_size(kRegisterBytes)));
using WideRegister = double __attribute__((vector_size(kRegisterBytes)));
using HalfFloatRegister = float __attribute__((vector_size(kRegisterBytes / 2)));
using HalfIntRegister = std::int32_t __attribute__((vector_size(kRegisterBytes / 2)));

struct Floats {
  FloatRegister part[kFloatParts];
};
struct Ints {
  IntRegister part[kFloatParts];
};
struct Wides {
  WideRegister part[kDoubleParts];
};

// The last values of a vector, followed by zeros: products of zeros change no sum.
struct PaddedTail {
  float values[kVectorLanes] = {};
  FASTVBENCH_INLINE PaddedTail(const float* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = from[i];
  }
};

FASTVBENCH_INLINE Wides no_wides() {
  Wides r;
  for (int k = 0; k < kDoubleParts; ++k) r.part[k] = WideRegister{};
  return r;
}

// Sixteen float32 values as float64.
FASTVBENCH_INLINE Wides widened(const float* from) {
  Wides r;
  for (int k = 0; k < kDoubleParts; ++k) {
#if defined(FASTVBENCH_LEVEL_avx512)
    r.part[k] = _mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(from + 8 * k));
#elif defined(FASTVBENCH_LEVEL_avx2)
    r.part[k] = _mm256_cvtps_pd(_mm_loadu_ps(from + 4 * k));
#else
    for (int i = 0; i < kDoubleLanes; ++i) r.part[k][i] = from[kDoubleLanes * k + i];
#endif
  }
  return r;
}

FASTVBENCH_INLINE Wides load_wides(const double* from) {
  Wides r;
  __builtin_memcpy(&r, from, sizeof r);
  return r;
}

// sum + a * b, rounded once or twice as the level has it; where the product is exact, as in dot64,
// both are the same.
FASTVBENCH_INLINE Wides add_product(const Wides& sum, const Wides& a, const Wides& b) {
  Wides r;
  for (int k = 0; k < kDoubleParts; ++k) {
#if defined(FASTVBENCH_LEVEL_avx512)
    r.part[k] = _mm512_fmadd_pd(a.part[k], b.part[k], sum.part[k]);
#elif defined(FASTVBENCH_LEVEL_avx2)
    r.part[k] = _mm256_fmadd_pd(a.part[k], b.part[k], sum.part[k]);
#else
    r.part[k] = sum.part[k] + a.part[k] * b.part[k];
#endif
  }
  return r;
}

// The fixed tree of dot64: lane j takes in lane j + 8, then j + 4, j + 2 and j + 1.
FASTVBENCH_INLINE double sum_of_lanes(const Wides& lanes) {
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512d eight = lanes.part[0] + lanes.part[1];
  const __m256d four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                       __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
  return two[0] + two[1] + 0.0;
#elif defined(FASTVBENCH_LEVEL_avx2)
  const __m256d four = (lanes.part[0] + lanes.part[2]) + (lanes.part[1] + lanes.part[3]);
  const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
  return two[0] + two[1] + 0.0;
#else
  const auto& p = lanes.part;
  const WideRegister two = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
  return two[0] + two[1] + 0.0;
#endif
}

FASTVBENCH_INLINE Floats load_floats(const float* from) {
  Floats r;
  __builtin_memcpy(&r, from, sizeof r);
  return r;
}
FASTVBENCH_INLINE void store_floats(float* to, const Floats& lanes) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}

FASTVBENCH_INLINE FloatRegister broadcast_float(float x) {
#if defined(FASTVBENCH_LEVEL_avx512)
  return _mm512_set1_ps(x);
#elif defined(FASTVBENCH_LEVEL_avx2)
  return _mm256_set1_ps(x);
#else
  return FloatRegister{x, x, x, x};
#endif
}

// a * b + c, rounded once or twice as the level has it: for bounds only, never for keys.
FASTVBENCH_INLINE FloatRegister multiply_add(FloatRegister a, FloatRegister b, FloatRegister c) {
#if defined(FASTVBENCH_LEVEL_avx512)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(FASTVBENCH_LEVEL_avx2)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}
FASTVBENCH_INLINE Floats multiply_add(const Floats& a, const Floats& b, const Floats& c) {
  Floats r;
  for (int k = 0; k < kFloatParts; ++k) r.part[k] = multiply_add(a.part[k], b.part[k], c.part[k]);
  return r;
}
FASTVBENCH_INLINE Floats multiply_add(float a, const Floats& b, const Floats& c) {
  Floats r;
  const FloatRegister all = broadcast_float(a);
  for (int k = 0; k < kFloatParts; ++k) r.part[k] = multiply_add(all, b.part[k], c.part[k]);
  return r;
}
FASTVBENCH_INLINE Floats operator*(float a, const Floats& b) {
  Floats r;
  const FloatRegister all = broadcast_float(a);
  for (int k = 0; k < kFloatParts; ++k) r.part[k] = all * b.part[k];
  return r;
}

FASTVBENCH_INLINE Floats operator*(const Floats& a, const Floats& b) {
  Floats r;
  for (int k = 0; k < kFloatParts; ++k) r.part[k] = a.part[k] * b.part[k];
  return r;
}

// Sixteen int32 values as float32, rounded to nearest.
FASTVBENCH_INLINE Floats as_floats(const std::int32_t* from) {
  Floats r;
  for (int k = 0; k < kFloatParts; ++k) {
#if defined(FASTVBENCH_LEVEL_avx512)
    r.part[k] = _mm512_maskz_cvtepi32_ps(0xFFFF, _mm512_loadu_si512(from));
#else
    IntRegister whole;
    __builtin_memcpy(&whole, from + kFloatLanes * k, sizeof whole);
    r.part[k] = __builtin_convertvector(whole, FloatRegister);
#endif
  }
  return r;
}

// Bit i is set unless lane i of `a` is below x; NaN sets it.
FASTVBENCH_INLINE std::uint32_t not_below(const Floats& a, float x) {
  [[maybe_unused]] const FloatRegister all = broadcast_float(x);
#if defined(FASTVBENCH_LEVEL_avx512)
  return _mm512_cmp_ps_mask(a.part[0], all, _CMP_NLT_UQ);
#elif defined(FASTVBENCH_LEVEL_avx2)
  const int low = _mm256_movemask_ps(_mm256_cmp_ps(a.part[0], all, _CMP_NLT_UQ));
  const int high = _mm256_movemask_ps(_mm256_cmp_ps(a.part[1], all, _CMP_NLT_UQ));
  return static_cast<std::uint32_t>(low | high << 8);
#elif defined(FASTVBENCH_X86_LEVELS)
  int set = 0;
  for (int k = 0; k < kFloatParts; ++k) {
    set |= _mm_movemask_ps(_mm_cmpnlt_ps(a.part[k], all)) << 4 * k;
  }
  return static_cast<std::uint32_t>(set);
#else
  std::uint32_t set = 0;
  for (int i = 0; i < kVectorLanes; ++i) {
    const bool is_below = a.part[i / kFloatLanes][i % kFloatLanes] < x;
    set |= static_cast<std::uint32_t>(!is_below) << i;
  }
  return set;
#endif
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
