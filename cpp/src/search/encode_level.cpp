// Vectors as whole codes, with what the bound needs to know about what the codes leave out.
#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

FASTVBENCH_INLINE double sum_of(const Wides& lanes) {
  double sum = 0.0;
  for (int k = 0; k < kDoubleParts; ++k) {
    for (int i = 0; i < kDoubleLanes; ++i) sum += lanes.part[k][i];
  }
  return sum;
}

FASTVBENCH_INLINE double largest_of(const Wides& lanes) {
  double largest = 0.0;
  for (int k = 0; k < kDoubleParts; ++k) {
    for (int i = 0; i < kDoubleLanes; ++i) {
      largest = lanes.part[k][i] > largest ? lanes.part[k][i] : largest;
    }
  }
  return largest;
}

// Sixteen codes: value * inverse, rounded and limited, also as float64. NaN becomes some code.
FASTVBENCH_INLINE void round_codes(const Wides& values, double inverse, int limit,
                                   std::int16_t* codes, Wides* rounded) {
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512d factor = _mm512_set1_pd(inverse);
  const __m256i highest = _mm256_set1_epi32(limit);
  const __m256i lowest = _mm256_set1_epi32(-limit);
  for (int k = 0; k < 2; ++k) {
    // Out of range converts to the lowest integer; the limits bring every code back.
    __m256i whole = _mm512_maskz_cvtpd_epi32(0xFF, values.part[k] * factor);
    whole = _mm256_max_epi32(_mm256_min_epi32(whole, highest), lowest);
    rounded->part[k] = _mm512_maskz_cvtepi32_pd(0xFF, whole);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + 8 * k), _mm256_cvtepi32_epi16(whole));
  }
#else
  constexpr double kRoundingShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole
  const double highest = limit;
  double all[kVectorLanes];
  __builtin_memcpy(all, &values, sizeof all);
  for (int i = 0; i < kVectorLanes; ++i) {
    double code = all[i] * inverse;
    code = code < highest ? code : highest;
    code = code > -highest ? code : -highest;
    all[i] = (code + kRoundingShift) - kRoundingShift;
    codes[i] = static_cast<std::int16_t>(static_cast<std::int32_t>(all[i]));
  }
  __builtin_memcpy(rounded, all, sizeof all);
#endif
}

// a - b * c; rounded once or twice as the level has it.
FASTVBENCH_INLINE Wides less_product(const Wides& a, const Wides& b, double c) {
  Wides r;
  for (int k = 0; k < kDoubleParts; ++k) {
#if defined(FASTVBENCH_LEVEL_avx512)
    r.part[k] = _mm512_fnmadd_pd(b.part[k], _mm512_set1_pd(c), a.part[k]);
#elif defined(FASTVBENCH_LEVEL_avx2)
    r.part[k] = _mm256_fnmadd_pd(b.part[k], _mm256_set1_pd(c), a.part[k]);
#else
    r.part[k] = a.part[k] - b.part[k] * c;
#endif
  }
  return r;
}

FASTVBENCH_INLINE Wides scaled(const Wides& a, double factor) {
  Wides r;
  for (int k = 0; k < kDoubleParts; ++k) r.part[k] = a.part[k] * factor;
  return r;
}

// NaN leaves `largest` as it is.
FASTVBENCH_INLINE Wides larger_magnitude(const Wides& largest, const Wides& value) {
  Wides r;
  for (int k = 0; k < kDoubleParts; ++k) {
#if defined(FASTVBENCH_LEVEL_avx512)
    r.part[k] = _mm512_maskz_max_pd(0xFF, _mm512_abs_pd(value.part[k]), largest.part[k]);
#elif defined(FASTVBENCH_LEVEL_avx2)
    r.part[k] =
        _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), value.part[k]), largest.part[k]);
#else
    for (int i = 0; i < kDoubleLanes; ++i) {
      const double magnitude = __builtin_fabs(value.part[k][i]);
      r.part[k][i] = magnitude > largest.part[k][i] ? magnitude : largest.part[k][i];
    }
#endif
  }
  return r;
}

FASTVBENCH_INLINE void store_wides(double* to, const Wides& lanes) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}

// Sums of codes and of their squares; the squares of all codes of a vector fit 31 bits.
struct CodeSums {
#ifdef FASTVBENCH_X86_LEVELS
  __m128i sums[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
  __m128i squares[2] = {_mm_setzero_si128(), _mm_setzero_si128()};

  FASTVBENCH_INLINE void add(const std::int16_t* codes) {
    for (int k = 0; k < 2; ++k) {
      const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes) + k);
      sums[k] = _mm_add_epi32(sums[k], _mm_madd_epi16(eight, _mm_set1_epi16(1)));
      squares[k] = _mm_add_epi32(squares[k], _mm_madd_epi16(eight, eight));
    }
  }
  FASTVBENCH_INLINE std::int64_t total(const __m128i (&lanes)[2]) const {
    std::int32_t all[8];
    __builtin_memcpy(all, lanes, sizeof all);
    std::int64_t sum = 0;
    for (const std::int32_t lane : all) sum += lane;
    return sum;
  }
#else
  std::int32_t sums[kVectorLanes] = {};
  std::int32_t squares[kVectorLanes] = {};

  FASTVBENCH_INLINE void add(const std::int16_t* codes) {
    for (int i = 0; i < kVectorLanes; ++i) {
      sums[i] += codes[i];
      squares[i] += codes[i] * codes[i];
    }
  }
  FASTVBENCH_INLINE std::int64_t total(const std::int32_t (&lanes)[kVectorLanes]) const {
    std::int64_t sum = 0;
    for (const std::int32_t lane : lanes) sum += lane;
    return sum;
  }
#endif
};

}  // namespace

double centre_vector(const float* values, std::int64_t dimension, double factor, double mean_factor,
                     const float* mean, double* centred) {
  Wides largest = no_wides();
  std::int64_t d = 0;
  for (; d + kVectorLanes <= dimension; d += kVectorLanes) {
    Wides value = scaled(widened(values + d), factor);
    if (mean_factor != 0.0) value = less_product(value, widened(mean + d), mean_factor);
    store_wides(centred + d, value);
    largest = larger_magnitude(largest, value);
  }
  if (d < dimension) {
    float padded[kVectorLanes] = {};
    for (std::int64_t i = d; i < dimension; ++i) padded[i - d] = values[i];
    Wides value = scaled(widened(padded), factor);
    if (mean_factor != 0.0) value = less_product(value, widened(mean + d), mean_factor);
    store_wides(centred + d, value);
    largest = larger_magnitude(largest, value);
  }
  return largest_of(largest);
}

void encode_vector(const double* centred, std::int64_t dimension, double step, int limit,
                   const float* mean, std::int16_t* codes, CodedVector* out) {
  const double inverse = 1.0 / step;
  Wides residual_squares = no_wides();
  Wides mean_products = no_wides();
  CodeSums sums;
  for (std::int64_t d = 0; d < dimension; d += kVectorLanes) {
    const Wides value = load_wides(centred + d);
    Wides rounded;
    round_codes(value, inverse, limit, codes + d, &rounded);
    const Wides residual = less_product(value, rounded, step);
    residual_squares = add_product(residual_squares, residual, residual);
    if (mean != nullptr) mean_products = add_product(mean_products, value, widened(mean + d));
    sums.add(codes + d);
  }
  out->residual_square = sum_of(residual_squares);
  out->mean_product = sum_of(mean_products);
  out->code_sum = sums.total(sums.sums);
  out->code_square = sums.total(sums.squares);
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
