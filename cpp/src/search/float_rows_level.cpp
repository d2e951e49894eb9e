// Float32 sums of rows with a few queries, rows read as they lie: a filter that needs no codes.
#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

#if defined(FASTVBENCH_LEVEL_avx512)
constexpr int kRowsAtOnce = 4;  // sixteen sums of one register
#else
constexpr int kRowsAtOnce = 1;
#endif

FASTVBENCH_INLINE float sum_of_floats(const Floats& lanes) {
#if defined(FASTVBENCH_LEVEL_avx512)
  const __m512 all = lanes.part[0];
  const __m256 eight = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7) +
                       __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128 four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                      __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
#else
  float sum = 0.0f;
  for (int k = 0; k < kFloatParts; ++k) {
    for (int i = 0; i < kFloatLanes; ++i) sum += lanes.part[k][i];
  }
  return sum;
#endif
}

FASTVBENCH_INLINE Floats tail_of(const float* from, std::int64_t count) {
  return load_floats(PaddedTail(from, count).values);
}

template <int kRows>
FASTVBENCH_INLINE void tile(const float* const* rows, const float* const* queries,
                            std::int64_t dimension, std::int64_t stride, float* out) {
  Floats sums[kRows][kFloatQueries];
  const float zeros[kVectorLanes] = {};
  for (int r = 0; r < kRows; ++r) {
    for (int q = 0; q < kFloatQueries; ++q) sums[r][q] = load_floats(zeros);
  }
  std::int64_t d = 0;
  for (; d + kVectorLanes <= dimension; d += kVectorLanes) {
    Floats row[kRows];
    for (int r = 0; r < kRows; ++r) row[r] = load_floats(rows[r] + d);
    for (int q = 0; q < kFloatQueries; ++q) {
      const Floats query = load_floats(queries[q] + d);
      for (int r = 0; r < kRows; ++r) sums[r][q] = multiply_add(row[r], query, sums[r][q]);
    }
  }
  if (d < dimension) {
    for (int q = 0; q < kFloatQueries; ++q) {
      const Floats query = tail_of(queries[q] + d, dimension - d);
      for (int r = 0; r < kRows; ++r) {
        sums[r][q] = multiply_add(tail_of(rows[r] + d, dimension - d), query, sums[r][q]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int q = 0; q < kFloatQueries; ++q) out[q * stride + r] = sum_of_floats(sums[r][q]);
  }
}

}  // namespace

void dot32_rows(const float* const* rows, std::int64_t count, const float* const* queries,
                std::int64_t query_count, std::int64_t dimension, std::int64_t stride, float* out) {
  // A few rows stay in the nearest cache while all queries go over them.
  constexpr std::int64_t kStretch = 2 * kRowsAtOnce;
  for (std::int64_t first = 0; first < count; first += kStretch) {
    const std::int64_t last = first + kStretch < count ? first + kStretch : count;
    for (std::int64_t q = 0; q < query_count; q += kFloatQueries) {
      float* to = out + q * stride;
      std::int64_t i = first;
      for (; i + kRowsAtOnce <= last; i += kRowsAtOnce) {
        tile<kRowsAtOnce>(rows + i, queries + q, dimension, stride, to + i);
      }
      for (; i < last; ++i) tile<1>(rows + i, queries + q, dimension, stride, to + i);
    }
  }
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
