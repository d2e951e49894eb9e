// dot64 of search.h on the device: sixteen neighbouring lanes make one sum, so a warp makes two.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "device.cuh"
#include "fastvbench/search.h"

namespace fastvbench {
namespace cuda {

constexpr int kDotLanes = 16;

/// Lane of the sum, 0 to 15, and which of the warp's two sums it is.
FASTVBENCH_DEVICE std::int32_t dot_lane() { return lane_index() % kDotLanes; }
FASTVBENCH_DEVICE std::int32_t dot_half() { return lane_index() / kDotLanes; }
/// Number of this thread's sum within the block.
FASTVBENCH_DEVICE std::int32_t half_warp_index() { return thread_index() / kDotLanes; }
FASTVBENCH_DEVICE std::int32_t half_warp_count() { return thread_count() / kDotLanes; }

template <typename To, typename From>
FASTVBENCH_DEVICE To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// A float16 pattern as the float32 of the same value; a NaN stays one.
FASTVBENCH_DEVICE float half_as_float(std::uint32_t pattern) {
  const std::uint32_t sign = (pattern & 0x8000u) << 16;
  const std::uint32_t magnitude = pattern & 0x7FFFu;
  if (magnitude >= 0x7C00u) return same_bits<float>(sign | 0x7F800000u | (magnitude << 13));
  // The exponents differ by 112; the product is exact, also for subnormal values.
  const float scaled = same_bits<float>(magnitude << 13) * 0x1p112f;
  return same_bits<float>(sign | same_bits<std::uint32_t>(scaled));
}

template <ElementType kType>
FASTVBENCH_DEVICE float value_at(const void* values, std::int64_t index) {
  if constexpr (kType == ElementType::kFloat32) {
    return static_cast<const float*>(values)[index];
  } else {
    const std::uint32_t pattern = static_cast<const std::uint16_t*>(values)[index];
    if constexpr (kType == ElementType::kFloat16) {
      return half_as_float(pattern);
    } else {
      return same_bits<float>(pattern << 16);
    }
  }
}

/// Sixteen lanes' sums as dot64 combines them, in every lane.
FASTVBENCH_DEVICE double combined(double sum) {
  FASTVBENCH_UNROLL
  for (int width = kDotLanes / 2; width > 0; width /= 2) sum += shuffle_down(sum, width);
  return shuffle(sum, lane_index() & kDotLanes) + 0.0;
}

/// dot64 of `a` and `b`, in every one of the sixteen lanes.
template <ElementType kTypeA, ElementType kTypeB>
FASTVBENCH_DEVICE double dot64(const void* a, const void* b, std::int64_t dimension) {
  double sum = 0.0;
  for (std::int64_t d = dot_lane(); d < dimension; d += kDotLanes) {
    // The product is exact, so that rounding once or twice makes no difference.
    sum = std::fma(static_cast<double>(value_at<kTypeA>(a, d)),
                   static_cast<double>(value_at<kTypeB>(b, d)), sum);
  }
  return combined(sum);
}

/// The same for one query and kRows rows, `stride` values apart, with one reading of the query.
template <int kRows, ElementType kType>
FASTVBENCH_DEVICE void dot64_rows(const float* query, const void* const (&rows)[kRows],
                                  std::int64_t dimension, double (&sums)[kRows]) {
  FASTVBENCH_UNROLL
  for (int i = 0; i < kRows; ++i) sums[i] = 0.0;
  for (std::int64_t d = dot_lane(); d < dimension; d += kDotLanes) {
    const double value = query[d];
    FASTVBENCH_UNROLL
    for (int i = 0; i < kRows; ++i) {
      sums[i] = std::fma(value, static_cast<double>(value_at<kType>(rows[i], d)), sums[i]);
    }
  }
  FASTVBENCH_UNROLL
  for (int i = 0; i < kRows; ++i) sums[i] = combined(sums[i]);
}

/// The largest of sixteen lanes' values, in every lane.
FASTVBENCH_DEVICE double largest_of_lanes(double value) {
  FASTVBENCH_UNROLL
  for (int width = kDotLanes / 2; width > 0; width /= 2) {
    const double other = shuffle_xor(value, width);
    value = other > value ? other : value;
  }
  return value;
}
/// Their sum, in no promised order.
template <typename T>
FASTVBENCH_DEVICE T sum_of_lanes(T value) {
  FASTVBENCH_UNROLL
  for (int width = kDotLanes / 2; width > 0; width /= 2) value += shuffle_xor(value, width);
  return value;
}

}  // namespace cuda
}  // namespace fastvbench
