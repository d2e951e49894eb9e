// Scale and mean of a gallery, from a sample of its rows.
#include <algorithm>
#include <cmath>

#include "fastvbench/buffer.h"
#include "search/faults.h"
#include "search/filter_rows.h"
#include "search/row_reader.h"

namespace fastvbench {
namespace {

constexpr std::int64_t kMostSamples = 2048;
constexpr std::int64_t kLeastSamples = 256;
constexpr std::int64_t kRowsPerSample = 64;
// Centring costs a term in every bound, so it must shorten vectors by a few percent at least.
constexpr double kWorthwhile = 0.97;

// Every sampled row that can be ranked: its values and the factor that scales it.
template <typename Visit>
void over_samples(RowReader& reader, Similarity similarity, double scale, Visit visit) {
  const EmbeddingRows& rows = reader.rows();
  const SearchKernels& kernels = search_kernels();
  const std::int64_t samples = std::clamp(rows.count / kRowsPerSample, kLeastSamples, kMostSamples);
  const std::int64_t stride = (rows.count + samples - 1) / samples;
  for (std::int64_t i = 0; i < rows.count; i += stride) {
    const float* row = reader.read(i, i + 1);
    double square;
    kernels.dot64_pairs(&row, &row, 1, rows.dimension, &square);
    if (!std::isfinite(square) || square == 0.0) continue;
    visit(row, similarity == Similarity::kCosine ? 1.0 / std::sqrt(square) : scale);
  }
}

}  // namespace

Status RowFrame::measure(const EmbeddingRows& rows, Similarity similarity) {
  const std::int64_t dimension = rows.dimension;
  const std::int64_t padded = (dimension + 15) / 16 * 16;
  RowReader reader(rows, search_kernels());
  AlignedBuffer<double> sums;
  Buffer<double> largest;
  if (!mean.allocate(padded) || !sums.allocate(padded) || !reader.reserve(1) ||
      !largest.reserve(kMostSamples)) {
    return Status::out_of_memory();
  }
  std::fill(mean.data(), mean.data() + padded, 0.0f);
  std::fill(sums.data(), sums.data() + padded, 0.0);
  scale = 1.0;
  is_centred = false;
  mean_norm = 0.0;

  if (similarity == Similarity::kDot) {
    // The median of the rows' largest magnitudes: one huge row must not flatten the others.
    over_samples(reader, similarity, 1.0, [&](const float* row, double) {
      largest.push_back(search_kernels().largest_magnitude(row, dimension, 1.0f, 0.0f, nullptr));
    });
    if (largest.size() > 0) {
      double* middle = largest.data() + largest.size() / 2;
      std::nth_element(largest.data(), middle, largest.data() + largest.size());
      scale = std::ldexp(1.0, -std::ilogb(*middle));
    }
  }

  std::int64_t count = 0;
  over_samples(reader, similarity, scale, [&](const float* row, double factor) {
    for (std::int64_t d = 0; d < dimension; ++d) sums[d] += factor * row[d];
    ++count;
  });
  if (count < 2) return Status();
  for (std::int64_t d = 0; d < dimension; ++d) {
    mean[d] = static_cast<float>(sums[d] / static_cast<double>(count));
  }
  double plain_norms = 0.0;
  double centred_norms = 0.0;
  over_samples(reader, similarity, scale, [&](const float* row, double factor) {
    double plain = 0.0;
    double rest = 0.0;
    for (std::int64_t d = 0; d < dimension; ++d) {
      const double value = factor * row[d];
      plain += value * value;
      rest += (value - mean[d]) * (value - mean[d]);
    }
    plain_norms += std::sqrt(plain);
    centred_norms += std::sqrt(rest);
  });
  double square = 0.0;
  for (std::int64_t d = 0; d < dimension; ++d) square += static_cast<double>(mean[d]) * mean[d];
  mean_norm = std::sqrt(square) * kSumRounding;
  // A mean that is minute or huge beside the rows would bring overflow into the bounds.
  is_centred =
      centred_norms < kWorthwhile * plain_norms && mean_norm > 0x1p-20 && mean_norm < 0x1p20;
  if (!is_centred) {
    std::fill(mean.data(), mean.data() + padded, 0.0f);
    mean_norm = 0.0;
  }
  return Status();
}

}  // namespace fastvbench
