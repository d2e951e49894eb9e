// Products of a block of rows with the queries of a panel, in registers.
// Included by scan_level.cpp only.
#pragma once

#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

// How far ahead of the products the codes are fetched; hardware stops at the end of a page.
constexpr std::int64_t kFetchAheadBytes = 4096;

FASTVBENCH_INLINE std::int32_t four_codes(const std::uint8_t* from) {
  std::int32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  return four;
}

// Each tile is a function of its own with every loop over queries unrolled: inlined into the
// comparison, the sums would be spilled to memory and the products run at half speed.

#if defined(FASTVBENCH_LEVEL_avx512)

template <CodeWidth kWidth, int kQueries>
__attribute__((noinline)) void code_tile(const std::uint8_t* block, const std::uint8_t* panel,
                                         std::int64_t step_count, const std::int32_t* starts,
                                         std::int32_t (*products)[kBlockRows]) {
  __m512i low[kQueries], high[kQueries];
#pragma GCC unroll 12
  for (int q = 0; q < kQueries; ++q) low[q] = high[q] = _mm512_set1_epi32(starts[q]);
  for (std::int64_t step = 0; step < step_count; ++step) {
    const __m512i rows_low = _mm512_load_si512(block);
    const __m512i rows_high = _mm512_load_si512(block + 64);
    _mm_prefetch(reinterpret_cast<const char*>(block + kFetchAheadBytes), _MM_HINT_T1);
    _mm_prefetch(reinterpret_cast<const char*>(block + kFetchAheadBytes + 64), _MM_HINT_T1);
#pragma GCC unroll 12
    for (int q = 0; q < kQueries; ++q) {
      const __m512i codes = _mm512_set1_epi32(four_codes(panel + 4 * q));
      if constexpr (kWidth == CodeWidth::kByte) {
        low[q] = _mm512_dpbusd_epi32(low[q], rows_low, codes);
        high[q] = _mm512_dpbusd_epi32(high[q], rows_high, codes);
      } else {
        low[q] = _mm512_dpwssd_epi32(low[q], rows_low, codes);
        high[q] = _mm512_dpwssd_epi32(high[q], rows_high, codes);
      }
    }
    block += 4 * kBlockRows;
    panel += 4 * kPanelQueries;
  }
#pragma GCC unroll 12
  for (int q = 0; q < kQueries; ++q) {
    _mm512_store_si512(products[q], low[q]);
    _mm512_store_si512(products[q] + 16, high[q]);
  }
}

#elif defined(FASTVBENCH_LEVEL_avx2)

// Half a block with up to four queries: eight sums fit the sixteen registers.
template <CodeWidth kWidth, int kQueries>
__attribute__((noinline)) void code_half(const std::uint8_t* block, const std::uint8_t* panel,
                                         std::int64_t step_count, const std::int32_t* starts,
                                         std::int32_t (*products)[kBlockRows]) {
  [[maybe_unused]] const __m256i ones = _mm256_set1_epi16(1);
  __m256i low[kQueries], high[kQueries];
#pragma GCC unroll 4
  for (int q = 0; q < kQueries; ++q) low[q] = high[q] = _mm256_set1_epi32(starts[q]);
  for (std::int64_t step = 0; step < step_count; ++step) {
    const __m256i rows_low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    const __m256i rows_high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
    _mm_prefetch(reinterpret_cast<const char*>(block + kFetchAheadBytes), _MM_HINT_T1);
#pragma GCC unroll 4
    for (int q = 0; q < kQueries; ++q) {
      const __m256i codes = _mm256_set1_epi32(four_codes(panel + 4 * q));
      if constexpr (kWidth == CodeWidth::kByte) {
        const __m256i pairs_low = _mm256_maddubs_epi16(rows_low, codes);
        const __m256i pairs_high = _mm256_maddubs_epi16(rows_high, codes);
        low[q] = _mm256_add_epi32(low[q], _mm256_madd_epi16(pairs_low, ones));
        high[q] = _mm256_add_epi32(high[q], _mm256_madd_epi16(pairs_high, ones));
      } else {
        low[q] = _mm256_add_epi32(low[q], _mm256_madd_epi16(rows_low, codes));
        high[q] = _mm256_add_epi32(high[q], _mm256_madd_epi16(rows_high, codes));
      }
    }
    block += 4 * kBlockRows;
    panel += 4 * kPanelQueries;
  }
#pragma GCC unroll 4
  for (int q = 0; q < kQueries; ++q) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(products[q]), low[q]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(products[q] + 8), high[q]);
  }
}

