// A stretch of the gallery, turned into what a filter reads.
#pragma once

#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "fastvbench/search.h"
#include "search/kernels.h"

namespace fastvbench {

/// How rows are scaled and centred; the same for the whole gallery. See bound.h.
struct RowFrame {
  double scale = 1.0;         // 2^s for dot; unused for cosine, where each row has 1 / |y|
  AlignedBuffer<float> mean;  // mu, zeros up to a multiple of 16
  double mean_norm = 0.0;     // at least |mu|
  bool is_centred = false;

  /// Looks at up to a few thousand rows spread over the gallery.
  Status measure(const EmbeddingRows& rows, Similarity similarity);
};

struct FilterRows {
  CodeWidth width = CodeWidth::kByte;
  std::int64_t begin = 0;  // rows [begin, end) of the gallery
  std::int64_t end = 0;
  std::int64_t step_count = 0;
  AlignedBuffer<std::uint8_t> codes;
  AlignedBuffer<float> terms;
  AlignedBuffer<float> peaks;
  AlignedBuffer<std::uint32_t> rankable;

  std::int64_t block_count() const { return (end - begin + kBlockRows - 1) / kBlockRows; }
  std::int64_t block_bytes() const { return step_count * kBlockRows * 4; }
  FilterBlocks blocks() const {
    return {codes.data(), terms.data(), peaks.data(), rankable.data(), step_count};
  }
  std::int64_t memory_bytes() const {
    return codes.size() + 4 * (terms.size() + peaks.size() + rankable.size());
  }

  /// Reads rows [begin, end) once. Writes their faults to `faults` and, for cosine, their norms to
  /// `norms` (both indexed by gallery row less `begin`); either may be null.
  Status build(const RunContext& context, const EmbeddingRows& rows, Similarity similarity,
               const RowFrame& frame, CodeWidth width, std::int64_t begin, std::int64_t end,
               std::uint8_t* faults, double* norms, std::int64_t* fault_count);
};

}  // namespace fastvbench
