// Scale and mean of a gallery from a sample of its rows, as search/row_frame.cpp has them. The
// numbers may differ from the CPU's: the bounds hold for any frame.
#pragma once

#include "kernels/dot64.cuh"
#include "kernels/select.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

/// Every `stride`-th row.
struct Sample {
  const void* rows;
  const double* norms;
  const std::uint8_t* faults;
  std::int64_t dimension;
  std::int64_t stride;
  std::int32_t count;

  FASTVBENCH_DEVICE bool has(std::int32_t i) const {
    return i < count && faults[i * stride] == 0 && norms[i * stride] > 0.0;
  }
  template <ElementType kType>
  FASTVBENCH_DEVICE const void* row(std::int32_t i) const {
    constexpr std::int64_t kBytes = kType == ElementType::kFloat32 ? 4 : 2;
    return static_cast<const char*>(rows) + i * stride * dimension * kBytes;
  }
  FASTVBENCH_DEVICE double factor(std::int32_t i, bool is_cosine, double scale) const {
    return is_cosine ? 1.0 / norms[i * stride] : scale;
  }
};

/// largest[i] = the bits of the sampled row's largest magnitude; 0 for a row that is left out.
template <ElementType kType>
FASTVBENCH_KERNEL(sample_magnitudes_kernel)(Sample sample, std::uint32_t* largest) {
  const std::int32_t i = block_index() * half_warp_count() + half_warp_index();
  const bool is_there = sample.has(i);
  double most = 0.0;
  const void* row = sample.template row<kType>(is_there ? i : 0);
  for (std::int64_t d = dot_lane(); is_there && d < sample.dimension; d += kDotLanes) {
    const double magnitude = std::fabs(static_cast<double>(value_at<kType>(row, d)));
    most = magnitude > most ? magnitude : most;
  }
  most = largest_of_lanes(most);
  if (i < sample.count && dot_lane() == 0) {
    largest[i] = same_bits<std::uint32_t>(static_cast<float>(most));
  }
}

/// By one block. The median, so that one huge row does not flatten the others; 1 for cosine.
FASTVBENCH_KERNEL(choose_scale_kernel)(const std::uint32_t* largest, std::int32_t count,
                                       bool is_cosine, DeviceFrame* frame) {
  FASTVBENCH_SHARED(SelectMemory, memory, 1);
  FASTVBENCH_SHARED(std::int32_t, present, 1);
  double scale = 1.0;
  if (!is_cosine) {
    if (thread_index() == 0) present[0] = 0;
    sync_block();
    for (std::int32_t i = thread_index(); i < count; i += thread_count()) {
      if (largest[i] != 0) atomic_add(present, 1);
    }
    sync_block();
    auto order = [&](std::int32_t i) { return std::uint64_t{largest[i]}; };
    auto place = [](std::int32_t) { return 0u; };
    const Cut median = find_cut(order, place, count, (present[0] + 1) / 2, false, memory);
    if (present[0] > 0) {
      const auto middle = same_bits<float>(static_cast<std::uint32_t>(median.order));
      scale = std::ldexp(1.0, -std::ilogb(middle));
    }
  }
  if (thread_index() == 0) *frame = {scale, 0.0, 0, 0};
}

constexpr int kMeanColumns = 32;  // a block's dimensions
constexpr int kMeanGroups = 8;    // stretches of the sample that it adds up apart

/// mean[d] over the sample, for the block's dimensions; zeros beyond the last.
template <ElementType kType>
FASTVBENCH_KERNEL(average_sample_kernel)(Sample sample, bool is_cosine, const DeviceFrame* frame,
                                         float* mean) {
  FASTVBENCH_SHARED(double, sums, kMeanColumns* kMeanGroups);
  FASTVBENCH_SHARED(std::int32_t, counts, kMeanGroups);
  const std::int32_t column = thread_index() % kMeanColumns;
  const std::int32_t group = thread_index() / kMeanColumns;
  const std::int64_t d = std::int64_t{block_index()} * kMeanColumns + column;
  double sum = 0.0;
  std::int32_t count = 0;
  for (std::int32_t i = group; i < sample.count; i += kMeanGroups) {
    if (!sample.has(i)) continue;
    ++count;
    if (d >= sample.dimension) continue;
    sum += sample.factor(i, is_cosine, frame->scale) *
           static_cast<double>(value_at<kType>(sample.template row<kType>(i), d));
  }
  sums[group * kMeanColumns + column] = sum;
  if (column == 0) counts[group] = count;
  sync_block();
  if (group != 0) return;
  double total = 0.0;
  std::int32_t rows = 0;
  for (int i = 0; i < kMeanGroups; ++i) {
    total += sums[i * kMeanColumns + column];
    rows += counts[i];
  }
  mean[d] = rows < 2 || d >= sample.dimension ? 0.0f : static_cast<float>(total / rows);
}

/// lengths[i] and lengths[count + i]: of the sampled row, as it is and less the mean.
template <ElementType kType>
FASTVBENCH_KERNEL(sample_lengths_kernel)(Sample sample, bool is_cosine, const DeviceFrame* frame,
                                         const float* mean, double* lengths) {
  const std::int32_t i = block_index() * half_warp_count() + half_warp_index();
  const bool is_there = sample.has(i);
  const void* row = sample.template row<kType>(is_there ? i : 0);
  const double factor = is_there ? sample.factor(i, is_cosine, frame->scale) : 0.0;
  double plain = 0.0;
  double rest = 0.0;
  for (std::int64_t d = dot_lane(); is_there && d < sample.dimension; d += kDotLanes) {
    const double value = factor * static_cast<double>(value_at<kType>(row, d));
    const double centred = value - static_cast<double>(mean[d]);
    plain += value * value;
    rest += centred * centred;
  }
  plain = sum_of_lanes(plain);
  rest = sum_of_lanes(rest);
  if (i >= sample.count || dot_lane() != 0) return;
  lengths[i] = std::sqrt(plain);
  lengths[sample.count + i] = std::sqrt(rest);
}

/// By one warp: whether centring pays, as on the CPU; the mean is zeros where it doesn't.
FASTVBENCH_KERNEL(settle_frame_kernel)(const double* lengths, std::int32_t count,
                                       std::int64_t dimension, float* mean, DeviceFrame* frame) {
  constexpr double kWorthwhile = 0.97;
  double plain = 0.0;
  double rest = 0.0;
  double square = 0.0;
  for (std::int32_t i = lane_index(); i < count; i += kWarpSize) {
    plain += lengths[i];
    rest += lengths[count + i];
  }
  for (std::int64_t d = lane_index(); d < dimension; d += kWarpSize) {
    square += static_cast<double>(mean[d]) * static_cast<double>(mean[d]);
  }
  FASTVBENCH_UNROLL
  for (int width = kWarpSize / 2; width > 0; width /= 2) {
    plain += shuffle_xor(plain, width);
    rest += shuffle_xor(rest, width);
    square += shuffle_xor(square, width);
  }
  const double norm = std::sqrt(square) * kSumRounding;
  const bool is_centred = rest < kWorthwhile * plain && norm > 0x1p-20 && norm < 0x1p20;
  if (!is_centred) {
    for (std::int64_t d = lane_index(); d < dimension; d += kWarpSize) mean[d] = 0.0f;
  }
  if (lane_index() == 0) {
    frame->is_centred = is_centred ? 1 : 0;
    frame->mean_norm = is_centred ? norm : 0.0;
  }
}

}  // namespace cuda
}  // namespace fastvbench
