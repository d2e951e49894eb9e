// Vectors as int8 codes, with what the bound needs to know about what the codes leave out.
#include "search/kernels.h"
#include "search/vectors.h"

namespace fastvbench {
namespace FASTVBENCH_LEVEL {
namespace {

constexpr double kRoundingShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole

FASTVBENCH_INLINE double sum_of(const double* lanes) {
  double sum = 0.0;
  for (int i = 0; i < kVectorLanes; ++i) sum += lanes[i];
  return sum;
}

}  // namespace

double centre_vector(const float* values, std::int64_t dimension, double factor, double mean_factor,
                     const float* mean, double* centred) {
  double largest[kVectorLanes] = {};
  std::int64_t d = 0;
  for (; d + kVectorLanes <= dimension; d += kVectorLanes) {
    for (int i = 0; i < kVectorLanes; ++i) {
      const double value = factor * values[d + i] - mean_factor * mean[d + i];
      centred[d + i] = value;
      const double magnitude = __builtin_fabs(value);
      largest[i] = magnitude > largest[i] ? magnitude : largest[i];
    }
  }
  for (int i = 0; d + i < dimension; ++i) {
    const double value = factor * values[d + i] - mean_factor * mean[d + i];
    centred[d + i] = value;
    const double magnitude = __builtin_fabs(value);
    largest[i] = magnitude > largest[i] ? magnitude : largest[i];
  }
  for (std::int64_t rest = dimension; rest % kVectorLanes != 0; ++rest) centred[rest] = 0.0;
  double most = 0.0;
  for (int i = 0; i < kVectorLanes; ++i) most = largest[i] > most ? largest[i] : most;
  return most;
}

void encode_vector(const double* centred, std::int64_t dimension, double step, int limit,
                   const float* mean, std::int8_t* codes, CodedVector* out) {
  const double inverse = 1.0 / step;
  const double highest = limit;
  double residual_squares[kVectorLanes] = {};
  double mean_products[kVectorLanes] = {};
  std::int32_t code_sums[kVectorLanes] = {};
  std::int32_t code_squares[kVectorLanes] = {};  // 127^2 * 65536 / 16 fits
  for (std::int64_t d = 0; d < dimension; d += kVectorLanes) {
    for (int i = 0; i < kVectorLanes; ++i) {
      const double value = centred[d + i];
      double code = value * inverse;
      code = code < highest ? code : highest;
      code = code > -highest ? code : -highest;
      code = (code + kRoundingShift) - kRoundingShift;
      const double residual = value - step * code;
      residual_squares[i] += residual * residual;
      mean_products[i] += value * mean[d + i];
      const auto whole = static_cast<std::int32_t>(code);
      codes[d + i] = static_cast<std::int8_t>(whole);
      code_sums[i] += whole;
      code_squares[i] += whole * whole;
    }
  }
  out->residual_square = sum_of(residual_squares);
  out->mean_product = sum_of(mean_products);
  out->code_sum = 0;
  out->code_square = 0;
  for (int i = 0; i < kVectorLanes; ++i) {
    out->code_sum += code_sums[i];
    out->code_square += code_squares[i];
  }
}

void interleave_codes(const std::int8_t* codes, std::int64_t stride, std::int64_t step_count,
                      std::uint8_t* block) {
  constexpr std::uint32_t kToUnsigned = 0x80808080u;  // adds 128 to each of four codes
  for (std::int64_t step = 0; step < step_count; ++step) {
    std::uint8_t* to = block + step * 4 * kBlockRows;
    for (int row = 0; row < kBlockRows; ++row) {
      std::uint32_t four;
      __builtin_memcpy(&four, codes + row * stride + step * 4, sizeof four);
      four ^= kToUnsigned;
      __builtin_memcpy(to + 4 * row, &four, sizeof four);
    }
  }
}

}  // namespace FASTVBENCH_LEVEL
}  // namespace fastvbench
