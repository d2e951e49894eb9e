// Columns of candidates: adding a block's rows, dropping what fell behind, and the K-th best bound.
#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

constexpr float kInfinity = __builtin_inff();

#ifndef FASTVBENCH_LEVEL_avx512
// A bound that overflowed or is NaN says nothing.
FASTVBENCH_INLINE float sound_lower(float lower) {
  return __builtin_fabsf(lower) < kInfinity ? lower : -kInfinity;
}
FASTVBENCH_INLINE float sound_upper(float upper) { return upper == upper ? upper : kInfinity; }
#endif

// Rises with the float: negative floats count down from -1.
FASTVBENCH_INLINE std::int32_t ordered(float value) {
  std::int32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}
FASTVBENCH_INLINE float from_ordered(std::int32_t order) {
  const std::int32_t bits = order ^ ((order >> 31) & 0x7FFFFFFF);
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

std::int64_t append_rows(const float* middles, const float* widths, std::uint32_t rows,
                         std::uint32_t block_row, float* lowers, float* uppers,
                         std::uint32_t* to_rows) {
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512 infinity = _mm512_set1_ps(kInfinity);
  const __m512 minus_infinity = _mm512_set1_ps(-kInfinity);
  std::int64_t count = 0;
  for (int half = 0; half < 2; ++half) {
    const auto mask = static_cast<__mmask16>(rows >> 16 * half);
    const __m512 middle = _mm512_loadu_ps(middles + 16 * half);
    const __m512 width = _mm512_loadu_ps(widths + 16 * half);
    __m512 lower = _mm512_sub_ps(middle, width);
    __m512 upper = _mm512_add_ps(middle, width);
    const __mmask16 sound = _mm512_cmp_ps_mask(lower, infinity, _CMP_LT_OQ) &
                            _mm512_cmp_ps_mask(lower, minus_infinity, _CMP_GT_OQ);
    lower = _mm512_mask_blend_ps(sound, minus_infinity, lower);
    upper = _mm512_mask_blend_ps(_mm512_cmp_ps_mask(upper, upper, _CMP_ORD_Q), infinity, upper);
    const __m512i row =
        _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(block_row) + 16 * half));
    // To registers first: on some CPUs the form that writes memory takes a hundred cycles.
    _mm512_storeu_ps(lowers + count, _mm512_maskz_compress_ps(mask, lower));
    _mm512_storeu_ps(uppers + count, _mm512_maskz_compress_ps(mask, upper));
    _mm512_storeu_si512(to_rows + count, _mm512_maskz_compress_epi32(mask, row));
    count += __builtin_popcount(mask);
  }
  return count;
#else
  std::int64_t count = 0;
  for (; rows != 0; rows &= rows - 1, ++count) {
    const int i = __builtin_ctz(rows);
    lowers[count] = sound_lower(middles[i] - widths[i]);
    uppers[count] = sound_upper(middles[i] + widths[i]);
    to_rows[count] = block_row + static_cast<std::uint32_t>(i);
  }
  return count;
#endif
}

std::int64_t keep_not_below(float* lowers, float* uppers, std::uint32_t* rows, std::int64_t count,
                            float threshold) {
  std::int64_t kept = 0;
  std::int64_t i = 0;
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512 least = _mm512_set1_ps(threshold);
  for (; i + 16 <= count; i += 16) {
    const __m512 lower = _mm512_loadu_ps(lowers + i);
    const __m512 upper = _mm512_loadu_ps(uppers + i);
    const __m512i row = _mm512_loadu_si512(rows + i);
    const __mmask16 mask = _mm512_cmp_ps_mask(upper, least, _CMP_NLT_UQ);
    _mm512_storeu_ps(lowers + kept, _mm512_maskz_compress_ps(mask, lower));
    _mm512_storeu_ps(uppers + kept, _mm512_maskz_compress_ps(mask, upper));
    _mm512_storeu_si512(rows + kept, _mm512_maskz_compress_epi32(mask, row));
    kept += __builtin_popcount(mask);
  }
#endif
  for (; i < count; ++i) {
    lowers[kept] = lowers[i];
    uppers[kept] = uppers[i];
    rows[kept] = rows[i];
    kept += !(uppers[i] < threshold);
  }
  return kept;
}

// Halves the range of the answer until the number of values at or above its middle is `wanted`, or
// one value is left: passes over memory without a branch that depends on a value. The middle is
// taken of the values at first, which are spread more evenly than their bit patterns.
float kth_largest(const float* values, std::int64_t count, std::int64_t wanted) {
  float least = kInfinity;
  float most = -kInfinity;
  for (std::int64_t i = 0; i < count; ++i) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  std::int32_t lowest = ordered(least);
  std::int32_t highest = ordered(most);
  constexpr int kValueHalvings = 20;
  for (int halvings = 0; lowest < highest; ++halvings) {
    float middle = 0.5f * from_ordered(lowest) + 0.5f * from_ordered(highest);
    const std::int32_t by_value = ordered(middle);
    if (halvings >= kValueHalvings || by_value <= lowest || by_value > highest) {
      middle = from_ordered(static_cast<std::int32_t>(
          lowest + ((static_cast<std::int64_t>(highest) - lowest + 1) >> 1)));
    }
    std::int32_t reached = 0;
    for (std::int64_t i = 0; i < count; ++i) reached += values[i] >= middle;
    if (reached >= wanted) {
      lowest = ordered(middle);
    } else {
      highest = ordered(middle) - 1;
    }
    if (reached != wanted) continue;
    float answer = kInfinity;  // the least of those that reach the middle
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = values[i] >= middle ? values[i] : kInfinity;
      answer = value < answer ? value : answer;
    }
    return answer;
  }
  return from_ordered(lowest);
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
