// Rows as byte codes, in float32 arithmetic: what takes the time when a gallery is prepared.
#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

// a - b * c; rounded once or twice as the level has it.
FASTVBENCH_INLINE Floats less_product(const Floats& a, const Floats& b, float c) {
  return multiply_add(-c, b, a);
}

// Sixteen codes: value * inverse, rounded, also as float32. NaN becomes some code.
FASTVBENCH_INLINE Floats round_bytes(const Floats& values, float inverse, std::int8_t* codes) {
  Floats rounded;
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512i whole = _mm512_maskz_cvtps_epi32(0xFFFF, values.part[0] * broadcast_float(inverse));
  rounded.part[0] = _mm512_maskz_cvtepi32_ps(0xFFFF, whole);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(codes), _mm512_maskz_cvtepi32_epi8(0xFFFF, whole));
#elif defined(FASTVBENCH_LEVEL_avx2)
  const __m256 factor = broadcast_float(inverse);
  const __m256i low = _mm256_cvtps_epi32(values.part[0] * factor);
  const __m256i high = _mm256_cvtps_epi32(values.part[1] * factor);
  rounded.part[0] = _mm256_cvtepi32_ps(low);
  rounded.part[1] = _mm256_cvtepi32_ps(high);
  const __m128i low_words =
      _mm_packs_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
  const __m128i high_words =
      _mm_packs_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(codes), _mm_packs_epi16(low_words, high_words));
#else
  constexpr float kRoundingShift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to whole
  constexpr float kHighest = 127.0f;             // NaN and infinity must not reach the cast
  float all[kVectorLanes];
  store_floats(all, values);
  for (int i = 0; i < kVectorLanes; ++i) {
    float code = all[i] * inverse;
    code = code < kHighest ? code : kHighest;
    code = code > -kHighest ? code : -kHighest;
    all[i] = (code + kRoundingShift) - kRoundingShift;
    codes[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(all[i]));
  }
  rounded = load_floats(all);
#endif
  return rounded;
}

FASTVBENCH_INLINE double sum_of(const Floats& lanes) {
  float all[kVectorLanes];
  store_floats(all, lanes);
  double sum = 0.0;
  for (const float lane : all) sum += static_cast<double>(lane);
  return sum;
}

struct RowSums {
  Floats residual_squares;
  Floats code_squares;
  Wides mean_products;
};

FASTVBENCH_INLINE void encode_lanes(const float* values, float factor, const float* mean,
                                    float step, float inverse, std::int8_t* codes, RowSums* sums) {
  Floats value = factor * load_floats(values);
  if (mean != nullptr) {
    value = multiply_add(-1.0f, load_floats(mean), value);
    float stored[kVectorLanes];
    store_floats(stored, value);
    sums->mean_products = add_product(sums->mean_products, widened(stored), widened(mean));
  }
  const Floats rounded = round_bytes(value, inverse, codes);
  const Floats residual = less_product(value, rounded, step);
  sums->residual_squares = multiply_add(residual, residual, sums->residual_squares);
  sums->code_squares = multiply_add(rounded, rounded, sums->code_squares);
}

}  // namespace

void encode_row(const float* values, std::int64_t dimension, float factor, const float* mean,
                float step, std::int8_t* codes, CodedRow* out) {
  const float inverse = 1.0f / step;
  const float zeros[kVectorLanes] = {};
  RowSums sums{load_floats(zeros), load_floats(zeros), no_wides()};
  const std::int64_t whole = dimension / kVectorLanes * kVectorLanes;
  for (std::int64_t d = 0; d < whole; d += kVectorLanes) {
    encode_lanes(values + d, factor, mean == nullptr ? nullptr : mean + d, step, inverse, codes + d,
                 &sums);
  }
  if (whole < dimension) {
    const PaddedTail tail(values + whole, dimension - whole);
    encode_lanes(tail.values, factor, mean == nullptr ? nullptr : mean + whole, step, inverse,
                 codes + whole, &sums);
  }
  out->residual_square = sum_of(sums.residual_squares);
  out->code_square = sum_of(sums.code_squares);
  out->mean_product = mean == nullptr ? 0.0 : sum_of_lanes(sums.mean_products);
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
