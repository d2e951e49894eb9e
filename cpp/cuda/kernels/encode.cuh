// Rows and queries as codes, with the terms that search/bound.h asks for. A block of threads codes
// 32 vectors, sixteen lanes each, in float64.
#pragma once

#include "kernels/dot64.cuh"
#include "search_data.h"

namespace fastvbench {
namespace cuda {

constexpr int kEncodeThreads = 32 * kDotLanes;
constexpr int kStageWords = 64;  // words of each vector that are gathered before they are written

/// One vector: v = factor * values - mean_factor * mean. All zeros where it is not there.
struct Encoding {
  const void* values;
  const float* mean;
  std::int64_t dimension;
  double factor;
  double mean_factor;
  bool is_there;

  template <ElementType kType>
  FASTVBENCH_DEVICE double at(std::int64_t d) const {
    if (!is_there || d >= dimension) return 0.0;
    return factor * static_cast<double>(value_at<kType>(values, d)) -
           mean_factor * static_cast<double>(mean[d]);
  }
  /// The largest |v_d|, in all sixteen lanes.
  template <ElementType kType>
  FASTVBENCH_DEVICE double largest() const {
    double most = 0.0;
    for (std::int64_t d = dot_lane(); d < dimension; d += kDotLanes) {
      const double magnitude = std::fabs(at<kType>(d));
      most = magnitude > most ? magnitude : most;
    }
    return largest_of_lanes(most);
  }
};

struct CodeSums {
  double residual_square;
  double mean_product;
  std::int64_t code_square;
};

/// Codes of the block's 32 vectors, written as [word][vector] to `codes`. `stage` is shared. Sums
/// are those of the thread's own vector.
template <ElementType kType>
FASTVBENCH_DEVICE CodeSums encode_vectors(const Encoding& vector, float step,
                                          std::int32_t word_count, std::uint32_t* stage,
                                          std::uint32_t* codes) {
  const double width = step;
  const double inverse = 1.0 / width;
  double residual_square = 0.0;
  double mean_product = 0.0;
  std::int32_t code_square = 0;
  for (std::int32_t first = 0; first < word_count; first += kStageWords) {
    const std::int32_t words = word_count - first < kStageWords ? word_count - first : kStageWords;
    for (std::int32_t word = 0; word < words; word += 4) {
      const std::int64_t d = std::int64_t{4} * (first + word) + dot_lane();
      const double value = vector.template at<kType>(d);
      double code = std::rint(value * inverse);
      code = code < kRowCodeLimit ? code : kRowCodeLimit;
      code = code > -kRowCodeLimit ? code : -kRowCodeLimit;
      const double residual = value - code * width;
      residual_square += residual * residual;
      if (d < vector.dimension) mean_product += value * static_cast<double>(vector.mean[d]);
      const auto whole = static_cast<std::int32_t>(code);
      code_square += whole * whole;
      std::uint32_t packed = (static_cast<std::uint32_t>(whole) & 0xFFu) << (8 * (dot_lane() % 4));
      packed |= shuffle_xor(packed, 1);
      packed |= shuffle_xor(packed, 2);
      if (dot_lane() % 4 == 0) {
        stage[(word + dot_lane() / 4) * kPanelRows + half_warp_index()] = packed;
      }
    }
    sync_block();
    for (std::int32_t i = thread_index(); i < words * kPanelRows; i += thread_count()) {
      codes[std::int64_t{first} * kPanelRows + i] = stage[i];
    }
    sync_block();
  }
  return {sum_of_lanes(residual_square), sum_of_lanes(mean_product),
          std::int64_t{sum_of_lanes(code_square)}};
}

/// A block of threads for each block of rows.
template <ElementType kType>
FASTVBENCH_KERNEL_BOUNDED(encode_rows_kernel, kEncodeThreads,
                          1)(ExactRows rows, const double* norms, const std::uint8_t* faults,
                             const float* mean, bool is_cosine, DeviceFrame* frame,
                             CodedBlocks coded) {
  FASTVBENCH_SHARED(std::uint32_t, stage, kStageWords* kPanelRows);
  FASTVBENCH_SHARED(RowTerms, terms, kBlockRows);
  FASTVBENCH_SHARED(std::int32_t, rankable, kBlockRows);
  constexpr std::int64_t kBytes = kType == ElementType::kFloat32 ? 4 : 2;
  const std::int64_t row = std::int64_t{block_index()} * kBlockRows + half_warp_index();
  const bool is_there = row < rows.count && faults[row] == 0;
  Encoding vector{rows.values, mean, rows.dimension, frame->scale, 1.0, is_there};
  if (is_there) {
    vector.values = static_cast<const char*>(rows.values) + row * rows.dimension * kBytes;
    if (is_cosine) vector.factor = 1.0 / norms[row];
  }
  const double largest = enlarged(vector.template largest<kType>(), frame->mean_norm);
  const bool is_known = largest <= kLargestComponent;
  const double wanted_step = largest / kRowCodeLimit;
  const auto step = static_cast<float>(
      is_known && wanted_step > kSmallestRowStep ? wanted_step : kSmallestRowStep);
  vector.is_there = is_there && is_known;
  const CodeSums sums = encode_vectors<kType>(
      vector, step, coded.word_count, stage,
      coded.codes + std::int64_t{block_index()} * coded.word_count * kBlockRows);
  if (dot_lane() == 0) {
    RowTerms own{0.0f, 0.0f, 0.0f, 0.0f};
    if (vector.is_there) {
      own = row_terms(step, static_cast<double>(sums.code_square), sums.residual_square,
                      sums.mean_product, frame->mean_norm, wide_row_rounding());
    } else if (is_there) {
      own = unknown_row_terms();
    }
    terms[half_warp_index()] = own;
    rankable[half_warp_index()] = is_there ? 1 : 0;
    const float code_norm =
        rounded_up(std::sqrt(static_cast<double>(sums.code_square)) * kSumRounding);
    if (sums.code_square > 0) {
      atomic_max(&frame->largest_code_norm, same_bits<std::uint32_t>(code_norm));
    }
  }
  sync_block();
  if (warp_index() != 0) return;
  const RowTerms own = terms[lane_index()];
  float* to = coded.terms + std::int64_t{block_index()} * 4 * kBlockRows + lane_index();
  to[0] = own.step;
  to[kBlockRows] = own.residual;
  to[2 * kBlockRows] = own.length;
  to[3 * kBlockRows] = own.bias;
  float residual = own.residual;
  float length = own.length;
  FASTVBENCH_UNROLL
  for (int width = kWarpSize / 2; width > 0; width /= 2) {
    const float other_residual = shuffle_xor(residual, width);
    const float other_length = shuffle_xor(length, width);
    residual = other_residual > residual ? other_residual : residual;
    length = other_length > length ? other_length : length;
  }
  const std::uint32_t bits = ballot(rankable[lane_index()] != 0);
  if (lane_index() == 0) coded.heads[block_index()] = {residual, length, bits, 0};
}

/// A block of threads for each panel of queries. A query that cannot be compared, or is there to
/// fill a panel only, gets kDropAll as its threshold; the others minus infinity.
FASTVBENCH_KERNEL_BOUNDED(encode_queries_kernel, kEncodeThreads, 1)
(ExactQueries queries, std::int64_t dimension, const float* mean, bool is_cosine,
 const DeviceFrame* frame, CodedPanels coded, float* thresholds) {
  FASTVBENCH_SHARED(std::uint32_t, stage, kStageWords* kPanelRows);
  const std::int64_t query = std::int64_t{block_index()} * kPanelRows + half_warp_index();
  const bool is_there = query < queries.count && std::isfinite(queries.norms[query]);
  const float* values = queries.values + (is_there ? query * dimension : 0);
  Encoding vector{values, mean, dimension, 1.0, 0.0, is_there};
  const double magnitude = vector.largest<ElementType::kFloat32>();
  // 2^p that brings the largest magnitude into [1, 2).
  const double scale = magnitude == 0.0 ? 1.0 : std::ldexp(1.0, -std::ilogb(magnitude));
  const double norm = is_there ? queries.norms[query] * scale * kSumRounding : 0.0;
  const bool is_centred = frame->is_centred != 0;
  const double mean_norm = frame->mean_norm;
  double product = dot64<ElementType::kFloat32, ElementType::kFloat32>(values, mean, dimension);
  product = is_centred && is_there ? product * scale : 0.0;             // X.mu
  double share = is_centred ? product / (mean_norm * mean_norm) : 0.0;  // t
  const double mean_bound = std::fabs(share) * mean_norm;
  vector.factor = scale;
  vector.mean_factor = share;
  const double largest = enlarged(vector.largest<ElementType::kFloat32>(), mean_bound);
  double wanted_step = enlarged(largest, mean_bound) / kRowCodeLimit;
  // Products must stay exact: (|w| / S + sqrt(D) / 2) times the longest row of codes.
  const double rest = is_centred ? rest_norm(norm, share, product, mean_norm, dimension) : norm;
  const double row_length = same_bits<float>(frame->largest_code_norm);
  const double least_step =
      enlarged(rest, mean_bound) * row_length /
      (kProductLimit - 0.5 * std::sqrt(static_cast<double>(dimension)) * row_length);
  wanted_step = wanted_step > least_step ? wanted_step : least_step;
  const auto step =
      static_cast<float>(wanted_step > kSmallestQueryStep ? wanted_step : kSmallestQueryStep);
  // The t that the filter's float32 stands for, exactly.
  const float mean_share = is_centred ? static_cast<float>(share / step) : 0.0f;
  share = static_cast<double>(mean_share) * static_cast<double>(step);
  vector.mean_factor = share;
  const CodeSums sums = encode_vectors<ElementType::kFloat32>(
      vector, step, coded.word_count, stage,
      coded.codes + std::int64_t{block_index()} * coded.word_count * kPanelRows);
  if (dot_lane() != 0) return;
  const CodedQuery own{
      scale, norm, product, mean_share, step, sums.code_square, sums.residual_square};
  const QueryTerms terms =
      query_terms(own, is_centred, mean_norm, is_cosine ? 1.0 : frame->scale, dimension);
  coded.mean_shares[query] = terms.mean_share;
  coded.residual_factors[query] = terms.residual_factor;
  coded.length_factors[query] = terms.length_factor;
  coded.scales[query] = terms.scale;
  thresholds[query] = is_there ? -HUGE_VALF : kDropAll;
}

}  // namespace cuda
}  // namespace fastvbench
