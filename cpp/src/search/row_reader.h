// Rows of any element type as float32: where they lie, or widened into a worker's own memory.
#pragma once

#include <cstdint>
#include <cstring>

#include "fastvbench/aligned_buffer.h"
#include "fastvbench/search.h"
#include "fastvbench/status.h"
#include "search/kernels.h"

namespace fastvbench {

/// Widens `count` values; float32 is copied.
inline void widen_values(const SearchKernels& kernels, const void* from, ElementType type,
                         std::int64_t count, float* to) {
  switch (type) {
    case ElementType::kFloat32:
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
      break;
    case ElementType::kFloat16:
      kernels.widen_halves(static_cast<const std::uint16_t*>(from), count, to);
      break;
    case ElementType::kBfloat16:
      kernels.widen_brain_floats(static_cast<const std::uint16_t*>(from), count, to);
      break;
  }
}

/// One worker's window on rows. Holds up to `kMostRows` widened rows at a time.
class RowReader {
 public:
  RowReader(const EmbeddingRows& rows, const SearchKernels& kernels)
      : rows_(rows), kernels_(kernels) {}

  /// Must succeed before the first read of up to `row_count` rows.
  bool reserve(std::int64_t row_count) {
    if (rows_.type == ElementType::kFloat32) return true;
    return widened_.allocate(row_count * rows_.dimension);
  }
  /// Rows [begin, end) as float32, one after the other; valid until the next call.
  const float* read(std::int64_t begin, std::int64_t end) {
    const void* from = rows_.row(begin);
    if (rows_.type == ElementType::kFloat32) return static_cast<const float*>(from);
    widen_values(kernels_, from, rows_.type, (end - begin) * rows_.dimension, widened_.data());
    return widened_.data();
  }
  const EmbeddingRows& rows() const { return rows_; }

 private:
  EmbeddingRows rows_;
  const SearchKernels& kernels_;
  AlignedBuffer<float> widened_;
};

}  // namespace fastvbench
