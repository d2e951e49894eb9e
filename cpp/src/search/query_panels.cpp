#include "search/query_panels.h"

#include <algorithm>
#include <cmath>

#include "fastvbench/parallel.h"

namespace fastvbench {
struct QueryPanels::Worker {
  std::int64_t padded = 0;
  AlignedBuffer<std::int16_t> codes;  // of one panel, query after query
};

Status QueryPanels::load(const RunContext& context, const QueryRows& queries, std::int64_t begin,
                         std::int64_t end, const RowFrame& frame, Similarity similarity,
                         CodeWidth width) {
  const SearchKernels& kernels = search_kernels();
  query_count_ = end - begin;
  dimension_ = queries.dimension;
  width_ = width;
  const std::int64_t step_count = steps_of(dimension_, width);
  const std::int64_t panel_bytes = step_count * kPanelQueries * 4;
  if (!codes_.allocate(panel_count() * panel_bytes) || !panels_.allocate(panel_count()) ||
      !scales_.allocate(query_count_)) {
    return Status::out_of_memory();
  }
  auto body = [&](std::int64_t first, std::int64_t last, std::int32_t) {
    Worker worker;
    worker.padded = (dimension_ + 15) / 16 * 16;
    if (!worker.codes.allocate(worker.padded * kPanelQueries)) {
      return Status::out_of_memory();
    }
    for (std::int64_t p = first; p < last; ++p) {
      panels_[p] = FilterPanel{};
      panels_[p].codes = codes_.data() + p * panel_bytes;
      panels_[p].is_centred = frame.is_centred;
      for (int q = 0; q < queries_in(p); ++q) {
        const std::int64_t index = p * kPanelQueries + q;
        encode(queries.row(begin + index), queries.norms[begin + index], index, frame, similarity,
               worker);
      }
      kernels.interleave_codes(worker.codes.data(), worker.padded, queries_in(p), step_count, width,
                               codes_.data() + p * panel_bytes, kPanelQueries);
    }
    return Status();
  };
  RunContext few = context;
  if (query_count_ * dimension_ < (1 << 13)) few.threads = 1;
  return parallel_for(few, panel_count(), 1, body);
}

void QueryPanels::encode(const float* query, double query_norm, std::int64_t index,
                         const RowFrame& frame, Similarity similarity, Worker& worker) {
  const SearchKernels& kernels = search_kernels();
  const float* mean = frame.mean.data();
  // 2^p that brings the largest magnitude into [1, 2).
  const float magnitude = kernels.largest_magnitude(query, dimension_, 1.0f, 0.0f, nullptr);
  const double scale = magnitude == 0.0f ? 1.0 : std::ldexp(1.0, -std::ilogb(magnitude));
  const double norm = query_norm * scale * kSumRounding;  // at least |X|
  double mean_product = 0.0;                              // X.mu
  double share = 0.0;                                     // t
  if (frame.is_centred) {
    kernels.dot64_pairs(&query, &mean, 1, dimension_, &mean_product);
    mean_product *= scale;
    share = mean_product / (frame.mean_norm * frame.mean_norm);
  }
  const int limit =
      width_ == CodeWidth::kByte ? kernels.query_code_limit : wide_code_limit(dimension_);
  // Components of X are at most 2 in magnitude, those of t mu at most |t||mu|.
  const double mean_bound = std::fabs(share) * frame.mean_norm;
  double largest = scale * magnitude;
  if (frame.is_centred) {
    const bool fits = scale < 0x1p100 && std::fabs(share) < 0x1p60;
    largest = fits
                  ? enlarged(kernels.largest_magnitude(query, dimension_, static_cast<float>(scale),
                                                       static_cast<float>(share), mean),
                             mean_bound)
                  : largest + mean_bound;
  }
  const auto step =
      static_cast<float>(std::max(enlarged(largest, mean_bound) / limit, kSmallestQueryStep));
  float mean_share = 0.0f;  // t'
  if (frame.is_centred) {
    // The t that the filter's float32 stands for, exactly.
    mean_share = static_cast<float>(share / step);
    share = static_cast<double>(mean_share) * step;
  }
  const std::int64_t p = index / kPanelQueries;
  const int q = static_cast<int>(index % kPanelQueries);
  CodedVector coded;
  kernels.encode_vector(query, dimension_, scale, share, frame.is_centred ? mean : nullptr, step,
                        worker.codes.data() + q * worker.padded, &coded);
  FilterPanel& panel = panels_[p];
  panel.starts[q] =
      width_ == CodeWidth::kByte ? static_cast<std::int32_t>(-128 * coded.code_sum) : 0;
  panel.mean_shares[q] = mean_share;

  const CodedQuery query_coded{
      scale, norm, mean_product, mean_share, step, coded.code_square, coded.residual_square};
  const double row_scale = similarity == Similarity::kDot ? frame.scale : 1.0;
  const QueryTerms terms =
      query_terms(query_coded, frame.is_centred, frame.mean_norm, row_scale, dimension_);
  panel.residual_factors[q] = terms.residual_factor;
  panel.length_factors[q] = terms.length_factor;
  scales_[index] = terms.scale;
}

}  // namespace fastvbench
