// Sixteen float32 lanes and sixteen float64 lanes in a CPU level's own registers.
// Included by *_level.cpp files only: every function lives in the level's namespace and is inlined.
#pragma once

#include <cstdint>

#ifdef FASTVBENCH_X86_LEVELS
#include <immintrin.h>
#endif

#define FASTVBENCH_INLINE inline __attribute__((always_inline))

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

// sum + a * b where the product is exact, so that one rounding and two are the same.
FASTVBENCH_INLINE Wides add_exact_product(const Wides& sum, const Wides& a, const Wides& b) {
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

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
