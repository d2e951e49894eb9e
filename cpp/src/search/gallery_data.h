// What a prepared gallery holds.
#pragma once

#include <cstdint>

#include "fastvbench/aligned_buffer.h"
#include "fastvbench/search.h"
#include "search/filter_rows.h"
#include "search/search_memory.h"

namespace fastvbench {

struct GalleryData {
  EmbeddingRows rows;
  Similarity similarity = Similarity::kDot;
  Preparation preparation = Preparation::kNone;
  AlignedBuffer<std::uint8_t> faults;  // empty where none was looked for
  std::int64_t fault_count = 0;
  AlignedBuffer<double>
      norms;  // sqrt(dot64(row, row)); empty for dot and where nothing is prepared
  RowFrame frame;
  FilterRows coded;  // all rows, or none
  FilterRows wide;   // all rows of a small gallery in wide codes, or none

  SearchMemoryPool memory;

  bool has_fault(std::int64_t row) const { return fault_count != 0 && faults[row] != 0; }
};

}  // namespace fastvbench
