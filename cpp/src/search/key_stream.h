// Exact keys of rows taken in the order in which they lie in memory.
#pragma once

#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "search/gallery_data.h"
#include "search/query_rows.h"
#include "search/row_reader.h"

namespace fastvbench {

/// One worker's way through the gallery, a few rows at a time.
class KeyStream {
 public:
  explicit KeyStream(const GalleryData& gallery)
      : gallery_(gallery), kernels_(search_kernels()), reader_(gallery.rows, kernels_) {}

  /// Rows that stay in a core's nearest cache while all queries go over them.
  static std::int64_t chunk_rows(std::int64_t dimension);
  bool reserve();

  /// Reads rows [begin, end), chunk_rows at most; finds which of them can be ranked.
  Status open(std::int64_t begin, std::int64_t end);
  /// keys()[i] is that of row begin + i; junk where it can't be ranked.
  const double* keys(const float* query);
  bool is_rankable(std::int64_t i) const { return rankable_[i] != 0; }

 private:
  const GalleryData& gallery_;
  const SearchKernels& kernels_;
  RowReader reader_;
  std::int64_t begin_ = 0;
  std::int64_t count_ = 0;
  AlignedBuffer<const float*> rows_;
  AlignedBuffer<const float*> query_;
  AlignedBuffer<double> keys_;
  AlignedBuffer<double> norms_;
  AlignedBuffer<std::uint8_t> rankable_;
};

}  // namespace fastvbench
