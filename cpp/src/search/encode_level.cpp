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

// Sixteen codes: value * inverse, rounded, also as float64. NaN becomes some code.
FASTVBENCH_INLINE void round_codes(const Wides& values, double inverse, std::int16_t* codes,
                                   Wides* rounded) {
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512d factor = _mm512_set1_pd(inverse);
  for (int k = 0; k < 2; ++k) {
    const __m256i whole = _mm512_maskz_cvtpd_epi32(0xFF, values.part[k] * factor);
    rounded->part[k] = _mm512_maskz_cvtepi32_pd(0xFF, whole);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + 8 * k), _mm256_cvtepi32_epi16(whole));
  }
#elif defined(FASTVBENCH_LEVEL_avx2)
  const __m256d factor = _mm256_set1_pd(inverse);
  for (int k = 0; k < 4; ++k) {
    const __m128i whole = _mm256_cvtpd_epi32(values.part[k] * factor);
    rounded->part[k] = _mm256_cvtepi32_pd(whole);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(codes + 4 * k), _mm_packs_epi32(whole, whole));
  }
#else
  constexpr double kRoundingShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole
  constexpr double kHighest = 32767.0;                   // NaN and infinity must not reach the cast
  double all[kVectorLanes];
  __builtin_memcpy(all, &values, sizeof all);
  for (int i = 0; i < kVectorLanes; ++i) {
    double code = all[i] * inverse;
    code = code < kHighest ? code : kHighest;
    code = code > -kHighest ? code : -kHighest;
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

namespace {

FASTVBENCH_INLINE Floats magnitude_of_rest(const float* values, float factor, float mean_factor,
                                           const float* mean) {
  Floats value = factor * load_floats(values);
  if (mean != nullptr) value = multiply_add(-mean_factor, load_floats(mean), value);
  Floats r;
  for (int k = 0; k < kFloatParts; ++k) {
    r.part[k] = (FloatRegister)((IntRegister)value.part[k] & 0x7FFFFFFF);
  }
  return r;
}

// NaN leaves `largest` as it is.
FASTVBENCH_INLINE Floats larger_of(const Floats& largest, const Floats& value) {
  Floats r;
  for (int k = 0; k < kFloatParts; ++k) {
#if defined(FASTVBENCH_LEVEL_avx512)
    r.part[k] = _mm512_maskz_max_ps(0xFFFF, value.part[k], largest.part[k]);
#elif defined(FASTVBENCH_LEVEL_avx2)
    r.part[k] = _mm256_max_ps(value.part[k], largest.part[k]);
#else
    r.part[k] = value.part[k] > largest.part[k] ? value.part[k] : largest.part[k];
#endif
  }
  return r;
}

FASTVBENCH_INLINE Wides rest_of(const float* values, double factor, double mean_factor,
                                const float* mean) {
  const Wides value = scaled(widened(values), factor);
  return mean == nullptr ? value : less_product(value, widened(mean), mean_factor);
}

}  // namespace

float largest_magnitude(const float* values, std::int64_t dimension, float factor,
                        float mean_factor, const float* mean) {
  const float zeros[kVectorLanes] = {};
  Floats largest = load_floats(zeros);
  Floats second = largest;
  std::int64_t d = 0;
  for (; d + 2 * kVectorLanes <= dimension; d += 2 * kVectorLanes) {
    const float* later = mean == nullptr ? nullptr : mean + d + kVectorLanes;
    largest = larger_of(largest, magnitude_of_rest(values + d, factor, mean_factor,
                                                   mean == nullptr ? nullptr : mean + d));
    second =
        larger_of(second, magnitude_of_rest(values + d + kVectorLanes, factor, mean_factor, later));
  }
  for (; d < dimension; d += kVectorLanes) {
    const std::int64_t left = dimension - d < kVectorLanes ? dimension - d : kVectorLanes;
    const PaddedTail tail(values + d, left);
    largest = larger_of(largest, magnitude_of_rest(tail.values, factor, mean_factor,
                                                   mean == nullptr ? nullptr : mean + d));
  }
  float lanes[kVectorLanes];
  store_floats(lanes, larger_of(largest, second));
  float most = 0.0f;
  for (int i = 0; i < kVectorLanes; ++i) most = lanes[i] > most ? lanes[i] : most;
  return most;
}

void encode_vector(const float* values, std::int64_t dimension, double factor, double mean_factor,
                   const float* mean, double step, std::int16_t* codes, CodedVector* out) {
  const double inverse = 1.0 / step;
  Wides residual_squares = no_wides();
  Wides mean_products = no_wides();
  CodeSums sums;
  for (std::int64_t d = 0; d < dimension; d += kVectorLanes) {
    const float* mean_here = mean == nullptr ? nullptr : mean + d;
    Wides value;
    if (__builtin_expect(d + kVectorLanes <= dimension, 1)) {
      value = rest_of(values + d, factor, mean_factor, mean_here);
    } else {
      const PaddedTail tail(values + d, dimension - d);
      value = rest_of(tail.values, factor, mean_factor, mean_here);
    }
    Wides rounded;
    round_codes(value, inverse, codes + d, &rounded);
    const Wides residual = less_product(value, rounded, step);
    residual_squares = add_product(residual_squares, residual, residual);
    if (mean != nullptr) mean_products = add_product(mean_products, value, widened(mean_here));
    sums.add(codes + d);
  }
  const Wides final_squares = residual_squares;
  const Wides final_products = mean_products;
  const CodeSums final_sums = sums;
  out->residual_square = sum_of(final_squares);
  out->mean_product = sum_of(final_products);
  out->code_sum = final_sums.total(final_sums.sums);
  out->code_square = final_sums.total(final_sums.squares);
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