template <CodeWidth kWidth, int kQueries>
FASTVBENCH_INLINE void code_tile(const std::uint8_t* block, const std::uint8_t* panel,
                                 std::int64_t step_count, const std::int32_t* starts,
                                 std::int32_t (*products)[kBlockRows]) {
  for (int half = 0; half < 2; ++half) {
    const std::uint8_t* rows = block + 64 * half;
    auto* to = reinterpret_cast<std::int32_t (*)[kBlockRows]>(&products[0][16 * half]);
    int q = 0;
    for (; q + 4 <= kQueries; q += 4) {
      code_half<kWidth, 4>(rows, panel + 4 * q, step_count, starts + q, to + q);
    }
    if constexpr (kQueries % 4 != 0) {
      code_half<kWidth, kQueries % 4>(rows, panel + 4 * q, step_count, starts + q, to + q);
    }
  }
}

#else

// One query at a time.
template <CodeWidth kWidth>
__attribute__((noinline)) void code_row(const std::uint8_t* block, const std::uint8_t* panel,
                                        std::int64_t step_count, std::int32_t start,
                                        std::int32_t* products) {
#ifdef FASTVBENCH_X86_LEVELS
  // Every x86-64 has SSE2, which multiplies in 16 bits and adds in pairs. A wide step of a row is
  // one pair; a step of bytes is two, which are added at the end.
  constexpr int kRows = kWidth == CodeWidth::kByte ? 8 : 16;
  constexpr int kRegisters = kRows / 4;
  const __m128i zero = _mm_setzero_si128();
  for (int rows = 0; rows < kBlockRows; rows += kRows) {
    __m128i sums[4] = {zero, zero, zero, zero};
    for (std::int64_t step = 0; step < step_count; ++step) {
      const __m128i four = _mm_set1_epi32(four_codes(panel + 4 * kPanelQueries * step));
      const auto* from = reinterpret_cast<const __m128i*>(block + 4 * kBlockRows * step + 4 * rows);
      if constexpr (kWidth == CodeWidth::kByte) {
        const __m128i codes = _mm_srai_epi16(_mm_unpacklo_epi8(zero, four), 8);
        for (int k = 0; k < kRegisters; ++k) {
          const __m128i bytes = _mm_loadu_si128(from + k);
          const __m128i low = _mm_madd_epi16(_mm_unpacklo_epi8(bytes, zero), codes);
          const __m128i high = _mm_madd_epi16(_mm_unpackhi_epi8(bytes, zero), codes);
          sums[2 * k] = _mm_add_epi32(sums[2 * k], low);
          sums[2 * k + 1] = _mm_add_epi32(sums[2 * k + 1], high);
        }
      } else {
        for (int k = 0; k < kRegisters; ++k) {
          sums[k] = _mm_add_epi32(sums[k], _mm_madd_epi16(_mm_loadu_si128(from + k), four));
        }
      }
    }
    alignas(16) std::int32_t pairs[16];
    for (int k = 0; k < 4; ++k) _mm_store_si128(reinterpret_cast<__m128i*>(pairs + 4 * k), sums[k]);
    for (int row = 0; row < kRows; ++row) {
      products[rows + row] =
          start + (kRows == 8 ? pairs[2 * row % 16] + pairs[(2 * row + 1) % 16] : pairs[row]);
    }
  }
#else
  // Plain loops over rows, which a compiler can turn into whatever the architecture has.
  for (int row = 0; row < kBlockRows; ++row) products[row] = start;
  for (std::int64_t step = 0; step < step_count; ++step) {
    for (int row = 0; row < kBlockRows; ++row) {
      std::int32_t sum = 0;
      if constexpr (kWidth == CodeWidth::kByte) {
        for (int i = 0; i < 4; ++i) {
          sum += block[4 * row + i] * static_cast<std::int8_t>(panel[i]);
        }
      } else {
        std::int16_t rows[2], queries[2];
        __builtin_memcpy(rows, block + 4 * row, sizeof rows);
        __builtin_memcpy(queries, panel, sizeof queries);
        for (int i = 0; i < 2; ++i) sum += rows[i] * queries[i];
      }
      products[row] += sum;
    }
    block += 4 * kBlockRows;
    panel += 4 * kPanelQueries;
  }
#endif
}

template <CodeWidth kWidth, int kQueries>
FASTVBENCH_INLINE void code_tile(const std::uint8_t* block, const std::uint8_t* panel,
                                 std::int64_t step_count, const std::int32_t* starts,
                                 std::int32_t (*products)[kBlockRows]) {
  for (int q = 0; q < kQueries; ++q) {
    code_row<kWidth>(block, panel + 4 * q, step_count, starts[q], products[q]);
  }
}

#endif

}  // namespace
}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
