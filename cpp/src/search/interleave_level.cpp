// Codes of vectors that lie one after the other, as tiles read them: step by step.
#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

// Four bytes of one vector: four codes, or two wide codes.
FASTVBENCH_INLINE std::uint32_t step_of(const std::int16_t* codes, CodeWidth width) {
  if (width == CodeWidth::kWide) {
    std::uint32_t two;
    __builtin_memcpy(&two, codes, sizeof two);
    return two;
  }
  std::uint8_t four[4];
  for (int i = 0; i < 4; ++i) four[i] = static_cast<std::uint8_t>(codes[i]);
  std::uint32_t packed;
  __builtin_memcpy(&packed, four, sizeof packed);
  return packed;
}

#if defined(FASTVBENCH_LEVEL_avx512)
// Sixteen rows of sixteen dwords, mirrored at the diagonal.
FASTVBENCH_INLINE void transpose(__m512i (&rows)[16]) {
  __m512i t[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    t[2 * i] = _mm512_maskz_unpacklo_epi32(0xFFFF, rows[2 * i], rows[2 * i + 1]);
    t[2 * i + 1] = _mm512_maskz_unpackhi_epi32(0xFFFF, rows[2 * i], rows[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[4 * i] = _mm512_maskz_unpacklo_epi64(0xFF, t[4 * i], t[4 * i + 2]);
    rows[4 * i + 1] = _mm512_maskz_unpackhi_epi64(0xFF, t[4 * i], t[4 * i + 2]);
    rows[4 * i + 2] = _mm512_maskz_unpacklo_epi64(0xFF, t[4 * i + 1], t[4 * i + 3]);
    rows[4 * i + 3] = _mm512_maskz_unpackhi_epi64(0xFF, t[4 * i + 1], t[4 * i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[i], rows[4 + i], 0x88);
    t[4 + i] = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[i], rows[4 + i], 0xDD);
    t[8 + i] = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[8 + i], rows[12 + i], 0x88);
    t[12 + i] = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[8 + i], rows[12 + i], 0xDD);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[i] = _mm512_maskz_shuffle_i32x4(0xFFFF, t[i], t[8 + i], 0x88);
    rows[8 + i] = _mm512_maskz_shuffle_i32x4(0xFFFF, t[i], t[8 + i], 0xDD);
    rows[4 + i] = _mm512_maskz_shuffle_i32x4(0xFFFF, t[4 + i], t[12 + i], 0x88);
    rows[12 + i] = _mm512_maskz_shuffle_i32x4(0xFFFF, t[4 + i], t[12 + i], 0xDD);
  }
}

// Sixteen steps of one vector.
FASTVBENCH_INLINE __m512i sixteen_steps(const std::int16_t* codes, CodeWidth width) {
  if (width == CodeWidth::kWide) return _mm512_loadu_si512(codes);
  const __m256i low = _mm512_maskz_cvtepi16_epi8(~0u, _mm512_loadu_si512(codes));
  const __m256i high = _mm512_maskz_cvtepi16_epi8(~0u, _mm512_loadu_si512(codes + 32));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#endif

}  // namespace

void interleave_codes(const std::int16_t* codes, std::int64_t stride, int vector_count,
                      std::int64_t step_count, CodeWidth width, std::uint8_t* to,
                      int width_vectors) {
  const std::int64_t step_codes = width == CodeWidth::kWide ? 2 : 4;
  std::int64_t step = 0;
#if defined(FASTVBENCH_LEVEL_avx512)
  for (; step + 16 <= step_count; step += 16) {
    for (int first = 0; first < vector_count; first += 16) {
      const int count = vector_count - first < 16 ? vector_count - first : 16;
      __m512i rows[16];
      for (int i = 0; i < 16; ++i) {
        rows[i] = i < count ? sixteen_steps(codes + (first + i) * stride + step * step_codes, width)
                            : _mm512_setzero_si512();
      }
      transpose(rows);
      const auto mask = static_cast<__mmask16>((1u << count) - 1u);
      for (int i = 0; i < 16; ++i) {
        std::uint8_t* place = to + ((step + i) * width_vectors + first) * 4;
        _mm512_mask_storeu_epi32(place, mask, rows[i]);
      }
    }
  }
#endif
  for (; step < step_count; ++step) {
    for (int i = 0; i < vector_count; ++i) {
      const std::uint32_t four = step_of(codes + i * stride + step * step_codes, width);
      __builtin_memcpy(to + (step * width_vectors + i) * 4, &four, sizeof four);
    }
  }
}

void interleave_rows(const std::int8_t* codes, std::int64_t stride, std::int64_t step_count,
                     [[maybe_unused]] bool is_past_cache, std::uint8_t* to) {
  std::int64_t step = 0;
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(0x80));
  for (; step + 16 <= step_count; step += 16) {
    for (int first = 0; first < kBlockRows; first += 16) {
      __m512i rows[16];
      for (int i = 0; i < 16; ++i) {
        rows[i] = _mm512_loadu_si512(codes + (first + i) * stride + step * 4) ^ flips;
      }
      transpose(rows);
      for (int i = 0; i < 16; ++i) {
        auto* place = reinterpret_cast<__m512i*>(to + ((step + i) * kBlockRows + first) * 4);
        if (is_past_cache) {
          _mm512_stream_si512(place, rows[i]);
        } else {
          _mm512_store_si512(place, rows[i]);
        }
      }
    }
  }
  if (is_past_cache) _mm_sfence();  // no lock orders such stores
#endif
  for (; step < step_count; ++step) {
    for (int i = 0; i < kBlockRows; ++i) {
      std::uint32_t four;
      __builtin_memcpy(&four, codes + i * stride + step * 4, sizeof four);
      four ^= 0x80808080u;
      __builtin_memcpy(to + (step * kBlockRows + i) * 4, &four, sizeof four);
    }
  }
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
